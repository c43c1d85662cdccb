"""How answers tell whether there may be more than they have."""

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from cocosearch_py.model.completeness import Completeness


class Verdict(TypedDict):
    """How far these are all: the least sure of all steps."""

    level: Literal["complete", "likely", "partial"]
    blind_spots: list[str]


def verdict_of(one: "Completeness") -> Verdict:
    """The same for an answer."""
    return {"level": one.level, "blind_spots": list(one.blind_spots)}
