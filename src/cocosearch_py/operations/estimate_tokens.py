"""`estimate_tokens`, `cocosearch-py tokens`: what it costs to read a file, a definition, or files of a folder."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.operations import summarize
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.sizes import GLOBS
from cocosearch_py.tools.tokens import count_tokens
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.code import SourcesReport, SourceText

_MAX_CHARS = 2_000
_SHOWN_CHARS = 200
_WORTH = 2  # a summary is worth its tokens where the file costs so many times as much


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of estimate_tokens."""

    path: Annotated[
        str | None,
        About("File"),
        Flag(metavar="PATH", type=str | None, default=None, help="Indexed file or folder."),
    ] = None
    symbol: Annotated[
        str | None,
        About("Definition in path"),
        Flag(names=("--symbol",), metavar="NAME", help="Count only this definition of the file."),
    ] = None
    directory: Annotated[
        str | None,
        About("Instead of path: all files in a folder"),
        Flag(names=("--directory",), metavar="FOLDER", help="Count all files in this folder."),
    ] = None
    glob: Annotated[
        str | None,
        About("Instead of path: all matching files"),
        GLOBS,
        Flag(names=("--glob",), metavar="GLOB", help="Count all files that match."),
    ] = None
    index_name: given.IndexName = None
    member: given.Member = None


class FileTokens(TypedDict):
    """A file; the path is relative to `root`."""

    file: str
    tokens: Count
    lines: Count


class OneFile(TypedDict):
    """A file, and what its summary costs instead."""

    file: str
    full_file_tokens: Count
    full_file_lines: Count
    summary_tokens: Count
    declaration_count: Count
    recommendation: str
    warnings: NotRequired[list[str]]


class OneSymbol(TypedDict):
    """A definition, and what reading it alone saves."""

    file: str
    symbol: str
    symbol_tokens: Count
    symbol_lines: Count
    full_file_tokens: Count
    full_file_lines: Count
    savings: str
    warnings: NotRequired[list[str]]


class Several(TypedDict):
    """Files, those with most tokens first; `is_estimate`: not all were counted, the total goes by their sizes."""

    root: str
    files: list[FileTokens]
    file_count: Count
    total_tokens: Count
    total_lines: Count
    is_estimate: bool
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """Texts of an index; of one file also the tokens of its summary."""

    record: IndexRecord
    report: "SourcesReport"
    is_several: bool
    summary_tokens: int
    warnings: tuple[str, ...]


def estimate_tokens(call: Call, asked: Arguments) -> Estimated:
    """Estimate the tokens needed to read a file, a definition or a folder, and suggest cheaper ways."""
    from cocosearch_py.tools.jsontext import to_json

    _check(asked)
    found = call.find()
    record, place, navigation = found.records[0], call.selection.place, found.app.navigation
    folder = str(place.folders[0]) if place else None
    member = inside(found, asked.member)
    path, directory, glob = (
        None if text is None else member.path(text) for text in (asked.path, asked.directory, asked.glob)
    )
    is_folder = path is None
    if path is None:
        report = call.look(found.app, record, lambda: navigation.texts_below(directory, glob, folder, record))
    else:
        report = call.look(found.app, record, lambda: navigation.text_of_file(path, asked.symbol, folder, record))
        if report.missing is not None and not report.missing.is_refused and asked.symbol is None:
            below = call.look(found.app, record, lambda: navigation.texts_below(path, None, folder, record))
            if below.missing is None and below.files:  # The path is a folder.
                report, is_folder = below, True
    if report.missing is not None:
        told = f"{report.missing.text[:_SHOWN_CHARS]} {report.missing.why}"
        if report.missing.is_refused:
            raise SafetyError(told, hint="index_status with check_files shows why")
        near = ", ".join(report.missing.near)
        raise NotFoundError(told, hint=f"did you mean {near}?" if near else "list_files shows the files")
    if not report.files:
        raise NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    summary_tokens = 0
    if not is_folder and asked.symbol is None:
        wanted = summarize.Arguments(
            path=posixpath.join(record.root_path, report.files[0].path), index_name=asked.index_name
        )
        summary_tokens = count_tokens(to_json(summarize.OPERATION.shape(summarize.summarize(call, wanted), wanted)))
    warnings = remarks_on(call, found, [report.stale])
    return Estimated(record, report, is_folder, summary_tokens, tuple(warnings))


