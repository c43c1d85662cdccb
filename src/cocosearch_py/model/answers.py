"""Types that answers are made of: what a query or a service returns is what a tool sends.

A front end turns them into JSON with `msgspec`, and `tools.schema` into JSON Schema.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Frozen(msgspec.StructMeta):
    """Makes classes whose instances do not change, with fields given by name."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        return super().__new__(mcls, name, bases, namespace, **{"frozen": True, "kw_only": True, **config})


class Value(msgspec.Struct, metaclass=_Frozen):
    """A frozen value. A class of this kind is made 25 times as fast as a frozen dataclass; a start makes hundreds."""


class Part(Value, omit_defaults=True):
    """A part of an answer. Its JSON leaves out fields that have their defaults."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Range of a number; ends included."""

    minimum: float
    maximum: float | None = None


Count = Annotated[int, Bounds(0)]
Share = Annotated[float, Bounds(0, 1)]
Percent = Annotated[int, Bounds(0, 100)]
Percentage = Annotated[float, Bounds(0, 100)]
Level = Literal["high", "medium", "low"]  # of confidence
Mode = Literal["hybrid", "vector", "keyword"]  # of a search
Match = Literal["exact", "glob", "substring", "fuzzy"]  # of a name
