"""How Code Index tells of failures."""

from cocosearch_py.tools.answers import Json

# It documents six types of error; the others of ours are the nearest of these.
_TYPES = {
    "not_found": "validation_error",
    "not_indexed": "workspace_error",
    "index_collision": "workspace_error",
    "conflict": "operation_error",
    "timeout": "operation_error",
    "cancelled": "operation_error",
    "permission_denied": "service_connection_error",
}


def failed(described: Json) -> Json:
    """A failed call in its words: `error` is true, and its `error_type` is one that it documents."""
    kind = described.get("error_type", "operation_error")
    details = described.get("details") or {}
    if kind in _TYPES:
        details = {**details, "cause": kind}
    return {**described, "error": True, "error_type": _TYPES.get(kind, kind), "details": details}
