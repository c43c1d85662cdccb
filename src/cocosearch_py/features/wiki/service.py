"""Tools that read a page and its versions, or write one."""

from collections.abc import Sequence

import msgspec

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.wiki.answers import (
    PAGE_NOTE,
    LinkItem,
    PageText,
    VersionDiff,
    VersionItem,
    WrittenPage,
    contradiction_items,
    failure_items,
    is_stale,
    source_items,
    written_page,
)
from cocosearch_py.features.wiki.arguments import (
    WikiContributeArguments,
    WikiDiffArguments,
    WikiHistoryArguments,
    WikiReadArguments,
    WikiRestoreArguments,
)
from cocosearch_py.features.wiki.model import Contribution, NewContradiction, NewFailure
from cocosearch_py.features.wiki.place import author_of, target_of
from cocosearch_py.features.wiki.wikis import diff_lines
from cocosearch_py.tools.answer import Json, Shrinkable
from cocosearch_py.tools.call import Call


def wiki_read(call: Call, asked: WikiReadArguments) -> Shrinkable[str, PageText]:
    """Read a page from a line of its text on; whole lines give way when the answer is too long."""
    target = target_of(call)
    view = target.wikis.read(target.place, asked.page)
    page = view.page
    first = max(1, asked.start_line)
    lines = page.latest.content.splitlines(keepends=True)[first - 1 :]
    whole = PageText(
        page=page.page_id,
        title=page.title,
        page_type=page.page_type,
        version=page.version,
        author=page.latest.author,
        created_at=page.created_at.isoformat(),
        updated_at=page.latest.written_at.isoformat(),
        stale=is_stale(view.sources),
        content="".join(lines),
        source_files=source_items(view.sources),
        links=tuple(
            LinkItem(
                page=link.target or link.page_id,
                line=link.line,
                heading=link.heading or "",
                broken=link.broken or "",
            )
            for link in view.out
        ),
        linked_from=tuple(dict.fromkeys(link.page_id for link in view.into)),
        contradictions=contradiction_items(note for note in view.contradictions if note.resolved_at is None),
        failures=failure_items(note for note in view.failures if note.resolved_at is None),
        resolved_contradictions=sum(note.resolved_at is not None for note in view.contradictions),
        resolved_failures=sum(note.resolved_at is not None for note in view.failures),
        note=PAGE_NOTE,
    )

    def build(kept: Sequence[str]) -> PageText:
        following = first + len(kept) if len(kept) < len(lines) else 0
        return msgspec.structs.replace(whole, content="".join(kept), next_line=following)

    return Shrinkable(lines, build)


def wiki_history(call: Call, asked: WikiHistoryArguments) -> list[VersionItem]:
    """List the versions of a page, the latest first."""
    target = target_of(call)
    return [
        VersionItem(
            version=version.version,
            title=version.title,
            author=version.author,
            reason=version.reason,
            written_at=version.written_at.isoformat(timespec="seconds"),
            chars=len(version.content),
        )
        for version in target.wikis.history(target.place, asked.page)
    ]


def wiki_diff(call: Call, asked: WikiDiffArguments) -> VersionDiff:
    """Compare two versions of a page; version 0 is the empty text before the first."""
    target = target_of(call)
    wikis, place = target.wikis, target.place
    latest = wikis.history(place, asked.page)[0].version if asked.to_version is None else asked.to_version
    new = wikis.version(place, asked.page, latest)
    number = new.version - 1 if asked.from_version is None else asked.from_version
    old_text = wikis.version(place, asked.page, number).content if number else ""
    lines = diff_lines(old_text, f"version {number}", new.content, f"version {new.version}")
    return VersionDiff(page=new.page_id, from_version=number, to_version=new.version, diff="\n".join(lines))


def wiki_restore(call: Call, asked: WikiRestoreArguments) -> WrittenPage:
    """Restore an earlier version of a page, as a new version."""
    target = target_of(call, writes=True)
    author = author_of(call, asked.author)
    return written_page(target.wikis.restore(target.place, asked.page, asked.version, author))


def wiki_contribute(call: Call, asked: WikiContributeArguments) -> WrittenPage:
    """Write a page with its notes.

    Raises:
        ValidationError: a note lacks a text, or has an unknown key.
        ConflictError: the page has another version than `if_version`.
    """
    target = target_of(call, writes=True)
    notes = [_texts(note, ("description",), ("source",)) for note in asked.contradictions or ()]
    contribution = Contribution(
        asked.page,
        asked.content,
        title=asked.title,
        page_type=asked.page_type,
        sources=asked.source_files,
        contradictions=[NewContradiction(**note) for note in notes],
        resolve_contradictions=asked.resolve_contradictions,
        failures=[_new_failure(note) for note in asked.failures or ()],
        resolve_failures=asked.resolve_failures,
        if_version=asked.if_version,
        author=author_of(call, asked.author),
    )
    return written_page(target.wikis.write(target.place, contribution))


def _new_failure(note: Json) -> NewFailure:
    """Read a failure that a call gives.

    Raises:
        ValidationError: it lacks a text, or has an unknown key.
    """
    texts = _texts(note, ("symptom", "attempted_fix", "diagnosis"), ("actual_fix",), ("source_files",))
    files = note.get("source_files") or []
    if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
        raise ValidationError("source_files of a failure is not a list of strings", hint='give ["path", …]')
    return NewFailure(**texts, source_files=tuple(files))


def _texts(note: Json, required: Sequence[str], optional: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """Return the texts of a note that a call gives.

    Raises:
        ValidationError: a text is missing or is no string, or a key is unknown.
    """
    known = (*required, *optional, *others)
    if missing := [name for name in required if not str(note.get(name) or "").strip()]:
        raise ValidationError(f"{missing[0]} is missing", hint=f"each needs {', '.join(required)}")
    if unknown := [name for name in note if name not in known]:
        raise ValidationError(f"unknown key '{unknown[0][:60]}'", hint=f"known: {', '.join(known)}")
    texts = {name: note[name] for name in (*required, *optional) if note.get(name) is not None}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise ValidationError(f"{name} is not a string", hint="give a text")
    return texts
