"""`summarize`, `cocosearch-py summarize`: a file, a folder, files by glob, or a definition, in short."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.operations import explain_symbol as explain
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import DefinitionItem, Json, definition_item, quoted, timestamp
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.entries import entry_points
from cocosearch_py.tools.fitting import bounded, fit, room, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.naming import MAX_NAME_CHARS
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.code import NotFound
    from cocosearch_py.model.summaries import Declared, FileSummary, FolderSummary, SummaryReport

MAX_PATHS = 30
DEFAULT_TOKENS = 4_000
SCOPES = ("all", "public")
CONTEXT = "context"
_MAX_PATH_CHARS = 2_000
_SHOWN_CHARS = 200
_MOST_MEMBERS = 30  # that are named of a definition
_MOST_IMPORTS = 40
_MOST_DEFINED = 20  # of each of several files
_MOST_ENTRIES = 40
_MOST_TESTS = 10  # files of tests that are named of a file
_MOST_PROGRAMS = 5
_WILDCARDS = frozenset("*?[{")
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of summarize."""

    path: Annotated[
        str,
        About("File, folder, glob or symbol; empty: all"),
        Flag(
            metavar="[WHAT...]",
            type=given.Texts,
            default=None,
            several="paths",
            help="File, folder, glob or symbol, or several files (default: the whole repository).",
        ),
    ] = ""
    paths: Annotated[list[str] | None, About("Several files, folders or globs"), UNLISTED] = None
    scope: Annotated[
        Literal["all", "public"],
        About("public: only public definitions"),
        UNLISTED,
        Flag(names=("--scope",), metavar="SCOPE", type=str, help="public: only definitions that other code may use."),
    ] = "all"
    include: Annotated[
        list[Literal["context"]] | None,
        About("context: importers, tests, neighbours"),
        Flag(
            names=("--include",), metavar="PART", type=given.Texts, help="context: add importers, tests and neighbours."
        ),
    ] = None
    max_tokens: given.MaxTokens = DEFAULT_TOKENS
    compact: Annotated[bool, About("Declarations as columns and rows"), UNLISTED] = False
    index_name: given.IndexName = None
    member: given.Member = None


class DeclaredItem(DefinitionItem):
    """An outermost definition; `members` are the names directly in it."""

    members: NotRequired[list[str]]
    more_members: NotRequired[Count]


class FileItem(TypedDict):
    """A file. Of one alone the declarations are told with signatures, of several as `kind name:first-last`.

    `about` is the first sentence of its docstring or header comment, `has_tests` whether find_tests finds any.
    """

    path: str
    language: str
    content_class: NotRequired[str]
    line_count: Count
    byte_size: Count
    modified: NotRequired[str]
    parse_status: NotRequired[str]
    symbol_count: Count
    public_count: Count
    kinds: dict[str, Count]
    has_tests: bool
    imported_by: Count
    imports: NotRequired[list[str]]
    importers: NotRequired[list[str]]
    tests: NotRequired[list[str]]
    siblings: NotRequired[list[str]]
    defines: NotRequired[list[str]]
    about: NotRequired[str]


class OneFile(FileItem):
    """A file alone."""

    type: Literal["file"]
    declarations: NotRequired[list[DeclaredItem]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | float | list[str] | None]]]
    truncated: NotRequired[bool]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class NotFoundItem(TypedDict):
    """What no index has."""

    path: str
    reason: str


class Files(TypedDict):
    """Several files; paths are relative to `root`."""

    type: Literal["files"]
    root: str
    files: list[FileItem]
    count: Count
    total_matched: Count
    not_found: NotRequired[list[NotFoundItem]]
    truncated: NotRequired[bool]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class EntryItem(TypedDict):
    """A file or a folder; the name of a folder ends with '/'."""

    name: str
    files: NotRequired[Count]
    line_count: Count


