"""References of a file: uses of names, imports, and figures about its definitions."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

ReferenceKind = Literal["call", "type", "inherit", "read", "computed", "gives", "holds", "exports"]
COMPUTED = "…"  # name of a reference of kind `computed`
TELLS = "→"  # begins names of references of kinds `gives` and `holds`
WILDCARD = "*"  # name of an import that takes every name of its module
DEFAULT_EXPORT = "default"  # name of an import that takes what a module of ECMAScript exports as its default
WHOLE_EXPORT = "="  # exported name of the value that a CommonJS module is: `module.exports = a`
EXPORTED = "⇒"  # name of references of kind `exports`


class Reference(NamedTuple):  # a file has thousands, and a dataclass takes four times as long to make
    """One use of a name. Lines and columns are 1-based; columns count characters.

    `name` is an identifier alone (`b` of `a.b()`), `qualifier` what stands before it (`a`), "" without one. `symbol` is
    the position of the innermost definition around it in the file's symbol list, or None. `receiver` is the type of
    the qualifier as far as the file says it (`A`, `m.A`).

    One of kind `computed` is of a name that is made at run time: `name` is COMPUTED, `qualifier` what it is looked up
    on, `receiver` what of the name is written (`visit_…`).

    One of kind `gives` tells what a call of a function gives, one of `holds` what an attribute or variable is:
    `name` is TELLS and its name, `qualifier` the class that it is of, `receiver` the type. All types are texts as in
    `languages.typetexts`.

    One of kind `exports` names a definition that other files import by another name or as the default: `name` is
    EXPORTED, `qualifier` the exported name, `receiver` the name in the file.
    """

    name: str
    kind: ReferenceKind
    qualifier: str
    line: int
    column: int
    symbol: int | None = None
    receiver: str = ""


class Import(NamedTuple):
    """One imported name, or, with `name` None, a module as a whole.

    `module` is as written, without quotes (`..pkg.mod`, `./lib/x`, `std::fmt`). `alias` is the local name where it is
    another one than the last part of `name` or `module`. `line` is 1-based. `symbol` is the position of the innermost
    function around it in the file's symbol list: only that function sees the name. None is the whole file.
    """

    module: str
    name: str | None
    alias: str | None
    line: int
    symbol: int | None = None

    @property
    def local_name(self) -> str | None:
        """The name that it has in its file; None for one that takes every name."""
        return None if self.name == WILDCARD else self.alias or self.name or self.module


class Offer(NamedTuple):
    """Definition outside of functions that other files may use; `is_outer` if only namespaces are around it."""

    file_id: int
    name: str
    signature: str
    is_outer: bool


class Metrics(NamedTuple):
    """Figures of one function: McCabe's cyclomatic complexity (1 without a branch), how deep its blocks are nested,
    and how many parameters it has.
    """

    cyclomatic: int
    max_nesting: int
    parameter_count: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The facts of one file besides its definitions; `references` and `imports` are in order of the file.

    `metrics`, `tests` and `deprecated` are by position in the symbol list; only functions have metrics. `tests` are
    those that an annotation or their kind makes tests, whatever the file's path says.
    """

    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    metrics: tuple[tuple[int, Metrics], ...] = ()
    tests: frozenset[int] = frozenset()
    deprecated: frozenset[int] = frozenset()


NO_FACTS = FileFacts()
