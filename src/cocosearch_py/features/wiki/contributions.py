"""Contributions to a page: their checks, and the version that they make."""

from collections.abc import Sequence
from datetime import UTC, datetime

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.wiki.model import PAGE_TYPES, Contribution, Page, Source, Version
from cocosearch_py.features.wiki.naming import check_id
from cocosearch_py.features.wiki.sources import MAX_SOURCES, SourceReader

MAX_CONTENT_CHARS = 200_000
MAX_TITLE_CHARS = 300
MAX_NOTE_CHARS = 20_000
MAX_NOTES = 50


def check_contribution(what: Contribution) -> None:
    """Check a contribution.

    Raises:
        ValidationError: a value is out of range or too long.
    """
    check_id(what.page_id)
    if what.page_type is not None and what.page_type not in PAGE_TYPES:
        raise ValidationError(f"unknown page_type '{what.page_type[:50]}'", hint=f"use {', '.join(PAGE_TYPES)}")
    if what.if_version is not None and what.if_version < 0:
        raise ValidationError(f"if_version {what.if_version} is out of range", hint="use the version that you read")
    notes = [
        *(text for one in what.failures for text in (one.symptom, one.attempted_fix, one.diagnosis, one.actual_fix)),
        *(text for one in what.contradictions for text in (one.description, one.source)),
    ]
    for name, text, most in (
        ("content", what.content, MAX_CONTENT_CHARS),
        ("title", what.title, MAX_TITLE_CHARS),
        *(("a note", note, MAX_NOTE_CHARS) for note in notes),
    ):
        if text is not None and len(text) > most:
            raise ValidationError(f"{name} has {len(text):,} characters", hint=f"use {most:,} at most")
        if text is not None and not is_storable(text):
            raise ValidationError(f"{name} has characters that are not valid text", hint="remove them, and send UTF-8")
    required = [one.description for one in what.contradictions]
    required += [text for one in what.failures for text in (one.symptom, one.attempted_fix, one.diagnosis)]
    if not all(text.strip() for text in required):
        raise ValidationError("a note is empty", hint="describe what was observed, tried and found")
    counts = (("sources", len(what.sources or ()), MAX_SOURCES), ("notes", len(notes), MAX_NOTES * 4))
    for name, count, most in counts:
        if count > most:
            raise ValidationError(f"{count} {name} are too many", hint=f"give {most} at most")


def is_storable(text: str) -> bool:
    """Report whether PostgreSQL can store a text, which must not contain NUL or half of a surrogate pair."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def sources_of(
    page: Page | None, named: Sequence[Source] | None, what: Contribution, reader: SourceReader
) -> tuple[Source, ...]:
    """Return the sources of the new version."""
    kept = page.latest.sources if page is not None else ()
    if named is None and (what.content is None or not what.refresh):
        return kept
    if what.refresh:
        return tuple(reader.current(dict.fromkeys(kept if named is None else named)))
    old = {one.spelled: one for one in kept}
    new = [one for one in named or () if one.spelled not in old]
    return (*kept, *reader.current(new))


def next_version(page: Page | None, what: Contribution, sources: tuple[Source, ...]) -> Version:
    title = (what.title or "").strip() or (page.title if page else "")
    content = what.content if what.content is not None else page.latest.content if page else None
    if page is None and not title:
        raise ValidationError(
            f"page '{what.page_id}' does not exist yet, and a new page needs a title", hint="give title"
        )
    if content is None:
        raise ValidationError(
            f"page '{what.page_id}' does not exist yet, and a new page needs text", hint="give content"
        )
    number = page.version + 1 if page else 1
    return Version(what.page_id, number, title, content, sources, what.author, what.reason, datetime.now(UTC))


def says(version: Version) -> tuple[str, str, tuple[Source, ...]]:
    """Return the parts of a version that distinguish it from the version before."""
    return version.title, version.content, version.sources
