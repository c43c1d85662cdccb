"""Summaries of files, folders and definitions."""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import UNSET, structs

from cocosearch_py.app import App
from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.navigate.answers import (
    Absent,
    Declaration,
    FolderEntry,
    OneFile,
    OneFolder,
    OneOfSeveral,
    OneSymbol,
    SeveralFiles,
    SummarizedFile,
)
from cocosearch_py.features.navigate.arguments import (
    ExplainSymbolArguments,
    Scope,
    SummarizeArguments,
    SummaryExtra,
)
from cocosearch_py.features.navigate.explanations import explain_symbol
from cocosearch_py.graph.testing import RelatedRequest
from cocosearch_py.model.code import NotFound
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import Folder
from cocosearch_py.model.paths import is_text
from cocosearch_py.model.summaries import Declared, FileSummary, FolderSummary, SummaryReport, SummaryRequest
from cocosearch_py.tools.answer import Shrinkable, tabled
from cocosearch_py.tools.answers import QUOTED, definition_item, timestamp
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.entries import entry_points
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.naming import MAX_NAME_CHARS

_MAX_PATHS = 30
_MAX_PATH_CHARS = 2_000
_SHOWN_CHARS = 200
_MAX_MEMBERS = 30  # that are named of a definition
_MAX_IMPORTS = 40
_MAX_DEFINED = 20  # of each of several files
_MAX_ENTRIES = 40
_MAX_TESTS = 10  # files of tests that are named of a file
_MAX_PROGRAMS = 5
_WILDCARDS = frozenset("*?[{")
_NS = 1_000_000_000


def summarize(
    call: Call, asked: SummarizeArguments
) -> Shrinkable[Declaration, OneFile] | Shrinkable[OneOfSeveral, SeveralFiles] | OneFolder | OneSymbol:
    """Summarize a file, several files, a folder, or the definitions of a name.

    Raises:
        ValidationError: a path cannot be one, or a choice is unknown.
        NotFoundError, SafetyError: there is no such file or name, or it may not be read.
    """
    texts, notes = _texts(asked)
    bounded = Bounded(notes)
    bounded.value("max_tokens", asked.max_tokens, 200, 20_000)
    index = Index.of(call, asked.member)
    place = call.selection.place
    request = SummaryRequest(
        paths=tuple(text if text and _is_name(text) else index.member.path(text) for text in texts),
        folder=str(place.folders[0]) if place else None,
        public_only=asked.scope == "public",
        context=_with_context(asked),
    )
    report = index.ask(lambda record: index.app.navigation.summarize(request, record))
    if len(report.missing) == len(texts) == 1:
        return _symbol(call, asked, request.paths[0], report.missing[0])
    warnings = (*notes, *index.warnings(report))
    if report.folder is not None:
        return _folder(index, report.folder, warnings)
    if not report.files and not report.missing:
        raise NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    several = asked.paths is not None or report.total > 1 or bool(_WILDCARDS & set("".join(request.paths)))
    if several or not report.files:
        return _files(index, report, asked, warnings)
    return _file(index, report.files[0], asked, warnings)


def _texts(asked: SummarizeArguments) -> tuple[list[str], list[str]]:
    """Return the paths or names to summarize, and notes.

    Raises:
        ValidationError: a path cannot be one, or a choice is unknown.
    """
    choice("scope", asked.scope, Scope)
    for extra in asked.include or ():
        choice("include", extra, SummaryExtra)
    texts = [asked.path] if asked.paths is None else [*([asked.path] if asked.path else []), *asked.paths]
    texts = [(text or "").strip() for text in texts] or [""]
    if not all(is_text(text) and len(text) <= _MAX_PATH_CHARS for text in texts):
        raise ValidationError(
            f"a path contains an invalid character or has more than {_MAX_PATH_CHARS:,} characters",
            hint="pass paths as answers show them",
        )
    if len(texts) <= _MAX_PATHS:
        return texts, []
    return texts[:_MAX_PATHS], [f"{_MAX_PATHS} of {len(texts)} paths are summarized; ask for the others separately"]


def _is_name(text: str) -> bool:
    """Whether a text names a symbol rather than a file."""
    return not {"/", "."} & set(text) and not _WILDCARDS & set(text)


def _with_context(asked: SummarizeArguments) -> bool:
    return bool(asked.include)


def _symbol(call: Call, asked: SummarizeArguments, name: str, missing: NotFound) -> OneSymbol:
    """Explain the definitions of a name that is no path."""
    is_path = "/" in name and "#" not in name
    if missing.is_refused or is_path or len(name) > MAX_NAME_CHARS:
        raise _refusal(missing, ())
    explained = explain_symbol(call, ExplainSymbolArguments(name=name, member=asked.member)).whole
    if not explained.total:
        raise _refusal(missing, explained.did_you_mean)
    return OneSymbol(type="symbol", **structs.asdict(explained))


def _refusal(missing: NotFound, names: Sequence[str]) -> SafetyError | NotFoundError:
    reason = f"{missing.text[:_SHOWN_CHARS]} {missing.why}"
    if missing.is_refused:
        return SafetyError(reason, hint="index_status with check_files shows why")
    near = ", ".join((*missing.near, *names))
    hint = f"did you mean {near}?" if near else "list_files and find_symbol show what is indexed"
    return NotFoundError(reason, hint=hint)


