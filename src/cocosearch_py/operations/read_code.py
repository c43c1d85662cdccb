"""`read_code`, `cocosearch-py read`: the text of files, of lines, of definitions by name."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, NotIndexedError, SafetyError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at

if TYPE_CHECKING:
    from cocosearch_py.model.code import CodePart, CodeReport, CodeTarget, NotFound

MAX_TARGETS = 20
MAX_EXPAND = 50
DEFAULT_TOKENS = 8_000
EXIT_NOT_FOUND = 1
_MAX_TARGET_CHARS = 2_000
_REV = re.compile(r"[\w@][\w./@^~{}+-]{0,199}", re.ASCII)
_SHOWN_CHARS = 200  # of a target that is not there


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of read_code."""

    path: Annotated[str | None, About("File, file:10-40, file#Class.method, or a definition's name")] = None
    symbol: Annotated[str | None, About("Name of a definition"), UNLISTED] = None
    start_line: Annotated[int | None, About("First line")] = None
    end_line: Annotated[int | None, About("Last line, inclusive")] = None
    targets: Annotated[
        list[str] | None,
        About("Several, written like path"),
        Flag(
            metavar="TARGET...",
            type=given.Texts,
            default=None,
            help="FILE, FILE:10-40, FILE#Class.method, NAME, or N for result N of the last search. "
            "Write ./N for a file named N.",
        ),
    ] = None
    symbols: Annotated[list[str] | None, About("Several definitions"), UNLISTED] = None
    expand: Annotated[
        int,
        About("Extra lines around each, 0-50"),
        UNLISTED,
        Flag(
            names=("-C", "--expand"),
            metavar="N",
            minimum=0,
            maximum=MAX_EXPAND,
            help="Extra lines to show around each (0–50).",
        ),
    ] = 0
    collapse: Annotated[
        bool,
        About("Leave out function bodies"),
        Flag(names=("--collapse",), help="Leave out function bodies."),
    ] = False
    compact: Annotated[
        bool, About("Leave out empty lines"), UNLISTED, Flag(names=("--compact",), help="Leave out empty lines.")
    ] = False
    if_hash: Annotated[
        str | None,
        About("hash from an earlier answer; `unchanged:<hash>` is returned while the file has it"),
        UNLISTED,
        Flag(names=("--if-hash",), metavar="HASH", help="Print `unchanged` if the file still has this hash."),
    ] = None
    rev: Annotated[
        str | None,
        About("Branch, tag or commit to read, without a checkout; HEAD: the files on disk"),
        UNLISTED,
        Flag(
            names=("--rev",),
            metavar="REV",
            help="Read from this branch, tag or commit, without a checkout. HEAD means the files on disk.",
        ),
    ] = None
    max_tokens: given.MaxTokens = DEFAULT_TOKENS
    index_name: given.IndexName = None
    member: given.Member = None


class Part(TypedDict):
    """Lines of a file; `source` holds those from `start_line` to `end_line`, or `status` is `unchanged:<hash>`."""

    file_path: str
    hash: str
    language: NotRequired[str]
    start_line: NotRequired[Count]
    end_line: NotRequired[Count]
    line_count: NotRequired[Count]
    kind: NotRequired[str]
    name: NotRequired[str]
    stale: NotRequired[str]
    read_from: NotRequired[str]
    status: NotRequired[str]
    source: NotRequired[str]


class Missing(TypedDict):
    """What was asked for and is not there."""

    target: str
    reason: str
    did_you_mean: NotRequired[list[str]]


class One(Part):
    """A part; what did not fit is read with `next_targets`."""

    rev: NotRequired[str]
    truncated: NotRequired[bool]
    line_limit: NotRequired[Count]
    next_targets: NotRequired[list[str]]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class Several(TypedDict):
    """Several parts."""

    rev: NotRequired[str]
    symbols: list[Part]
    not_found: list[Missing]
    truncated: NotRequired[bool]
    line_limit: NotRequired[Count]
    next_targets: NotRequired[list[str]]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class CodeFound:
    """What was read in an index; `is_several` when several parts were asked for."""

    record: IndexRecord
    report: "CodeReport"
    is_several: bool
    warnings: tuple[str, ...]