class OneFolder(TypedDict):
    """A folder with all below it.

    `about` is the first sentence of its manifest's description or README. `entry_points` are files in which programs
    begin, and what manifests install as `name = where`; `test_commands` run all tests.
    """

    type: Literal["directory"]
    path: str
    files: Count
    line_count: Count
    byte_size: Count
    left_out: Count
    languages: dict[str, Count]
    content: dict[str, Count]
    symbol_count: Count
    public_count: Count
    kinds: dict[str, Count]
    most_imported: dict[str, Count]
    entries: list[EntryItem]
    more_entries: NotRequired[Count]
    about: NotRequired[str]
    entry_points: NotRequired[list[str]]
    test_commands: NotRequired[list[str]]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class OneSymbol(explain.Answer):
    """Definitions of a name, as explain_symbol tells of them."""

    type: Literal["symbol"]


@dataclass(frozen=True, slots=True, eq=False)
class Summarized:
    """Files or a folder of an index, or the definitions of a name.

    `tests` are files of tests by path, `entry_points` those of a folder.
    """

    record: IndexRecord
    report: "SummaryReport"
    symbols: "explain.SymbolsExplained | None"
    is_several: bool
    warnings: tuple[str, ...]
    tests: Mapping[str, Sequence[str]] = field(default_factory=dict)
    entry_points: tuple[str, ...] = ()


def summarize(call: Call, asked: Arguments) -> Summarized:
    """Summarize a file, folder, glob or symbol before reading it: definitions, imports, users and tests."""
    from cocosearch_py.model.summaries import SummaryReport, SummaryRequest

    texts, told = _texts(asked)
    bounded = Bounded()
    bounded.value("max_tokens", asked.max_tokens, 200, 20_000)
    found = call.find()
    record, place = found.records[0], call.selection.place
    member = inside(found, asked.member)
    request = SummaryRequest(
        paths=tuple(text if text and _is_name(text) else member.path(text) for text in texts),
        folder=str(place.folders[0]) if place else None,
        public_only=asked.scope == "public",
        context=_with_context(asked),
    )
    report = call.look(found.app, record, lambda: found.app.navigation.summarize(request, record))
    texts = list(request.paths)
    is_several = asked.paths is not None or report.total > 1 or bool(_WILDCARDS & set("".join(texts)))
    told += bounded.notes
    if len(report.missing) == len(texts) == 1:
        missing = report.missing[0]
        is_path = "/" in texts[0] and "#" not in texts[0]
        if missing.is_refused or is_path or len(texts[0]) > MAX_NAME_CHARS:
            raise _refusal(missing, ())
        symbols = explain.explain_symbol(
            call, explain.Arguments(name=texts[0], index_name=asked.index_name, member=asked.member)
        )
        if not symbols.total:
            raise _refusal(missing, symbols.nearest)
        return Summarized(record, SummaryReport(), symbols, False, tuple(told))
    if not report.files and report.folder is None and not report.missing:
        raise NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    told += remarks_on(call, found, [report.stale])
    tests = {file.path: _tests(found.app, record, file, asked) for file in report.files}
    entries: list[str] = []
    if (folder := report.folder) is not None:
        entries = [*folder.programs, *entry_points(found.app, record, folder.path, _MOST_PROGRAMS)]
    return Summarized(record, report, None, is_several, tuple(told), tests, tuple(entries))


def _tests(app: "App", record: IndexRecord, file: "FileSummary", asked: Arguments) -> list[str]:
    """Files of tests that find_tests finds for a file, the best first; a file of tests is one of its own."""
    from cocosearch_py.graph.testing import RelatedRequest

    own = [file.path] if file.content_class == "tests" else []
    if own and not _with_context(asked):
        return own
    report = app.graphs.find_tests(RelatedRequest(files=(file.path,), limit=_MOST_TESTS), record)
    return list(dict.fromkeys([*own, *(one.path for one in report.tests)]))


def _is_name(text: str) -> bool:
    """Whether a text is that of a symbol rather than of a file."""
    return not {"/", "."} & set(text) and not _WILDCARDS & set(text)