def _check(asked: Arguments) -> None:
    given_ = [text for text in (asked.path, asked.directory, asked.glob) if text is not None]
    if len(given_) != 1 or (asked.symbol is not None and asked.path is None):
        raise ValidationError(
            "give exactly one of path, directory and glob; symbol needs path", hint="pass just one of them"
        )
    if not all(is_text(text) and len(text) <= _MAX_CHARS for text in (*given_, asked.symbol or "")):
        raise ValidationError(
            f"a value contains an invalid character or has more than {_MAX_CHARS:,} characters",
            hint="pass a shorter text",
        )


def _answer(found: Estimated, asked: Arguments) -> Json:
    if found.is_several:
        return _several(found)
    file = found.report.files[0]
    answer = _file(found, file) if asked.symbol is None else _symbol(found, file)
    return {**answer, "warnings": list(found.warnings)} if found.warnings else answer


def _file(found: Estimated, file: "SourceText") -> Json:
    full, summary = count_tokens(file.text), found.summary_tokens
    if file.definitions and full > _WORTH * summary:
        told = f"summarize (~{summary} tokens) instead of the whole file (~{full}); read_code reads single definitions"
    else:
        told = f"read the whole file (~{full} tokens): its summary costs ~{summary}"
    return {
        "file": posixpath.join(found.record.root_path, file.path),
        "full_file_tokens": full,
        "full_file_lines": file.line_count,
        "summary_tokens": summary,
        "declaration_count": len(file.definitions),
        "recommendation": told,
    }


def _symbol(found: Estimated, file: "SourceText") -> Json:
    lines = file.text.split("\n")
    # All of those that have the name: they are read together.
    tokens = sum(count_tokens("\n".join(lines[first - 1 : last])) for _, first, last in file.definitions)
    full = count_tokens(file.text)
    saved = max(0, full - tokens)
    return {
        "file": posixpath.join(found.record.root_path, file.path),
        "symbol": file.definitions[0][0],
        "symbol_tokens": tokens,
        "symbol_lines": sum(last - first + 1 for _, first, last in file.definitions),
        "full_file_tokens": full,
        "full_file_lines": file.line_count,
        "savings": f"read_code saves ~{saved} tokens ({100 * saved // full if full else 0}% reduction)",
    }


def _several(found: Estimated) -> Json:
    report = found.report
    items = [{"file": one.path, "tokens": count_tokens(one.text), "lines": one.line_count} for one in report.files]
    items.sort(key=lambda one: (-cast("int", one["tokens"]), one["file"]))
    counted = sum(cast("int", one["tokens"]) for one in items)
    is_estimate = len(items) < report.total
    if is_estimate:
        read_bytes = sum(len(one.text.encode()) for one in report.files)
        counted = round(counted * report.total_bytes / max(1, read_bytes))

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {
            "root": found.record.root_path,
            "files": list(kept),
            "file_count": report.total,
            "total_tokens": counted,
            "total_lines": report.total_lines,
            "is_estimate": is_estimate,
        }
        if len(kept) < report.total:
            answer["truncated"] = True
        return {**answer, "warnings": list(found.warnings)} if found.warnings else answer

    return cast("Json", fit(items, build))


OPERATION = Operation(
    name="estimate_tokens",
    title="Estimate tokens",
    arguments=Arguments,
    run=estimate_tokens,
    shape=_answer,
    answer=OneFile | OneSymbol | Several,
    toolset="navigate",
    order=8,
    listed=False,
    about_indexes=True,
    command=Command(
        name="tokens", help="Estimate the tokens that an agent needs to read a file, a definition or a folder."
    ),
    aliases=(Alias(name="get_token_estimate", program="indxr"),),
)
