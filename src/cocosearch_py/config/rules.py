"""Rules for values of settings: strict from YAML and flags, as text from the environment."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

MAX_INT32 = 2**31 - 1  # PostgreSQL keeps such numbers in 32 bits; a bound that nobody needs to be told
MAX_SHOWN_CHARS = 60  # of a wrong value in a message: enough to recognise it, and the line stays readable
TRUE_TEXTS = frozenset({"true", "yes", "on", "1"})
FALSE_TEXTS = frozenset({"false", "no", "off", "0"})


class Kind(StrEnum):
    """The type of a setting, in the words of the error messages."""

    STRING = "a string"
    INTEGER = "an integer"
    NUMBER = "a number"
    BOOLEAN = "true or false"
    STRINGS = "a list of strings"
    NUMBER_MAP = "a mapping of names to numbers"
    STRING_MAP = "a mapping of names to strings"


@dataclass(frozen=True, slots=True)
class Rule:
    """Values that one setting accepts.

    `minimum` and `maximum` are inclusive bounds of numbers; `above` is an exclusive lower one. `choices` are
    lower-case and match in any case. `prefixes` are what a string, or each name of a mapping, may start with.
    `problem` tells what is wrong with one text of the value ("" if nothing): the string, each item of a list, each
    string or, beside numbers, each name of a mapping. `user_only` says why a project's file may not decide this;
    empty when it may. `about` is one sentence for people.
    """

    kind: Kind
    about: str
    nullable: bool = False
    secret: bool = False
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    problem: Callable[[str], str] | None = None
    user_only: str = ""

    @property
    def expected(self) -> str:
        """Describe the accepted values, such as "an integer, at least 1, or null"."""
        parts = [f"one of {', '.join(self.choices)}" if self.choices else str(self.kind)]
        if self.above is not None:
            parts.append(f"above {self.above:g}")
        if self.minimum is not None:
            parts.append(f"at least {self.minimum:g}")
        if self.maximum is not None and self.maximum < MAX_INT32:
            parts.append(f"at most {self.maximum:.0f}")
        if self.prefixes:
            parts.append(f"starting with {' or '.join(self.prefixes)}")
        return ", ".join(parts) + (", or null" if self.nullable else "")


class WrongValueError(ValueError):
    """A value that its rule refuses; the text is `problem` or "expected ..., got ...". Never leaves `config`."""

    def __init__(self, rule: Rule, value: object, problem: str = "") -> None:
        shown = "a hidden value" if rule.secret and value is not None else show(value)
        super().__init__(problem or f"expected {rule.expected}, got {shown}")
        self.problem = problem


def check(rule: Rule, value: object) -> object:
    """Return a typed value as the settings hold it: lists as tuples, integers for numbers as floats.

    Nothing is converted between types: "10" is not an integer, 1 is not a boolean.

    Raises:
        WrongValueError: the rule refuses the value.
    """
    if value is None and rule.nullable:
        return None
    checked = _convert(rule, value)
    if checked is None or not _within(rule, checked):
        raise WrongValueError(rule, value)
    problem = next(filter(None, map(rule.problem, _texts(checked))), "") if rule.problem else ""
    if problem:
        raise WrongValueError(rule, value, problem)
    return checked


def parse(rule: Rule, text: str) -> object:
    """Return the value that a text from the environment stands for.

    Lists are JSON or separated by commas, mappings are JSON; an empty text is null where that is allowed.

    Raises:
        WrongValueError: the text stands for no value that the rule accepts.
    """
    if not text.strip() and rule.nullable:
        return None
    if rule.kind is Kind.STRING:
        return check(rule, text)
    try:
        return check(rule, _from_text(rule.kind, text.strip()))
    except ValueError as error:
        raise WrongValueError(rule, text, getattr(error, "problem", "")) from None


def show(value: object) -> str:
    """Return a value as a person wrote it, shortened: `"text"`, `10`, `true`, `null`, `a list`."""
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return "a mapping"
    if value is None or isinstance(value, (bool, int, float, str)):
        try:
            text = json.dumps(value, ensure_ascii=False)
        except ValueError:  # YAML makes integers that Python does not print
            return "an integer with thousands of digits"
        return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."
    return f"{type(value).__name__} {value}"[:MAX_SHOWN_CHARS]


def _convert(rule: Rule, value: object) -> object | None:
    """Return the value in its settled type, or None when it has another type."""
    match rule.kind:
        case Kind.STRING:
            converted: object | None = value if isinstance(value, str) else None
        case Kind.BOOLEAN:
            converted = value if isinstance(value, bool) else None
        case Kind.INTEGER:
            converted = value if _is_integer(value) else None
        case Kind.NUMBER:
            converted = _as_number(value)
        case Kind.STRINGS:
            converted = _as_strings(value)
        case Kind.NUMBER_MAP | Kind.STRING_MAP:
            converted = _as_map(rule.kind, value)
    if isinstance(converted, str) and rule.choices:
        return converted.lower()
    return converted


def _texts(value: object) -> list[str]:
    """Return the texts of a checked value that can be right or wrong in themselves."""
    if isinstance(value, dict):
        return [name if isinstance(item, float) else item for name, item in value.items()]
    if isinstance(value, tuple):
        return list(value)
    return [value] if isinstance(value, str) else []


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _as_number(value: object) -> float | None:
    if not (_is_integer(value) or isinstance(value, float)):
        return None
    try:
        number = float(cast(float, value))
    except OverflowError:  # an integer beyond the largest float
        return None
    return number if math.isfinite(number) else None


def _as_strings(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) and item for item in value):
        return None
    return tuple(value)


def _as_map(kind: Kind, value: object) -> dict[str, object] | None:
    if not isinstance(value, Mapping):
        return None
    converted: dict[str, object] = {}
    for name, item in value.items():
        settled = _as_number(item) if kind is Kind.NUMBER_MAP else item
        if not isinstance(name, str) or not name or settled is None:
            return None
        if kind is Kind.STRING_MAP and not (isinstance(settled, str) and settled):
            return None
        converted[name] = settled
    return converted


def _within(rule: Rule, value: object) -> bool:
    if isinstance(value, str):
        return (not rule.choices or value in rule.choices) and value.startswith(rule.prefixes or ("",))
    if isinstance(value, dict):
        return all(name.startswith(rule.prefixes or ("",)) and _in_bounds(rule, item) for name, item in value.items())
    return _in_bounds(rule, value)


def _in_bounds(rule: Rule, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return True
    return (
        (rule.minimum is None or value >= rule.minimum)
        and (rule.above is None or value > rule.above)
        and (rule.maximum is None or value <= rule.maximum)
    )


def _from_text(kind: Kind, text: str) -> object:
    """Return the plain value that a text stands for; ValueError when it has no such form."""
    match kind:
        case Kind.INTEGER:
            return int(text)
        case Kind.NUMBER:
            return float(text)
        case Kind.BOOLEAN:
            if text.lower() not in TRUE_TEXTS | FALSE_TEXTS:
                raise ValueError(text)
            return text.lower() in TRUE_TEXTS
        case Kind.STRINGS if not text.startswith("["):
            return [item.strip() for item in text.split(",") if item.strip()]
        case _:
            return _json(text)


def _json(text: str) -> object:
    try:
        return cast(object, json.loads(text))
    except RecursionError:  # a text of many opening brackets
        raise ValueError(text) from None