def _texts(asked: Arguments) -> tuple[list[str], list[str]]:
    """What is to be summarized, and notes.

    Raises:
        ValidationError: what cannot be.
    """
    if asked.scope not in SCOPES:
        raise ValidationError(f"unknown scope '{asked.scope[:60]}'", hint=f"known: {', '.join(SCOPES)}")
    if unknown := set(asked.include or ()) - {CONTEXT}:
        raise ValidationError(f"'{min(unknown)[:60]}' cannot be included", hint=f"known: {CONTEXT}")
    texts = [asked.path] if asked.paths is None else [*([asked.path] if asked.path else []), *asked.paths]
    texts = [(text or "").strip() for text in texts] or [""]
    if not all(is_text(text) and len(text) <= _MAX_PATH_CHARS for text in texts):
        raise ValidationError(
            f"a path contains an invalid character or has more than {_MAX_PATH_CHARS:,} characters",
            hint="pass paths as answers show them",
        )
    cut = [f"{MAX_PATHS} of {len(texts)} paths are summarized; ask for the others separately"] * (
        len(texts) > MAX_PATHS
    )
    return texts[:MAX_PATHS], cut


def _refusal(missing: "NotFound", names: Sequence[str]) -> SafetyError | NotFoundError:
    told = f"{missing.text[:_SHOWN_CHARS]} {missing.why}"
    if missing.is_refused:
        return SafetyError(told, hint="index_status with check_files shows why")
    near = ", ".join((*missing.near, *names))
    hint = f"did you mean {near}?" if near else "list_files and find_symbol show what is indexed"
    return NotFoundError(told, hint=hint)


def _answer(found: Summarized, asked: Arguments) -> Json:
    if found.symbols is not None:
        return {"type": "symbol", **explain.OPERATION.shape(found.symbols, explain.Arguments(name=asked.path))}
    if found.report.folder is not None:
        return cast("Json", bounded(_told(found, _folder(found, found.report.folder)), room(asked.max_tokens)))
    return (
        _files(found, asked)
        if found.is_several or not found.report.files
        else _file(found, asked, found.report.files[0])
    )


def _told(found: Summarized, answer: Json) -> Json:
    return {**answer, "warnings": list(found.warnings)} if found.warnings else answer


