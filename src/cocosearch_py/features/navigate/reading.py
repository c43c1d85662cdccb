"""Code as it is on disk: files, lines, and definitions by name."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from msgspec import structs

from cocosearch_py.errors import NotFoundError, NotIndexedError, SafetyError, ValidationError
from cocosearch_py.features.navigate.answers import CodePart, Missing, OnePart, SeveralParts
from cocosearch_py.features.navigate.arguments import MAX_EXPAND, ReadCodeArguments
from cocosearch_py.model import code
from cocosearch_py.model.code import CodeReport, CodeRequest, CodeTarget, NotFound
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at

_MAX_TARGETS = 20
_MAX_TARGET_CHARS = 2_000
_REVISION = re.compile(r"[\w@][\w./@^~{}+-]{0,199}", re.ASCII)
_SHOWN_CHARS = 200  # of a target that is not there


class Line(NamedTuple):
    """A line of a part, both by their numbers."""

    part: int
    number: int
    text: str


def read_code(call: Call, asked: ReadCodeArguments) -> Shrinkable[Line, OnePart | SeveralParts]:
    """Read parts of files, in the order in which they are asked for.

    Raises:
        ValidationError: there is nothing to read, or a target cannot be one.
        NotFoundError, SafetyError: the only target is not there, or may not be read.
    """
    bounded = Bounded()
    targets = _targets(asked)
    found, revision = _found(call, asked.rev or None)
    record, place = found.records[0], call.selection.place
    request = CodeRequest(
        targets=tuple(targets[:_MAX_TARGETS]),
        folder=str(place.folders[0]) if place else None,
        inside=inside(found, asked.member).folder,
        expand=bounded.value("expand", asked.expand, 0, MAX_EXPAND),
        collapse=asked.collapse,
        compact=asked.compact,
        rev=revision,
        known_hash=(asked.if_hash or "").removeprefix("unchanged:") or None,
        max_file_bytes=found.app.settings.indexing.max_file_size_kb * 1024,
    )
    bounded.value("max_tokens", asked.max_tokens, 200, 20_000)
    report = call.look(found.app, record, lambda: found.app.navigation.read_code(request, record))
    warnings = [*bounded.notes, *found.remarks, *([report.stale] if report.stale else ())]
    if len(targets) > _MAX_TARGETS:
        warnings.append(f"{_MAX_TARGETS} of {len(targets)} targets were read; ask for the others separately")
    is_several = len(targets) > 1 or len(report.parts) > 1
    if not is_several and report.missing:
        raise _refusal(report.missing[0])
    if not is_several and not report.parts:
        raise NotFoundError("the file is no longer on disk", hint="list_files shows the files")
    lines = [Line(index, *line) for index, part in enumerate(report.parts) for line in part.lines]
    shape = _Shape(record, report, asked.rev or "", is_several, tuple(warnings))
    return Shrinkable(lines, shape.build)


def _found(call: Call, revision: str | None) -> tuple[Found, str | None]:
    """Return the index to read, and the revision if git's objects are to be read beside the folder's index."""
    try:
        return found_at(call, revision, only_cheap=True), None
    except NotIndexedError:
        if revision is None:
            raise
        return call.find(), revision


def _targets(asked: ReadCodeArguments) -> list[CodeTarget]:
    """Return the parts that are asked for, in order.

    Raises:
        ValidationError: there is none, or one cannot be a target.
    """
    _check(asked)
    names = [*([asked.symbol] if asked.symbol else ()), *(asked.symbols or ())]
    path = asked.path or None
    if (asked.start_line is not None or asked.end_line is not None) and (path is None or names):
        raise ValidationError("lines need a path and no symbol", hint="pass path, start_line and end_line")
    targets = [CodeTarget(f"{path}#{name}" if path else name, path, name) for name in names]
    if path is not None and not names:
        targets.append(CodeTarget(path, path, start=asked.start_line, end=asked.end_line))
    targets += [CodeTarget(text, text) for text in asked.targets or () if text]
    if not targets:
        raise ValidationError("nothing to read", hint="pass path, symbol or targets")
    for target in targets:
        if not is_text(target.text) or len(target.text) > _MAX_TARGET_CHARS:
            raise ValidationError(
                f"a target contains an invalid character or has more than {_MAX_TARGET_CHARS:,} characters",
                hint="pass paths as answers show them",
            )
    return targets


def _check(asked: ReadCodeArguments) -> None:
    if any(line is not None and line < 1 for line in (asked.start_line, asked.end_line)):
        raise ValidationError("lines count from 1", hint="pass start_line and end_line of at least 1")
    if asked.start_line is not None and asked.end_line is not None and asked.start_line > asked.end_line:
        raise ValidationError("start_line is after end_line", hint="pass the smaller number as start_line")
    if asked.rev and not _REVISION.fullmatch(asked.rev):
        raise ValidationError(f"'{asked.rev[:60]}' is not a valid revision", hint="pass a branch, a tag or a commit")


def _refusal(missing: NotFound) -> SafetyError | NotFoundError:
    reason = f"{missing.text[:_SHOWN_CHARS]} {missing.why}"
    if missing.is_refused:
        return SafetyError(reason, hint="only indexed files can be read; index_status with check_files shows why")
    near = ", ".join(missing.near)
    hint = f"did you mean {near}?" if near else "list_files and find_symbol show what is indexed"
    details = {"target": missing.text[:_SHOWN_CHARS], "near": list(missing.near)}
    return NotFoundError(reason, hint=hint, details=details)


class _Shape(NamedTuple):
    """The answer to a call, but for the lines that it has room for."""

    record: IndexRecord
    report: CodeReport
    revision: str
    is_several: bool
    warnings: tuple[str, ...]

    def build(self, lines: Sequence[Line]) -> OnePart | SeveralParts:
        """Make the answer of the first lines; it names the targets that read the rest."""
        shown: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for index, number, text in lines:
            shown[index].append((number, text))
        parts, rests, limits = [], [], [0]
        for index, whole in enumerate(self.report.parts):
            kept = shown[index]
            is_whole = len(kept) == len(whole.lines)
            rest = whole.rest if is_whole else whole.lines[len(kept)][0]
            if is_whole and whole.limit is not None:
                limits.append(whole.limit)
            if rest is not None:
                rests.append(f"{whole.path}:{rest}-{whole.end_line}")
            if kept or whole.is_known:
                parts.append(_part(self.record, replace(whole, lines=tuple(kept), rest=rest)))
        notes: dict[str, Any] = {
            "rev": self.revision,
            "truncated": bool(rests),
            "line_limit": max(limits),
            "next_targets": tuple(rests),
            "note": QUOTED if lines else "",
            "warnings": (*self.warnings, *self._cut_line(lines)),
        }
        if self.is_several:
            return SeveralParts(symbols=tuple(parts), not_found=tuple(map(_missing, self.report.missing)), **notes)
        return OnePart(**structs.asdict(parts[0]), **notes)

    def _cut_line(self, lines: Sequence[Line]) -> list[str]:
        """Return a warning if the first line was too long."""
        if not lines or lines[0].text == self.report.parts[lines[0].part].lines[0][1]:
            return []
        return [f"line {lines[0].number} does not fit into max_tokens and is cut"]


def _part(record: IndexRecord, part: code.CodePart) -> CodePart:
    path = posixpath.join(record.root_path, part.path)
    if part.is_known:
        return CodePart(file_path=path, hash=part.hash, status=f"unchanged:{part.hash}")
    return CodePart(
        file_path=path,
        hash=part.hash,
        language=part.language_id,
        start_line=part.start_line,
        end_line=part.end_line if part.rest is None else part.rest - 1,
        line_count=part.line_count,
        kind=part.kind or "",
        name=part.name or "",
        stale=part.stale or "",
        read_from="index" if part.is_old else "",
        source="\n".join(text for _, text in part.lines),
    )


def _missing(missing: NotFound) -> Missing:
    return Missing(target=missing.text[:_SHOWN_CHARS], reason=missing.why, did_you_mean=missing.near)
