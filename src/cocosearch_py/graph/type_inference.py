"""The types of what stands before names, where a file says how that is got: `make()` is of the type that `make` gives.

By what files say of their functions and attributes (`references.TELLS`), not by what their code does.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cocosearch_py.graph.context import Looked, binder_for, know, named
from cocosearch_py.graph.exports import names_behind
from cocosearch_py.languages.typetexts import AT_KEY, CALLED, ITEM, SELF, name_of, step, steps_of
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Defined, Use

_MOST_ROUNDS = 6  # of looking up, each for the next step of all values
_MOST_VALUES = 400  # of one request
_FIRST_NUMBER = 1_000_000_000  # of what is no definition: an attribute that a method assigns to
_TYPES = frozenset({"class", "struct", "interface", "enum", "type"})
_BY_STEP = {CALLED: "__call__", ITEM: "__iter__", AT_KEY: "__getitem__"}


class Type(NamedTuple):
    """A type, as the file that says it names it."""

    file_id: int
    text: str


class _Asked(NamedTuple):
    """A member of a type, or, with the text of a path before it, something that a file names."""

    of: Type
    name: str
    is_member: bool


class _Told(NamedTuple):
    type: Type
    is_function: bool


@dataclass(slots=True)
class _Value:
    """A value that is on its way from one type to the next."""

    type: Type
    steps: list[str] = field(default_factory=list)
    may_be_alias: bool = False  # the type has no such member

    def next(self) -> _Asked | None:
        """Return the fact needed for the next step; None at the end: the type is known, or, as "", it never is."""
        while True:
            file, text = self.type
            if CALLED in text:
                path, steps = steps_of(text)
                self.steps = [*steps, *self.steps]
                before, _, name = path.rpartition(".")
                self.type = Type(file, path)
                return _Asked(Type(file, before), name, is_member=False)
            if not self.steps or not text:
                self.type = Type(file, name_of(text))
                return None
            if self.may_be_alias:
                before, _, name = text.rpartition(".")
                return _Asked(Type(file, before), name, is_member=False)
            if CALLED in (folded := step(text, self.steps[0])):
                name = _BY_STEP.get(self.steps[0]) or self.steps[0].strip(".()")
                return _Asked(self.type, name, is_member=True)
            self.type, self.steps = Type(file, folded), self.steps[1:]

    def go(self, asked: _Asked, told: _Told | None) -> None:
        """Take the step for which this has been asked."""
        if self.may_be_alias and told is not None and not told.is_function:
            self.type, self.may_be_alias = told.type, False
            return
        self.may_be_alias = told is None and asked.is_member
        if told is None:
            if not asked.is_member:
                self.type, self.steps = Type(0, ""), []
            return
        of, taken = self.type if asked.is_member else asked.of, CALLED
        if asked.is_member:
            taken, self.steps = self.steps[0], self.steps[1:]
        self.type = of if told.type.text == SELF else told.type
        if not told.is_function and taken.endswith(CALLED):
            self.steps = [CALLED, *self.steps]  # what an attribute holds is called
        elif told.is_function and not taken.endswith(CALLED) and taken.startswith("."):
            self.type, self.steps = Type(0, ""), []  # a method that is not called
        elif taken == ITEM:
            self.steps = [ITEM, *self.steps]  # of the iterator


def as_seen(looked: Looked, uses: Sequence[Use]) -> list[Use]:
    """The uses as if they stood where the type of what is before them is named; those of which it is not known
    without it.
    """
    written = {(use.file_id, use.receiver): None for use in uses if CALLED in use.receiver}
    if not written:
        return list(uses)
    has_members = any(one.nested for one in (*looked.wanted, *looked.others))
    types = _types_of(looked, list(written)[:_MOST_VALUES]) if has_members else {}
    return [_seen(use, types) for use in uses]


def _seen(use: Use, types: Mapping[tuple[int, str], Type]) -> Use:
    if CALLED not in use.receiver:
        return use
    found = types.get((use.file_id, use.receiver))
    if found is None:
        return use._replace(receiver="")
    return use._replace(file_id=found.file_id, qualifier=found.text, receiver=found.text, inside="", line=0)


def _types_of(looked: Looked, written: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Type]:
    values = {one: _Value(Type(*one)) for one in written}
    answers: dict[_Asked, _Told | None] = {}
    for _ in range(_MOST_ROUNDS):
        asked = {key: one for key, value in values.items() if (one := value.next()) is not None}
        if not asked:
            break
        if new := set(asked.values()).difference(answers):
            answers |= _look_up(looked, new)
        for key, one in asked.items():
            values[key].go(one, answers[one])
    return {
        key: one.type for key, one in values.items() if one.type.text and not one.steps and CALLED not in one.type.text
    }


def _look_up(looked: Looked, asked: Collection[_Asked]) -> dict[_Asked, _Told | None]:
    """Return the index's facts about each of these."""
    conn, target = looked.conn, looked.everywhere
    names = {one.name for one in asked}
    bare = {one.name for one in asked if not one.is_member and not one.of.text}
    if bare:
        imports = store.imports_of_files(conn, target, {one.of.file_id for one in asked if one.name in bare}, bare)
        names |= names_behind(looked, imports, bare)
    told = {(one.file_id, one.owner, one.name): one for one in reversed(store.told_of(conn, target, names))}
    every = named(conn, target, names)
    defined = {(one.file_id, one.owner, one.name) for one in every}
    every += _attributes(looked, [one for key, one in told.items() if key not in defined])
    looked = replace(looked, wanted=every, others=[], names=sorted(names))
    uses = {one: _use(one) for one in asked}
    binder = binder_for(looked, list(uses.values()), (), looked.names)
    found: dict[_Asked, _Told | None] = {}
    for one, use in uses.items():
        bound = binder.bind(use)
        definition = None if bound is None else bound.definition
        found[one] = None if definition is None else _told(definition, one, told)
    return found


def _use(asked: _Asked) -> Use:
    """Return this as a use of a name."""
    of = asked.of.text
    return Use(asked.of.file_id, "call", asked.name, of, of if asked.is_member else "", "", None, 1, 0, 0)


def _told(definition: Defined, asked: _Asked, told: Mapping[tuple[int, str, str], store.ToldOf]) -> _Told | None:
    """Return the facts about a definition."""
    if definition.kind in _TYPES:
        path = f"{asked.of.text}.{asked.name}" if asked.of.text else asked.name
        return None if asked.is_member else _Told(Type(asked.of.file_id, path), is_function=True)
    one = told.get((definition.file_id, definition.owner, definition.name))
    return None if one is None else _Told(Type(one.file_id, one.text), one.is_function)


def _attributes(looked: Looked, held: Sequence[store.ToldOf]) -> Iterator[Defined]:
    """Yield attributes that no definition stands for, of which a file says what they hold."""
    know(looked, (one.file_id for one in held))
    for number, one in enumerate(held, _FIRST_NUMBER):
        if (file := looked.files.get(one.file_id)) is not None:
            name = f"{one.owner}.{one.name}" if one.owner else one.name
            place = one.file_id, number, one.name, "field", name, bool(one.owner), 0, 0
            yield Defined(*place, file.path, file.language_id)