def _file(
    index: Index, file: FileSummary, asked: SummarizeArguments, warnings: tuple[str, ...]
) -> Shrinkable[Declaration, OneFile]:
    whole = OneFile(
        type="file",
        root=index.root,
        **structs.asdict(_figures(index, file, index.absolute(file.path), asked)),
        modified=timestamp(datetime.fromtimestamp(file.mtime_ns // _NS, UTC)),
        content_class=UNSET if file.content_class is None else file.content_class,
        parse_status=UNSET if file.parse_status is None else file.parse_status,
    )
    items = [_declaration(one) for one in file.declarations]

    def build(shown: Sequence[Declaration]) -> OneFile:
        left = len(items) - len(shown)
        more = [f"{left} more definitions: outline_file, or a higher max_tokens, shows them"] if left else []
        return structs.replace(
            whole,
            **(tabled(shown) if asked.compact else {"declarations": tuple(shown)}),
            truncated=left > 0,
            note=QUOTED if shown or file.about else "",
            warnings=(*warnings, *more),
        )

    return Shrinkable(items, build)


def _declaration(declared: Declared) -> Declaration:
    return Declaration(
        **definition_item(declared),
        members=declared.members[:_MAX_MEMBERS],
        more_members=max(0, len(declared.members) - _MAX_MEMBERS),
    )


def _files(
    index: Index, report: SummaryReport, asked: SummarizeArguments, warnings: tuple[str, ...]
) -> Shrinkable[OneOfSeveral, SeveralFiles]:
    items = [
        OneOfSeveral(
            **structs.asdict(_figures(index, file, file.path, asked)),
            defines=_limited([_defined(one, asked) for one in file.declarations], _MAX_DEFINED),
        )
        for file in report.files
    ]

    def build(shown: Sequence[OneOfSeveral]) -> SeveralFiles:
        return SeveralFiles(
            type="files",
            root=index.root,
            files=tuple(shown),
            count=len(shown),
            total_matched=report.total,
            not_found=tuple(Absent(path=one.text[:_SHOWN_CHARS], reason=one.why) for one in report.missing),
            truncated=len(shown) < report.total,
            note=QUOTED if shown else "",
            warnings=warnings,
        )

    return Shrinkable(items, build)


def _defined(declared: Declared, asked: SummarizeArguments) -> str:
    lines = f"{declared.start_line}-{declared.end_line}"
    return f"{lines} {declared.signature}" if asked.scope == "public" else f"{declared.kind} {declared.name}:{lines}"


def _figures(index: Index, file: FileSummary, path: str, asked: SummarizeArguments) -> SummarizedFile:
    tests = _tests(index.app, index.record, file, asked)
    return SummarizedFile(
        path=path,
        language=file.language_id,
        line_count=file.line_count,
        byte_size=file.size_bytes,
        symbol_count=sum(file.kinds.values()),
        public_count=file.public_count,
        kinds=dict(file.kinds),
        has_tests=bool(tests),
        imported_by=file.imported_by,
        imports=_limited(file.imports, _MAX_IMPORTS),
        importers=file.importers,
        tests=tuple(test for test in tests if test != file.path) if _with_context(asked) else (),
        siblings=file.siblings,
        about=file.about,
    )


def _limited(texts: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the first texts, and how many more there are."""
    more = len(texts) - limit
    return (*texts[:limit], f"... {more} more") if more > 0 else tuple(texts)


def _tests(app: App, record: IndexRecord, file: FileSummary, asked: SummarizeArguments) -> list[str]:
    """Return the files of tests that find_tests finds for a file, best first; a file of tests is one of its own."""
    own = [file.path] if file.content_class == "tests" else []
    if own and not _with_context(asked):
        return own
    report = app.graphs.find_tests(RelatedRequest(files=(file.path,), limit=_MAX_TESTS), record)
    return list(dict.fromkeys([*own, *(test.path for test in report.tests)]))


def _folder(index: Index, folder: FolderSummary, warnings: tuple[str, ...]) -> OneFolder:
    programs = (*folder.programs, *entry_points(index.app, index.record, folder.path, _MAX_PROGRAMS))
    return OneFolder(
        type="directory",
        root=index.root,
        path=index.absolute(folder.path).rstrip("/") or "/",
        files=folder.files,
        line_count=folder.lines,
        byte_size=folder.size_bytes,
        left_out=folder.left_out,
        languages=dict(folder.languages),
        content=dict(folder.classes),
        symbol_count=sum(folder.kinds.values()),
        public_count=folder.public_count,
        kinds=dict(folder.kinds),
        most_imported=dict(folder.most_imported),
        entries=tuple(map(_folder_entry, folder.entries[:_MAX_ENTRIES])),
        more_entries=max(0, len(folder.entries) - _MAX_ENTRIES),
        about=folder.about,
        entry_points=programs,
        test_commands=folder.test_commands,
        note=QUOTED if folder.about or programs or folder.test_commands else "",
        warnings=warnings,
    )


def _folder_entry(entry: Folder) -> FolderEntry:
    name = entry.inner[-1] if entry.inner else ""
    if entry.is_folder:
        return FolderEntry(name=f"{name}/", files=entry.files, line_count=entry.lines)
    return FolderEntry(name=name, line_count=entry.lines)
