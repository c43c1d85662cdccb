"""Values that parameters may have, for completion."""

from types import UnionType
from typing import Literal, get_args, get_origin

from cocosearch_py.config.declaring import AUDIT_PARTS
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.graph import EDGE_KINDS
from cocosearch_py.model.indexes import STRATEGIES
from cocosearch_py.tools.declaration import Parameter

_LISTED: dict[str, list[str]] = {
    "dep_type": list(EDGE_KINDS),
    "content": list(ContentClass),
    "classes": list(ContentClass),
    "strategy": list(STRATEGIES),
}


def values_of(command: str, parameter: Parameter) -> list[str]:
    """Return the values that a parameter's type or name lists; none if it takes any text."""
    if command == "audit" and parameter.name == "include":
        return list(AUDIT_PARTS)
    return _literals(parameter) or _LISTED.get(parameter.name, [])


def _literals(parameter: Parameter) -> list[str]:
    kinds = [parameter.type]
    while kinds:
        kind = kinds.pop()
        if get_origin(kind) is Literal:
            return [value for value in get_args(kind) if isinstance(value, str)]
        if isinstance(kind, UnionType) or get_origin(kind) is list:
            kinds += get_args(kind)
    return []