def read_code(call: Call, asked: Arguments) -> CodeFound:
    """Read only the lines or definitions you need, by path, lines or name, instead of whole files.

    Line numbers match the disk, even right after an edit.
    """
    from cocosearch_py.model.code import CodeRequest

    bounded = Bounded()
    targets = _targets(asked)
    found, rev = _found(call, asked.rev or None)
    record, place = found.records[0], call.selection.place
    request = CodeRequest(
        targets=tuple(targets[:MAX_TARGETS]),
        folder=str(place.folders[0]) if place else None,
        inside=inside(found, asked.member).folder,
        expand=bounded.value("expand", asked.expand, 0, MAX_EXPAND),
        collapse=asked.collapse,
        compact=asked.compact,
        rev=rev,
        known_hash=(asked.if_hash or "").removeprefix("unchanged:") or None,
        max_file_bytes=found.app.settings.indexing.max_file_size_kb * 1024,
    )
    bounded.value("max_tokens", asked.max_tokens, 200, 20_000)
    report = call.look(found.app, record, lambda: found.app.navigation.read_code(request, record))
    told = [*bounded.notes, *found.remarks, *([report.stale] if report.stale else ())]
    if len(targets) > MAX_TARGETS:
        told.append(f"{MAX_TARGETS} of {len(targets)} targets were read; ask for the others separately")
    is_several = len(targets) > 1 or len(report.parts) > 1
    if not is_several and report.missing:
        raise _refusal(report.missing[0])
    if not is_several and not report.parts:
        raise NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    return CodeFound(record, report, is_several, tuple(told))


def _found(call: Call, rev: str | None) -> tuple[Found, str | None]:
    """The index to read in; and the revision, if that is to be read from git's objects beside the folder's index."""
    try:
        return found_at(call, rev, only_cheap=True), None
    except NotIndexedError:
        if rev is None:
            raise
        return call.find(), rev


def _targets(asked: Arguments) -> "list[CodeTarget]":
    """What is asked for, in order.

    Raises:
        ValidationError: nothing, or what cannot be.
    """
    from cocosearch_py.model.code import CodeTarget

    names = [*([asked.symbol] if asked.symbol else ()), *(asked.symbols or ())]
    path = asked.path or None
    if any(line is not None and line < 1 for line in (asked.start_line, asked.end_line)):
        raise ValidationError("lines count from 1", hint="pass start_line and end_line of at least 1")
    if asked.start_line is not None and asked.end_line is not None and asked.start_line > asked.end_line:
        raise ValidationError("start_line is after end_line", hint="pass the smaller number as start_line")
    is_range = asked.start_line is not None or asked.end_line is not None
    if is_range and (path is None or names):
        raise ValidationError("lines need a path and no symbol", hint="pass path, start_line and end_line")
    found = [CodeTarget(f"{path}#{name}" if path else name, path, name) for name in names]
    if path is not None and not names:
        found.append(CodeTarget(path, path, start=asked.start_line, end=asked.end_line))
    found += [CodeTarget(text, text) for text in asked.targets or () if text]
    if asked.rev and not _REV.fullmatch(asked.rev):
        raise ValidationError(f"'{asked.rev[:60]}' is not a valid revision", hint="pass a branch, a tag or a commit")
    if not found:
        raise ValidationError("nothing to read", hint="pass path, symbol or targets")
    for target in found:
        if not is_text(target.text) or len(target.text) > _MAX_TARGET_CHARS:
            raise ValidationError(
                f"a target contains an invalid character or has more than {_MAX_TARGET_CHARS:,} characters",
                hint="pass paths as answers show them",
            )
    return found