def _file(found: Summarized, asked: Arguments, file: "FileSummary") -> Json:
    plain = {"type": "file", **_figures(found, asked, file, posixpath.join(found.record.root_path, file.path))}
    plain["modified"] = timestamp(datetime.fromtimestamp(file.mtime_ns // _NS, UTC))
    extras = {"content_class": file.content_class, "parse_status": file.parse_status}
    plain |= {name: value for name, value in extras.items() if value is not None}
    items = [_declared(one) for one in file.declarations]

    def build(kept: Sequence[Json]) -> Json:
        answer = {
            **plain,
            **(table(kept) if asked.compact else {"declarations": list(kept)}),
            **quoted(kept or file.about),
        }
        told = found
        if len(kept) < len(items):
            answer["truncated"] = True
            more = f"{len(items) - len(kept)} more definitions: outline_file, or a higher max_tokens, shows them"
            told = replace(found, warnings=(*found.warnings, more))
        return _told(told, answer)

    return cast("Json", fit(items, build, asked.max_tokens))


def _files(found: Summarized, asked: Arguments) -> Json:
    report = found.report
    items = []
    for file in report.files:
        defined = [f"{one.kind} {one.name}:{one.start_line}-{one.end_line}" for one in file.declarations]
        if asked.scope == "public":
            defined = [f"{one.start_line}-{one.end_line} {one.signature}" for one in file.declarations]
        if len(defined) > _MOST_DEFINED:
            defined[_MOST_DEFINED:] = [f"... {len(defined) - _MOST_DEFINED} more"]
        items.append({**_figures(found, asked, file, file.path), "defines": defined})

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {"type": "files", "root": found.record.root_path, "files": list(kept)}
        answer |= {"count": len(kept), "total_matched": report.total, **quoted(kept)}
        if report.missing:
            answer["not_found"] = [{"path": one.text[:_SHOWN_CHARS], "reason": one.why} for one in report.missing]
        if len(kept) < report.total:
            answer["truncated"] = True
        return _told(found, answer)

    return cast("Json", fit(items, build, asked.max_tokens))


def _figures(found: Summarized, asked: Arguments, file: "FileSummary", path: str) -> Json:
    item: Json = {
        "path": path,
        "language": file.language_id,
        "line_count": file.line_count,
        "byte_size": file.size_bytes,
        "symbol_count": sum(file.kinds.values()),
        "public_count": file.public_count,
        "kinds": dict(file.kinds),
        "has_tests": bool(found.tests.get(file.path)),
        "imported_by": file.imported_by,
    }
    imports = list(file.imports)
    if len(imports) > _MOST_IMPORTS:
        imports[_MOST_IMPORTS:] = [f"... {len(imports) - _MOST_IMPORTS} more"]
    tests = [path for path in found.tests.get(file.path, ()) if path != file.path] if _with_context(asked) else []
    lists = {"imports": imports, "importers": file.importers, "tests": tests, "siblings": file.siblings}
    about = {"about": file.about} if file.about else {}
    return item | about | {name: list(value) for name, value in lists.items() if value}


def _with_context(asked: Arguments) -> bool:
    return CONTEXT in (asked.include or ())


def _declared(one: "Declared") -> Json:
    item = definition_item(one)
    if one.members:
        item["members"] = list(one.members[:_MOST_MEMBERS])
    if len(one.members) > _MOST_MEMBERS:
        item["more_members"] = len(one.members) - _MOST_MEMBERS
    return item


def _folder(found: Summarized, folder: "FolderSummary") -> Json:
    entries = [
        {"name": f"{one.inner[-1]}/", "files": one.files, "line_count": one.lines}
        if one.is_folder
        else {"name": one.inner[-1] if one.inner else "", "line_count": one.lines}
        for one in folder.entries
    ]
    answer: Json = {
        "type": "directory",
        "path": posixpath.join(found.record.root_path, folder.path).rstrip("/") or "/",
        "files": folder.files,
        "line_count": folder.lines,
        "byte_size": folder.size_bytes,
        "left_out": folder.left_out,
        "languages": dict(folder.languages),
        "content": dict(folder.classes),
        "symbol_count": sum(folder.kinds.values()),
        "public_count": folder.public_count,
        "kinds": dict(folder.kinds),
        "most_imported": dict(folder.most_imported),
        "entries": entries[:_MOST_ENTRIES],
    }
    if len(entries) > _MOST_ENTRIES:
        answer["more_entries"] = len(entries) - _MOST_ENTRIES
    told = {
        "about": folder.about,
        "entry_points": list(found.entry_points),
        "test_commands": list(folder.test_commands),
    }
    told = {name: value for name, value in told.items() if value}
    return {**answer, **told, **quoted(told)}


OPERATION = Operation(
    name="summarize",
    title="Summarize",
    arguments=Arguments,
    run=summarize,
    shape=_answer,
    answer=OneFile | Files | OneFolder | OneSymbol,
    toolset="navigate",
    order=4,
    about_indexes=True,
    minimal=True,
    command=Command(
        name="summarize",
        help="""Summarize a file, a folder, several files or a definition, without reading them.

        A glob summarizes its first 30 files. A word that is neither a file nor a folder names a definition.
        """,
    ),
    aliases=(
        Alias(name="get_file_summary", program="indxr"),
        Alias(name="batch_file_summaries", program="indxr", parameters={"glob": "path"}),
        Alias(name="get_file_context", program="indxr", means={"include": ["context"]}),
        Alias(name="get_public_api", program="indxr", means={"scope": "public"}),
    ),
)
