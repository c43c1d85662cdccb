"""`outline_file`, `cocosearch-py outline`: the definitions of one file as a tree."""

import posixpath
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import DefinitionItem, Json, definition_item, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import kinds_of_indxr
from cocosearch_py.tools.revisions import found_at
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.code import NotFound
    from cocosearch_py.model.definitions import ImportEntry, Outline, OutlineEntry

MAX_DEPTH = 5
MAX_PATH_CHARS = 2_000
_SHOWN_CHARS = 200
PARTS = ("symbols", "imports", "docs", "locals")
DEFAULT_PARTS = ("symbols", "imports")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of outline_file."""

    path: Annotated[
        str, About("File, or the end of its path"), Flag(metavar="FILE", help="File, or the end of its path.")
    ]
    kind: given.Kinds = None
    depth: Annotated[
        int,
        About("Levels, 1-5"),
        Flag(
            names=("-d", "--depth"),
            metavar="N",
            minimum=1,
            maximum=MAX_DEPTH,
            help="Number of levels (1–5; default: 2).",
        ),
    ] = 2
    index_name: given.IndexName = None
    include: Annotated[
        list[Literal["symbols", "imports", "docs", "locals"]] | None,
        About("symbols, imports, docs (comments), locals (inside functions); null: symbols and imports"),
        UNLISTED,
        Flag(
            names=("--include",),
            metavar="PART",
            type=given.Texts,
            help="symbols, imports, docs (comments) or locals (inside functions); can be repeated.",
        ),
    ] = None
    shallow: Annotated[bool, About("Only the outermost level"), UNLISTED] = False
    compact: Annotated[bool, About("Columns and rows instead of a tree"), UNLISTED] = False
    member: given.Member = None
    rev: given.Rev = None


class Entry(DefinitionItem):
    """A definition; `children` are those inside it."""

    doc: NotRequired[str]
    children: NotRequired[list[Any]]


class Imported(TypedDict):
    """What a line imports; `files` of the index that it leads to, relative to the root of the index."""

    line: Count
    module: str
    names: NotRequired[list[str]]
    files: NotRequired[list[str]]


class Answer(TypedDict):
    """A file; `symbol_count` counts all of its definitions, also those that are not shown."""

    path: str
    language: str
    line_count: Count
    byte_size: Count
    parse_status: str
    parse_error: NotRequired[str]
    symbol_count: Count
    imports: NotRequired[list[Imported]]
    unresolved_imports: NotRequired[list[Imported]]
    symbols: NotRequired[list[Entry]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | float | None]]]
    truncated: NotRequired[bool]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Outlined:
    """The outline of a file, and which of its definitions are wanted."""

    record: IndexRecord
    outline: "Outline"
    wanted: "tuple[tuple[int, OutlineEntry], ...]"  # with their levels, from 0
    warnings: tuple[str, ...]


def outline_file(call: Call, asked: Arguments) -> Outlined:
    """Outline a file without reading it: a tree of its definitions with lines and signatures."""
    from cocosearch_py.search.request import build_filters

    if not asked.path.strip() or not is_text(asked.path) or len(asked.path) > MAX_PATH_CHARS:
        raise ValidationError(
            f"the path is empty, longer than {MAX_PATH_CHARS:,} characters or not text", hint="give the path of a file"
        )
    include = set(asked.include or DEFAULT_PARTS)
    if unknown := include - set(PARTS):
        raise ValidationError(f"unknown part '{min(unknown)[:60]}'", hint=f"known: {', '.join(PARTS)}")
    bounded = Bounded()
    depth = 1 if asked.shallow else bounded.value("depth", asked.depth, 1, MAX_DEPTH)
    kinds = set(build_filters(symbol_type=asked.kind).symbol_types)
    found = found_at(call, asked.rev)
    record, place = found.records[0], call.selection.place
    folder = str(place.folders[0]) if place else None
    path = inside(found, asked.member).path(asked.path)
    report = call.look(found.app, record, lambda: found.app.navigation.outline_file(path, folder, record))
    if report.outline is None:
        raise _refusal(report.missing)
    entries = report.outline.entries
    if "locals" not in include:
        entries = tuple(one for one in entries if not one.function_depth)
    wanted = () if include == {"imports"} else tuple(chosen(entries, kinds, depth))
    told = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    if not wanted and include != {"imports"}:
        told.append(_nothing(report.outline, entries))
    outline = report.outline if "imports" in include else replace(report.outline, imports=())
    return Outlined(record, outline, wanted, tuple(told))


def _nothing(outline: "Outline", entries: "Sequence[OutlineEntry]") -> str:
    """Why no definition is shown."""
    if entries:
        counted = ", ".join(f"{count:,} {kind}" for kind, count in Counter(one.kind for one in entries).most_common())
        return f"no definition of this kind; the file has {counted}"
    if outline.entries:
        return "all definitions in the file are local to functions: add locals to include"
    if outline.parse_status == "no_grammar":
        return f"definitions are not extracted from {outline.language_id}: read_code and search_text show the file"
    return "no definition was found in the file: read_code shows the file"


def _refusal(missing: "NotFound | None") -> SafetyError | NotFoundError:
    if missing is None:
        return NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    told = f"{missing.text[:_SHOWN_CHARS]} {missing.why}"
    if missing.is_refused:
        return SafetyError(told, hint="index_status with check_files shows why")
    near = ", ".join(missing.near)
    return NotFoundError(
        told,
        hint=f"did you mean {near}?" if near else "list_files shows which files are indexed",
        details={"path": missing.text[:_SHOWN_CHARS], "near": list(missing.near)},
    )


def chosen(entries: "Sequence[OutlineEntry]", kinds: set[str], depth: int) -> "Sequence[tuple[int, OutlineEntry]]":
    """The definitions of so many levels, or those of some kinds with all that is around them; with their levels."""
    levels: dict[int, int] = {}
    for one in entries:
        levels[one.number] = 0 if one.parent is None else levels.get(one.parent, -1) + 1
    if not kinds:
        return [(levels[one.number], one) for one in entries if levels[one.number] < depth]
    parents = {one.number: one.parent for one in entries}
    kept: set[int] = set()
    for one in entries:
        number: int | None = one.number if one.kind in kinds else None
        while number is not None and number not in kept:
            kept.add(number)
            number = parents.get(number)
    return [(levels[one.number], one) for one in entries if one.number in kept]


def _answer(found: Outlined, asked: Arguments) -> Json:
    outline = found.outline
    with_docs = "docs" in (asked.include or ()) and not asked.shallow
    rows = [(level, one, _item(one, with_docs=with_docs)) for level, one in found.wanted]

    def build(kept: "Sequence[tuple[int, OutlineEntry, Json]]") -> Json:
        answer: Json = {
            "path": posixpath.join(found.record.root_path, outline.path),
            "language": outline.language_id,
            "line_count": outline.line_count,
            "byte_size": outline.size_bytes,
            "parse_status": outline.parse_status,
        }
        if outline.parse_error is not None:
            answer["parse_error"] = outline.parse_error
        answer["symbol_count"] = len(outline.entries)
        if asked.include is None or "imports" in asked.include:
            answer["imports"] = [_import(one) for one in outline.imports if not one.is_missing]
            answer["unresolved_imports"] = [_import(one) for one in outline.imports if one.is_missing]
        answer |= table([_flat(one, item) for _, one, item in kept]) if asked.compact else {"symbols": _tree(kept)}
        answer |= quoted(kept)
        warnings = list(found.warnings)
        if len(kept) < len(rows):
            answer["truncated"] = True
            last = kept[-1][1].start_line if kept else 0
            warnings.append(f"shown up to line {last}: kind, depth=1 or compact=true make room for more")
        if warnings:
            answer["warnings"] = warnings
        return answer

    return cast("Json", fit(rows, build))


def _import(one: "ImportEntry") -> Json:
    item: Json = {"line": one.line, "module": one.module}
    if one.names:
        item["names"] = list(one.names)
    return {**item, "files": list(one.paths)} if one.paths else item


def _item(one: "OutlineEntry", *, with_docs: bool) -> Json:
    item = definition_item(one)
    return {**item, "doc": one.doc} if with_docs and one.doc else item


def _flat(one: "OutlineEntry", item: Json) -> Json:
    return {**item, "name": one.qualified_name}


def _tree(kept: "Sequence[tuple[int, OutlineEntry, Json]]") -> list[Json]:
    """The same definitions within each other."""
    roots: list[Json] = []
    made: dict[int, Json] = {}
    for _, one, item in kept:
        made[one.number] = node = dict(item)
        around = made.get(one.parent) if one.parent is not None else None
        (roots if around is None else around.setdefault("children", [])).append(node)
    return roots


OPERATION = Operation(
    name="outline_file",
    title="Outline a file",
    arguments=Arguments,
    run=outline_file,
    shape=_answer,
    answer=Answer,
    toolset="navigate",
    order=7,
    listed=False,
    about_indexes=True,
    needs="symbol",
    command=Command(name="outline", help="Show the definitions of a file as a tree, with lines and signatures."),
    aliases=(
        Alias(name="list_declarations", program="indxr", adapt=kinds_of_indxr),
        Alias(name="get_imports", program="indxr", means={"include": ["imports"]}),
        Alias(name="outline", program="Lexa", dialect="outline.OPERATION"),
    ),
)
