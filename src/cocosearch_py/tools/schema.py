"""JSON Schema of an answer, read off its type.

An answer is made of `Part`s or TypedDicts, lists, mappings, texts, numbers, Literals and None. Fields may come to be
added, so no schema forbids others. Alternatives are spelled as `anyOf`: clients that translate schemas know one type
at a time.
"""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec

from cocosearch_py.model.answers import Bounds

Json = dict[str, Any]
_PLAIN: Mapping[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}


def answer_schema(kind: Any) -> Json:
    """Schema of what a tool answers: always an object, with an array as its member `result`."""
    found = schema_of(kind)
    parts = found.get("anyOf", [found])
    wrapped = [
        {"type": "object", "properties": {"result": part}, "required": ["result"]} if part["type"] == "array" else part
        for part in parts
    ]
    return wrapped[0] if len(wrapped) == 1 else {"type": "object", "anyOf": wrapped}


def schema_of(kind: Any) -> Json:
    """Schema of any part of an answer. Raises TypeError for a type that answers are not made of."""
    if kind is Any:
        return {"type": "object", "additionalProperties": True}
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        properties = {name: schema_of(hint) for name, hint in hints.items()}
        required = [name for name in hints if name in kind.__required_keys__]
        return {"type": "object", "properties": properties, "required": required}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _of_struct(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _either([schema_of(item) for item in arguments if item is not msgspec.UnsetType])
    return _generic(kind, origin, arguments)


def _of_struct(kind: type[msgspec.Struct]) -> Json:
    hints = get_type_hints(kind, include_extras=True)
    fields = msgspec.structs.fields(kind)
    properties = {field.encode_name: schema_of(hints[field.name]) for field in fields}
    omits_defaults = kind.__struct_config__.omit_defaults
    required = [
        field.encode_name
        for field in fields
        if field.required or not (omits_defaults or field.default is msgspec.UNSET)
    ]
    return {"type": "object", "properties": properties, "required": required}


def _generic(kind: Any, origin: Any, arguments: tuple[Any, ...]) -> Json:
    if origin is Annotated:
        return schema_of(arguments[0]) | _bounds(arguments[1:])
    if origin in (list, tuple):  # of any length
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (Required, NotRequired):
        return schema_of(arguments[0])
    raise TypeError(f"{kind!r} is no part of an answer")


def _either(schemas: list[Json]) -> Json:
    if len(schemas) == 1:
        return schemas[0]
    objects = all(schema["type"] == "object" for schema in schemas)
    return {"type": "object", "anyOf": schemas} if objects else {"anyOf": schemas}


def _bounds(extras: tuple[Any, ...]) -> Json:
    for item in extras:
        if isinstance(item, Bounds):
            found: Json = {"minimum": item.minimum}
            return found if item.maximum is None else {**found, "maximum": item.maximum}
    return {}
