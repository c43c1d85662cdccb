"""Dataclasses as JSON and back, by their annotations: what one process writes down for another.

Understood are texts, numbers, truth values, None, paths, enumerations, tuples, lists, sets, mappings and dataclasses of
these. Fields that hold functions are left out, and get their defaults.
"""

from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
# Types of JSON, by what they are read as.
_PLAIN: Mapping[Any, tuple[type, ...]] = {str: (str,), bool: (bool,), int: (int,), float: (float, int)}


def to_plain(value: Any, leave_out: Collection[str] = ()) -> Any:
    """The value as JSON.

    Args:
        value: of the kinds above.
        leave_out: fields of the value itself that are not written.
    """
    if is_dataclass(value):
        kept = ((one.name, getattr(value, one.name)) for one in fields(value) if one.name not in leave_out)
        return {name: to_plain(item) for name, item in kept if not callable(item)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(to_plain(item) for item in value)
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def from_plain(kind: type[T], value: Any) -> T:
    """The value of this type that `to_plain` made JSON of; fields that are not in it get their defaults.

    Raises:
        ValueError: it holds what this version of the type does not know, or lacks what it needs.
    """
    made: T = _read(kind, value)
    return made


def _read(kind: Any, value: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if value is None and NoneType in inner:
            return None
        return _read(next(one for one in inner if one is not NoneType), value)
    if is_dataclass(kind):
        return _read_fields(kind, _of_type(Mapping, value))
    if origin is tuple and len(inner) > 1 and inner[1] is not Ellipsis:
        return tuple(_read(one, item) for one, item in zip(inner, _of_type((list, tuple), value), strict=True))
    if origin in (tuple, list, set, frozenset):
        return origin(_read(inner[0], item) for item in _of_type((list, tuple), value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {_read(inner[0], key): _read(inner[1], item) for key, item in _of_type(Mapping, value).items()}
    if isinstance(kind, type) and issubclass(kind, tuple):  # a named one, of plain values
        return kind(*value)
    if isinstance(kind, type) and issubclass(kind, Enum | Path):
        return kind(_of_type(str, value))
    if kind in _PLAIN and type(value) not in _PLAIN[kind]:  # True is a number to isinstance
        raise ValueError(f"{value!r:.60} is no {kind.__name__}")
    return value


def _of_type(kinds: Any, value: Any) -> Any:
    if not isinstance(value, kinds):
        raise ValueError(f"{value!r:.60} is of the wrong type")
    return value


def _read_fields(kind: Any, value: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    known = {one.name: one for one in fields(kind)}
    if strange := sorted(value.keys() - known.keys()):
        raise ValueError(f"{kind.__name__} has no {', '.join(strange)}")
    given = {name: _read(hints[name], item) for name, item in value.items()}
    needed = (one.name for one in known.values() if one.default is MISSING and one.default_factory is MISSING)
    if missing := sorted(name for name in needed if name not in given and not _is_function(hints[name])):
        raise ValueError(f"{kind.__name__} lacks {', '.join(missing)}")
    return kind(**given)


def _is_function(kind: Any) -> bool:
    return get_origin(kind) is Callable


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