def _refusal(missing: "NotFound") -> SafetyError | NotFoundError:
    told = f"{missing.text[:_SHOWN_CHARS]} {missing.why}"
    if missing.is_refused:
        return SafetyError(told, hint="only indexed files can be read; index_status with check_files shows why")
    near = ", ".join(missing.near)
    hint = f"did you mean {near}?" if near else "list_files and find_symbol show what is indexed"
    return NotFoundError(told, hint=hint, details={"target": missing.text[:_SHOWN_CHARS], "near": list(missing.near)})


def _answer(found: CodeFound, asked: Arguments) -> Json:
    parts = found.report.parts
    lines = [(at, number, text) for at, part in enumerate(parts) for number, text in part.lines]
    return cast("Json", fit(lines, lambda kept: _built(found, asked, kept), asked.max_tokens))


def _built(found: CodeFound, asked: Arguments, kept: Sequence[Any]) -> Json:
    """The answer with these of its lines, as (number of the part, number of the line, text)."""
    shown: dict[int, list[tuple[int, str]]] = {}
    for at, number, text in kept:
        shown.setdefault(at, []).append((number, text))
    items, following, limits = [], [], []
    for at, whole in enumerate(found.report.parts):
        lines = shown.get(at, [])
        is_whole = len(lines) == len(whole.lines)
        rest = whole.rest if is_whole else whole.lines[len(lines)][0]
        if is_whole and whole.limit is not None:
            limits.append(whole.limit)
        if rest is not None:
            following.append(f"{whole.path}:{rest}-{whole.end_line}")
        if lines or whole.is_known:
            items.append(_item(found.record, replace(whole, lines=tuple(lines), rest=rest)))
    rev: Json = {"rev": asked.rev} if asked.rev else {}
    answer: Json = {**rev, "symbols": items, "not_found": list(map(_missing, found.report.missing))}
    if not found.is_several:
        answer = {**rev, **items[0]} if items else {}
    answer |= quoted(kept)
    if following:
        answer |= {"truncated": True, **({"line_limit": max(limits)} if limits else {}), "next_targets": following}
    warnings = list(found.warnings)
    if kept and kept[0][2] != found.report.parts[kept[0][0]].lines[0][1]:
        warnings.append(f"line {kept[0][1]} does not fit into max_tokens and is cut")
    if warnings:
        answer["warnings"] = warnings
    return answer


def _item(record: IndexRecord, part: "CodePart") -> Json:
    item: Json = {"file_path": posixpath.join(record.root_path, part.path), "hash": part.hash}
    if part.is_known:
        return {**item, "status": f"unchanged:{part.hash}"}
    item |= {
        "language": part.language_id,
        "start_line": part.start_line,
        "end_line": part.end_line if part.rest is None else part.rest - 1,
        "line_count": part.line_count,
    }
    extras = {"kind": part.kind, "name": part.name, "stale": part.stale, "read_from": "index" if part.is_old else None}
    item |= {name: value for name, value in extras.items() if value is not None}
    return {**item, "source": "\n".join(text for _, text in part.lines)}


def _missing(one: "NotFound") -> Json:
    item: Json = {"target": one.text[:_SHOWN_CHARS], "reason": one.why}
    return {**item, "did_you_mean": list(one.near)} if one.near else item


OPERATION = Operation(
    name="read_code",
    title="Read code",
    arguments=Arguments,
    run=read_code,
    shape=_answer,
    answer=One | Several,
    toolset="navigate",
    order=3,
    about_indexes=True,
    minimal=True,
    command=Command(
        name="read",
        help="""Print files, lines of files, or definitions by name.

        Only indexed files are read: from disk, or as indexed if they are not on disk.
        """,
        exit_code=lambda found, _: EXIT_NOT_FOUND if found.report.missing else 0,
    ),
    aliases=(
        Alias(name="read_source", program="indxr"),
        Alias(name="read", program="indxr, Lexa", parameters={"line_start": "start_line", "line_end": "end_line"}),
    ),
)
