"""Requests for definitions, and their reports."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from cocosearch_py.model.answers import Match
from cocosearch_py.model.code import NotFound
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.search import SearchFilters

Part = Literal["name", "signature", "doc"]


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """A name as people write it: `Cart.add_item`, `http::Client`, `#save`, `shop/cart.py#add_item`.

    Attributes:
        spelled: the name itself, without its owners.
        owners: what stands before it, from the outermost: enclosing definitions, folders, a file.
        whole: all of it, for the languages whose names hold dots.
        member: it is written as one of a type: `#save`.
        folder: only what is below it; "" is all.
    """

    spelled: str
    owners: tuple[str, ...] = ()
    whole: str = ""
    member: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionRequest:
    """Definitions that are looked for.

    Attributes:
        symbol: name or, with another part, text.
        match: exact: in any style (`get_user`, `getUser`); glob: `*` and `?`; substring: every word of it; fuzzy: like
            it. Signatures match a substring as a whole, and a glob without wildcards by its words and signs in order.
        part: what is compared.
        filters: of files; and `symbol_types`, kinds of definitions.
        public_only: what other code may use.
        limit, offset: the page.
    """

    symbol: NamedSymbol
    match: Match = "exact"
    part: Part = "name"
    filters: SearchFilters = field(default_factory=SearchFilters)
    public_only: bool = False
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition with its file; lines from 1, inclusive. `score` is 1 for a name just as it was asked for."""

    path: str
    symbol_no: int
    kind: str
    name: str
    qualified_name: str
    signature: str
    doc: str
    visibility: str
    start_line: int
    end_line: int
    language_id: str
    content_class: str
    is_test: bool = False
    is_deprecated: bool = False
    score: float = 1.0

    @property
    def parent(self) -> str | None:
        """Qualified name of the enclosing definition."""
        owner = self.qualified_name.removesuffix(self.name)
        return owner.rstrip(".") or None if owner != self.qualified_name else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionReport:
    """A page of definitions, best first.

    Attributes:
        total: how many there are in all.
        versions: the files of this page as the index holds them.
        stale: which of them are no longer so, in words.
    """

    definitions: tuple[Definition, ...] = ()
    total: int = 0
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.definitions if one.path not in gone)
        return replace(self, definitions=kept, stale=why)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Suggestions where nothing was found.

    Attributes:
        left_out: definitions that have the name and that the filters leave out.
        nearest: names like the one that nothing has, the likest first.
    """

    left_out: int = 0
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A definition in its file; `parent` is the number of the one around it, which stands before it."""

    number: int
    parent: int | None
    kind: str
    name: str
    qualified_name: str
    signature: str
    doc: str
    visibility: str
    start_line: int
    end_line: int
    function_depth: int  # 0: what other files can reach


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """Import of names from a module on one line.

    Attributes:
        names: as written, with `as` where they have another name in the file; empty for the module itself.
        paths: files of the index that it leads to.
        is_missing: it should lead to a file of the index, and does not.
    """

    line: int
    module: str
    names: tuple[str, ...]
    paths: tuple[str, ...]
    is_missing: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """Outline of a file; `parse_status` is that of `ParseStatus`, with the place of the first error."""

    path: str
    language_id: str
    line_count: int
    size_bytes: int
    parse_status: str
    parse_error: str | None
    entries: tuple[OutlineEntry, ...]
    imports: tuple[ImportEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineReport:
    """The outline of a file, or why there is none.

    Attributes:
        versions: the file as the index holds it.
        stale: whether it is no longer so, in words.
    """

    outline: Outline | None = None
    missing: NotFound | None = None
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        is_gone = self.outline is not None and self.outline.path in gone
        return replace(self, outline=None if is_gone else self.outline, stale=why)


@dataclass(frozen=True, slots=True)
class ExplainedDefinition:
    """A definition with all that one needs to use it.

    Attributes:
        members: the definitions directly inside it.
        inherits: what it inherits from, as written.
        heirs: qualified names of what inherits from something of its name.
    """

    definition: Definition
    members: tuple[OutlineEntry, ...]
    inherits: tuple[str, ...] = ()
    heirs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainReport:
    """Definitions of a name, best first; `total` is how many there are in all. See `DefinitionReport`."""

    explained: tuple[ExplainedDefinition, ...] = ()
    total: int = 0
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.explained if one.definition.path not in gone)
        return replace(self, explained=kept, stale=why)
