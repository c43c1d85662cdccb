"""What is asked about the ways of a type through functions, and what was found."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from cocosearch_py.model.files import FileVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRequest:
    """Functions that return or accept a type.

    Attributes:
        name: of the type, without what it belongs to.
        paths: files or folders as the index holds them; "" is all.
        with_fields: fields count as consumers.
        limit: of each role.
    """

    name: str
    paths: tuple[str, ...] = ("",)
    with_fields: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True)
class TypeUser:
    """A definition whose signature names the type; the line is from 1."""

    path: str
    name: str
    kind: str
    signature: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowReport:
    """Those that return the type and those that accept it, tests last, then by path and line; numbers of all."""

    producers: tuple[TypeUser, ...] = ()
    consumers: tuple[TypeUser, ...] = ()
    producers_count: int = 0
    consumers_count: int = 0
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        producers = tuple(one for one in self.producers if one.path not in gone)
        consumers = tuple(one for one in self.consumers if one.path not in gone)
        return replace(
            self,
            producers=producers,
            consumers=consumers,
            producers_count=self.producers_count - len(self.producers) + len(producers),
            consumers_count=self.consumers_count - len(self.consumers) + len(consumers),
            stale=why,
        )
