"""Rules for definitions that are alive although no other code names them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import NamedTuple

from cocosearch_py.languages.table import LANGUAGES

NEVER = re.compile(r"(?!)")


class Exports(NamedTuple):
    """Exports of a file, read off its text.

    Attributes:
        names: of its definitions -> the names under which others import them, where a list says so.
        lines: of such lists, which use nothing.
        passed_on: lines of imports that only hand on what they import.
        dynamic: lines of imports that are expressions.
        escaped: names of whole modules that are used as values, so that all of these may be used.
        inline: names that are taken from a module where it is named.
        is_module: others can import from the file; else its definitions are everybody's.
        offers: others find something there when they import it.
    """

    names: Mapping[str, tuple[str, ...]]
    lines: frozenset[int]
    passed_on: frozenset[int]
    dynamic: frozenset[int]
    escaped: frozenset[str]
    inline: frozenset[str]
    is_module: bool
    offers: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Liveness:
    """How definitions of a language are used without being named.

    Attributes:
        is_measured: how often a definition is wrongly found unused is known from real repositories, so that findings
            may be acted on.
        comment: a line that is no code.
        quotes: what begins and ends a text of several lines; one at the beginning of a line is documentation.
        neutral: names of decorators that hand a definition to nobody.
        decorator: a line that hands the definition below it to something; its name is group 1.
        hooks: names of definitions that the language or its usual tools call.
        entries: paths of files whose definitions something outside of the code uses.
        declares: paths of files that only declare, also what has no name in the repository.
        bases: what a type inherits from, in its signature, as group 1.
        plain_bases: types outside of a repository that call nothing of those that inherit from them.
        registers: what a type has in its text if it keeps a list of those that inherit from it.
        composed: a text that a name is put together from; its head is group 1, its tail group 2.
        looks_up: what stands near such a text if a definition is found by that name.
        reflects: what a file has in its text if it takes its own definitions by names that are made at run time.
        is_private: nobody outside of its file or type may use a definition, by its name and signature.
        is_exported: others may import a definition of a file, by its signature.
        read_exports: see `Exports`; None where names decide what is used, and not imports.
        is_deferred: an import is not followed when a file is loaded, by the first line of it.
        published: manifests of packages -> what they hold if others install them, whose public definitions these use.
        begins: names of files, without extension, that begin a program or package beside a manifest or below it in one
            of the folders `sources`; `begins_always` those of them that do so even where the manifest names others.
    """

    is_measured: bool = False
    comment: re.Pattern[str] = re.compile(r"\s*(?:#|//|/?\*|<!--|--\s)")
    quotes: tuple[str, ...] = ()
    neutral: frozenset[str] = frozenset()
    decorator: re.Pattern[str] = re.compile(r"\s*(?:@|#\[|\[(?=[A-Z]))\s*([\w.:]+)")
    hooks: re.Pattern[str] = NEVER
    entries: re.Pattern[str] = NEVER
    declares: re.Pattern[str] = NEVER
    bases: re.Pattern[str] = re.compile(r"(?:\bextends|\bimplements|:)\s*([^{]+)")
    plain_bases: frozenset[str] = frozenset()
    registers: re.Pattern[str] = NEVER
    composed: re.Pattern[str] = NEVER
    looks_up: re.Pattern[str] = NEVER
    reflects: re.Pattern[str] = NEVER
    is_private: Callable[[str, str], bool] = field(default=lambda _, signature: "private" in signature.split())
    is_exported: Callable[[str], bool] = field(default=lambda _: True)
    read_exports: Callable[[str], Exports] | None = None
    is_deferred: Callable[[str], bool] = field(default=lambda _: False)
    published: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    begins: frozenset[str] = frozenset()
    begins_always: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()


_ANY = Liveness()  # of languages that nobody described


@cache
def liveness_of(language_id: str) -> Liveness:
    """Return the rules of a language; their expressions are compiled only where they are needed."""
    language = LANGUAGES.get(language_id)
    if language is None or not language.liveness:
        return _ANY
    found: Liveness = import_module(f"{__package__}.{language.liveness}").LIVENESS
    return found
