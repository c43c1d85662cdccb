"""Numbers of a call that are out of range: the nearest allowed one is used, and the caller is told."""

from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args

from cocosearch_py.errors import ValidationError

N = TypeVar("N", int, float)


@dataclass(slots=True)
class Bounded:
    """Keeps values in their bounds and remembers which were not."""

    notes: list[str] = field(default_factory=list)

    def value(self, name: str, given: N, low: N, high: N) -> N:
        """The nearest allowed value."""
        inside = max(low, min(high, given)) if given == given else low  # noqa: PLR0124  # NaN is not equal to itself
        if inside != given:
            self.notes.append(f"{name} is out of range: {inside} was used ({low} to {high} are allowed)")
        return inside


def choice(name: str, value: str, choices: Any) -> Any:
    """Return a value that is one of a Literal's choices.

    Raises:
        ValidationError: it is not, with the choices.
    """
    if value not in get_args(choices):
        raise ValidationError(f"unknown {name} '{value[:60]}'", hint=f"known: {', '.join(get_args(choices))}")
    return value
