"""Format of exported pages, which people read and git compares: rendering and parsing of files. Pure.

The same wiki gives the same bytes. A file has its page's front matter, text, and notes as sections at its end.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, NoReturn

import yaml

from cocosearch_py.features.wiki.markup import INDEX_FILE, Target, canonical, file_of, page_of, shown, to_markdown
from cocosearch_py.features.wiki.model import (
    PAGE_TYPES,
    Contradiction,
    Failure,
    NewContradiction,
    NewFailure,
    Page,
    Source,
    Version,
)
from cocosearch_py.features.wiki.naming import check_id

MARK = "<!-- cocosearch-py: notes -->"
_HEAD = re.compile(r"---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_DIGEST = re.compile(r"^file: (\w+)\n", re.MULTILINE)
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ITEM = re.compile(r"- ([a-z ]+): (.+)")
_LABEL = re.compile(r"\*\*([A-Z][a-z ]+)\*\*")
_FENCE = re.compile(r"(`{3,})text")
_CONTRADICTION, _FAILURE = "Contradiction", "Failure"
_TEXTS = {"symptom": "Symptom", "attempted_fix": "Attempted fix", "diagnosis": "Diagnosis", "actual_fix": "Actual fix"}


class FileError(ValueError):
    """A file that is not that of a page; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Kept:
    """A page with all its notes, in order."""

    page: Page
    failures: tuple[Failure, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePage:
    """A page as read from its file.

    Attributes:
        latest: its text is `to_markdown` of the page's.
        says: what the page said when the file was written; see `says_of`.
        intact: whether nobody changed the file since.
        text_line: the line on which the text begins.
    """

    latest: Version
    page_type: str
    says: str
    intact: bool
    text_line: int
    failures: tuple[Failure, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


def render(pages: Sequence[Kept]) -> dict[str, str]:
    """Return the texts of all files of a wiki, by name."""
    targets = targets_of(one.page for one in pages)
    files = {file_of(one.page.page_id): render_page(one, targets) for one in pages}
    return {INDEX_FILE: _index([one.page for one in pages]), **files}


def targets_of(pages: Iterable[Page]) -> dict[str, Target]:
    """Return the targets of links, by page."""
    return {page.page_id: Target(page.title, page.headings) for page in pages}


def render_page(kept: Kept, targets: Mapping[str, Target]) -> str:
    """Return the text of a page's file."""
    latest = kept.page.latest
    head = [
        f"id: {latest.page_id}",
        f"title: {_json(latest.title)}",
        f"type: {kept.page.page_type}",
        f"version: {latest.version}",
        f"author: {_json(latest.author)}",
        f"says: {says_of(latest, kept.page.page_type)}",
    ]
    if latest.sources:
        head += ["sources:", *(f"- {_source(one)}" for one in latest.sources)]
    body = f"\n{to_markdown(latest.content, latest.page_id, targets)}\n"
    notes = _notes(kept)
    if notes or f"\n{MARK}\n" in body:
        body += "\n".join((f"\n{MARK}", *notes, ""))
    return _sealed(head, body)


def says_of(version: Version, page_type: str) -> str:
    """Return a hash of a version that does not depend on the spelling of its links."""
    parts = [version.title, page_type, canonical(version.content), [[one.spelled, one.hash] for one in version.sources]]
    return _hash(json.dumps(parts, ensure_ascii=False))


def is_ours(text: str) -> bool:
    """Report whether a file came from a wiki."""
    head = _HEAD.match(text)
    return head is not None and _DIGEST.search(head[1]) is not None


def is_intact(text: str) -> bool:
    """Report whether a file from a wiki is unchanged."""
    head = _HEAD.match(text)
    seal = _DIGEST.search(head[1]) if head is not None else None
    return head is not None and seal is not None and seal[1] == _hash(_unsealed(head[1]) + text[head.end() :])


def parse_page(name: str, text: str) -> FilePage:
    """Parse the file of a page.

    Raises:
        FileError: it cannot be one.
    """
    head = _HEAD.match(text)
    if head is None:
        raise FileError(1, "the front matter is missing")
    found = _front_matter(head[1])
    body, notes = text[head.end() :], ""
    line = text.count("\n", 0, head.end()) + 1
    if (at := body.rfind(f"\n{MARK}\n")) >= 0:
        body, notes = body[:at], body[at + 1 :]
    if not body.startswith("\n") or not body.endswith("\n") or len(body) < 2:
        _wrong(line, "an empty line, the page's text and an empty line must follow")
    page_id = _text(found, head[1], "id")
    if page_of(name) != page_id:
        _wrong(_line_of(head[1], "id"), f"the file of page '{page_id}' must be named {file_of(page_id)}")
    if (page_type := _text(found, head[1], "type")) not in PAGE_TYPES:
        _wrong(_line_of(head[1], "type"), f"type must be one of {', '.join(PAGE_TYPES)}")
    version = found.get("version")
    if not isinstance(version, int) or not 1 <= version < 2**31:
        _wrong(_line_of(head[1], "version"), "version must be a number of at least 1")
    latest = Version(
        *(check_id(page_id), version, _text(found, head[1], "title"), body[1:-1], _sources(found, head[1])),
        *(_text(found, head[1], "author") if found.get("author") else "", "imported", datetime.now(UTC)),
    )
    marked = line + body.count("\n") + 1
    failures, contradictions = _read_notes(page_id, notes, marked)
    says = str(found.get("says", ""))
    return FilePage(latest, page_type, says, is_intact(text), line + 1, failures, contradictions)


def _index(pages: Sequence[Page]) -> str:
    lines = ["", "# Wiki"]
    for page_type in PAGE_TYPES:
        listed = sorted(
            (one for one in pages if one.page_type == page_type), key=lambda one: (one.title.casefold(), one.page_id)
        )
        if listed:
            lines += ["", f"## {page_type.capitalize()}", ""]
            lines += [f"- [{shown(one.title)}]({file_of(one.page_id)})" for one in listed]
    return _sealed(['title: "Wiki"'], "\n".join((*lines, "")))


def _sealed(head: Sequence[str], body: str) -> str:
    """Return a file whose front matter has a hash of all the rest."""
    front = "".join(f"{line}\n" for line in head)
    return f"---\n{front}file: {_hash(front + body)}\n---\n{body}"


def _unsealed(front: str) -> str:
    return _DIGEST.sub("", front, count=1)


def _source(one: Source) -> str:
    symbol = f", symbol: {_json(one.symbol)}" if one.symbol is not None else ""
    hashes = f', hash: "{one.hash}", file_hash: "{one.file_hash}", size: {one.size_bytes}' if one.hash else ""
    return f"{{path: {_json(one.path)}{symbol}{hashes}}}"


def _notes(kept: Kept) -> list[str]:
    lines: list[str] = []
    listed: tuple[tuple[str, Sequence[Contradiction | Failure]], ...] = (
        (_CONTRADICTION, kept.contradictions),
        (_FAILURE, kept.failures),
    )
    for kind, notes in listed:
        lines += ["", f"## {kind}s"] if notes else []
        for number, one in enumerate(notes, start=1):
            lines += ["", f"### {kind} {number}: {'resolved' if one.resolved_at else 'open'}", ""]
            lines += [f"- recorded: {_time(one.recorded_at)}", f"- by: {_json(one.author)}"]
            lines += [f"- resolved: {_time(one.resolved_at)}"] if one.resolved_at else []
            lines += _said(one.what)
    return lines


def _said(what: NewContradiction | NewFailure) -> list[str]:
    if isinstance(what, NewContradiction):
        named = [f"- source: {_json(what.source)}"] if what.source is not None else []
        return [*named, *_fenced("Description", what.description)]
    lines = [f"- source files: {_json(list(what.source_files))}"] if what.source_files else []
    for field, label in _TEXTS.items():
        if (text := getattr(what, field)) is not None:
            lines += _fenced(label, text)
    return lines


def _fenced(label: str, text: str) -> list[str]:
    """Return a text as code: it may be a traceback, which is not Markdown."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return ["", f"**{label}**", "", f"{fence}text", text, fence]


def _front_matter(text: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        _wrong((mark.line if mark else 0) + 2, f"the front matter cannot be read: {error.problem}")
    except (yaml.YAMLError, ValueError, RecursionError):
        _wrong(2, "the front matter cannot be read")
    if not isinstance(found, dict):
        _wrong(2, "the front matter has no keys")
    return found


def _text(found: Mapping[str, Any], front: str, name: str) -> str:
    value = found.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        _wrong(_line_of(front, name), f"the front matter has no text for {name}")
    return value


def _sources(found: Mapping[str, Any], front: str) -> tuple[Source, ...]:
    listed = found.get("sources") or []
    sources = []
    for one in listed if isinstance(listed, list) else [listed]:
        item: dict[str, Any] = {"path": one} if isinstance(one, str) else one if isinstance(one, dict) else {}
        path = item.get("path")
        if not isinstance(path, str) or not path or path.startswith("/") or ".." in path.split("/"):
            _wrong(_line_of(front, "sources"), "each source needs a path inside the repository")
        told = [item.get(name) or "" for name in ("symbol", "hash", "file_hash")]
        if not all(isinstance(one, str | int) for one in told):
            _wrong(_line_of(front, "sources"), "symbol and hashes of a source must be strings")
        symbol, digest, of_file = map(str, told)
        size = item.get("size", 0)
        sources.append(Source(path, symbol or None, digest, of_file, size if isinstance(size, int) else 0))
    return tuple(sources)


def _line_of(front: str, name: str) -> int:
    found = re.search(rf"^{name}:", front, re.MULTILINE)
    return 2 + (front.count("\n", 0, found.start()) if found else 0)


def _read_notes(page_id: str, text: str, first: int) -> tuple[tuple[Failure, ...], tuple[Contradiction, ...]]:
    """Parse the notes of a page; `first` is the line of MARK."""
    failures: list[Failure] = []
    contradictions: list[Contradiction] = []
    lines = text.split("\n")
    at = 1
    while at < len(lines):
        line = lines[at]
        if line.startswith("### "):
            begun = at
            items, texts, at = _read_note(lines, at + 1, first)
            try:
                if line.startswith(f"### {_FAILURE}"):
                    failures.append(_failure(page_id, len(failures) + 1, items, texts))
                else:
                    contradictions.append(_contradiction(page_id, len(contradictions) + 1, items, texts))
            except (KeyError, ValueError, TypeError) as error:
                _wrong(first + begun, f"the note is incomplete: {error}")
            continue
        if line and line not in (f"## {_FAILURE}s", f"## {_CONTRADICTION}s"):
            _wrong(first + at, "only notes are allowed here, each under its heading")
        at += 1
    return tuple(failures), tuple(contradictions)


def _read_note(lines: Sequence[str], at: int, first: int) -> tuple[dict[str, str], dict[str, str], int]:
    """Parse the text below the heading of a note; return it with the line after it."""
    items: dict[str, str] = {}
    texts: dict[str, str] = {}
    label = ""
    while at < len(lines) and not lines[at].startswith(("### ", "## ")):
        line = lines[at]
        if item := _ITEM.fullmatch(line):
            items[item[1]] = item[2]
        elif named := _LABEL.fullmatch(line):
            label = named[1]
        elif (fence := _FENCE.fullmatch(line)) and label:
            end = next((number for number in range(at + 1, len(lines)) if lines[number] == fence[1]), None)
            if end is None:
                _wrong(first + at, "the block has no end")
            texts[label] = "\n".join(lines[at + 1 : end])
            label, at = "", end
        elif line:
            _wrong(first + at, "a note needs items first, then blocks of text, each under its name in bold")
        at += 1
    return items, texts, at


def _failure(page_id: str, number: int, items: Mapping[str, str], texts: Mapping[str, str]) -> Failure:
    said = {field: texts[label] for field, label in _TEXTS.items() if label in texts}
    what = NewFailure(**{**said, "source_files": tuple(json.loads(items.get("source files", "[]")))})  # type: ignore[arg-type]
    return Failure(page_id, number, what, *_recorded(items))


def _contradiction(page_id: str, number: int, items: Mapping[str, str], texts: Mapping[str, str]) -> Contradiction:
    source = json.loads(items["source"]) if "source" in items else None
    return Contradiction(page_id, number, NewContradiction(texts["Description"], source), *_recorded(items))


def _recorded(items: Mapping[str, str]) -> tuple[str, datetime, datetime | None]:
    recorded = datetime.fromisoformat(items["recorded"]) if "recorded" in items else datetime.now(UTC)
    resolved = datetime.fromisoformat(items["resolved"]) if "resolved" in items else None
    return json.loads(items.get("by", '""')), recorded, resolved


def with_content(page: FilePage, content: str) -> FilePage:
    """Return the page with another text."""
    return replace(page, latest=replace(page.latest, content=content))


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _json(value: Any) -> str:
    """Return JSON that is YAML as well, which does not allow all characters unescaped."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _wrong(line: int, message: str) -> NoReturn:
    raise FileError(line, message)
