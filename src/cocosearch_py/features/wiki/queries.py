"""SQL of wikis and their pages. A transaction that writes locks the wiki first; see `hold`."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from cocosearch_py.features.wiki.model import (
    Contradiction,
    Failure,
    Gone,
    Link,
    LinkState,
    NewContradiction,
    NewFailure,
    Page,
    Source,
    Version,
    Wiki,
)
from cocosearch_py.model.paths import storable_path
from cocosearch_py.storage.queries.announcements import announce_wiki

_WIKI = "SELECT wiki_id, repository, git_ref, generation, created_at, updated_at FROM cocosearch_py.wikis"
_VERSION = (
    "SELECT page_id, version, title, content, sources, author, reason, written_at FROM cocosearch_py.wiki_versions"
)
_PAGE = (
    "SELECT v.page_id, version, v.title, v.content, v.sources, v.author, v.reason, v.written_at, "
    "p.page_type, p.headings, p.created_at "
    "FROM cocosearch_py.wiki_pages p JOIN cocosearch_py.wiki_versions v USING (wiki_id, page_id, version)"
)
_FAILURE = (
    "SELECT page_id, failure_no, symptom, attempted_fix, diagnosis, actual_fix, source_files, author, recorded_at, "
    "resolved_at FROM cocosearch_py.wiki_failures"
)
_CONTRADICTION = (
    "SELECT page_id, contradiction_no, description, source, author, recorded_at, resolved_at "
    "FROM cocosearch_py.wiki_contradictions"
)
_THERE = (
    "page_id NOT IN (SELECT page_id FROM cocosearch_py.wiki_pages WHERE wiki_id = %(wiki)s AND removed_at IS NOT NULL)"
)
_RENAMES = (
    "UPDATE cocosearch_py.wiki_versions",
    "UPDATE cocosearch_py.wiki_links",
    "UPDATE cocosearch_py.wiki_failures",
    "UPDATE cocosearch_py.wiki_contradictions",
)
_VERSION_FIELDS = len(fields(Version))


def find(conn: psycopg.Connection, repository: str) -> Wiki | None:
    """Return the wiki of a repository, or None."""
    row = conn.execute(f"{_WIKI} WHERE repository = %s AND archived_at IS NULL", [storable_path(repository)]).fetchone()
    return Wiki(*row) if row else None


def hold(conn: psycopg.Connection, repository: str) -> Wiki | None:
    """Return the wiki of a repository, locked until the transaction ends, or None."""
    query = f"{_WIKI} WHERE repository = %s AND archived_at IS NULL FOR UPDATE"
    row = conn.execute(query, [storable_path(repository)]).fetchone()
    return Wiki(*row) if row else None


def create(conn: psycopg.Connection, repository: str, git_ref: str | None) -> Wiki | None:
    """Create a wiki; return None if the repository has one."""
    row = conn.execute(
        "INSERT INTO cocosearch_py.wikis (repository, git_ref) VALUES (%s, %s) "
        "ON CONFLICT (repository) WHERE archived_at IS NULL DO NOTHING "
        "RETURNING wiki_id, repository, git_ref, generation, created_at, updated_at",
        [storable_path(repository), git_ref],
    ).fetchone()
    return Wiki(*row) if row else None


def archive(conn: psycopg.Connection, wiki_id: int) -> None:
    """Archive a wiki, so that a new one can take its place. Its rows stay."""
    conn.execute("UPDATE cocosearch_py.wikis SET archived_at = now() WHERE wiki_id = %s", [wiki_id])


def archived(conn: psycopg.Connection, repository: str) -> list[Wiki]:
    """Return the archived wikis of a repository."""
    query = f"{_WIKI} WHERE repository = %s AND archived_at IS NOT NULL ORDER BY wiki_id"
    return [Wiki(*row) for row in conn.execute(query, [storable_path(repository)])]


def touch(conn: psycopg.Connection, wiki_id: int, git_ref: str | None = None) -> int:
    """Announce a change and return the new generation. A `git_ref` replaces the stored one."""
    row = conn.execute(
        "UPDATE cocosearch_py.wikis SET generation = generation + 1, updated_at = now(), "
        "git_ref = coalesce(%s, git_ref) WHERE wiki_id = %s RETURNING generation",
        [git_ref, wiki_id],
    ).fetchone()
    assert row is not None
    announce_wiki(conn)
    return int(row[0])


def all_wikis(conn: psycopg.Connection) -> list[Wiki]:
    """Return all wikis that are not archived."""
    return [Wiki(*row) for row in conn.execute(f"{_WIKI} WHERE archived_at IS NULL ORDER BY wiki_id")]


def page_mark(conn: psycopg.Connection, wiki_id: int, page_ids: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return values that change with these pages, their notes, or the titles of pages that they link to."""
    return conn.execute(
        """
        SELECT p.page_id, p.version,
            (SELECT count(*) || '/' || count(resolved_at) FROM cocosearch_py.wiki_failures f
             WHERE (f.wiki_id, f.page_id) = (p.wiki_id, p.page_id)),
            (SELECT count(*) || '/' || count(resolved_at) FROM cocosearch_py.wiki_contradictions c
             WHERE (c.wiki_id, c.page_id) = (p.wiki_id, p.page_id)),
            (SELECT array_agg(v.title ORDER BY l.link_no) FROM cocosearch_py.wiki_links l
             JOIN cocosearch_py.wiki_pages t ON (t.wiki_id, t.page_id) = (l.wiki_id, l.target) AND t.removed_at IS NULL
             JOIN cocosearch_py.wiki_versions v ON (v.wiki_id, v.page_id, v.version) = (t.wiki_id, t.page_id, t.version)
             WHERE (l.wiki_id, l.page_id) = (p.wiki_id, p.page_id))
        FROM cocosearch_py.wiki_pages p
        WHERE p.wiki_id = %(wiki)s AND p.removed_at IS NULL AND p.page_id = ANY(%(ids)s || ARRAY(
            SELECT moved_to FROM cocosearch_py.wiki_pages WHERE wiki_id = %(wiki)s AND page_id = ANY(%(ids)s)))
        ORDER BY p.page_id
        """,
        {"wiki": wiki_id, "ids": list(page_ids)},
    ).fetchall()


def set_ref(conn: psycopg.Connection, wiki_id: int, git_ref: str | None) -> None:
    """Store the commit at which all pages are up to date."""
    conn.execute("UPDATE cocosearch_py.wikis SET git_ref = %s WHERE wiki_id = %s", [git_ref, wiki_id])


def pages(conn: psycopg.Connection, wiki_id: int, page_ids: Sequence[str] | None = None) -> list[Page]:
    """Return all pages by ID, or those of some IDs."""
    query = f"{_PAGE} WHERE p.wiki_id = %(wiki)s AND p.removed_at IS NULL "
    query += "AND (%(ids)s::text[] IS NULL OR p.page_id = ANY(%(ids)s))"
    ids = None if page_ids is None else list(page_ids)
    return [_page(row) for row in conn.execute(f"{query} ORDER BY v.page_id", {"wiki": wiki_id, "ids": ids})]


def page(conn: psycopg.Connection, wiki_id: int, page_id: str, *, removed: bool = False) -> Page | None:
    """Return a page by its ID, or None; with `removed` also a removed one."""
    query = f"{_PAGE} WHERE p.wiki_id = %s AND p.page_id = %s AND (%s OR p.removed_at IS NULL)"
    row = conn.execute(query, [wiki_id, page_id, removed]).fetchone()
    return _page(row) if row else None


def gone(conn: psycopg.Connection, wiki_id: int) -> dict[str, Gone]:
    """Return the IDs that no page has any more."""
    query = "SELECT page_id, version, moved_to FROM cocosearch_py.wiki_pages WHERE wiki_id = %s"
    rows = conn.execute(f"{query} AND removed_at IS NOT NULL", [wiki_id])
    return {page_id: Gone(version, moved_to) for page_id, version, moved_to in rows}


def rename(conn: psycopg.Connection, wiki_id: int, page_id: str, new_id: str) -> None:
    """Give a page a free ID, with its versions and notes. The old ID leads to it from now on."""
    names = {"wiki": wiki_id, "old": page_id, "new": new_id}
    conn.execute(
        "DELETE FROM cocosearch_py.wiki_pages WHERE wiki_id = %(wiki)s AND page_id = %(new)s AND moved_to IS NOT NULL",
        names,
    )
    conn.execute(
        "INSERT INTO cocosearch_py.wiki_pages (wiki_id, page_id, version, page_type, headings, created_at) "
        "SELECT wiki_id, %(new)s, version, page_type, headings, created_at FROM cocosearch_py.wiki_pages "
        "WHERE wiki_id = %(wiki)s AND page_id = %(old)s",
        names,
    )
    for update in _RENAMES:
        conn.execute(f"{update} SET page_id = %(new)s WHERE wiki_id = %(wiki)s AND page_id = %(old)s", names)
    remove(conn, wiki_id, page_id, new_id)


def remove(conn: psycopg.Connection, wiki_id: int, page_id: str, moved_to: str | None) -> None:
    """Remove a page; its ID, and IDs that led to it, lead to `moved_to` from now on. Its versions stay."""
    conn.execute(
        "UPDATE cocosearch_py.wiki_pages SET removed_at = now(), moved_to = %s WHERE wiki_id = %s AND page_id = %s",
        [moved_to, wiki_id, page_id],
    )
    conn.execute("DELETE FROM cocosearch_py.wiki_links WHERE wiki_id = %s AND page_id = %s", [wiki_id, page_id])
    if moved_to is not None:
        conn.execute(
            "UPDATE cocosearch_py.wiki_pages SET moved_to = %s WHERE wiki_id = %s AND moved_to = %s",
            [moved_to, wiki_id, page_id],
        )


def titles(conn: psycopg.Connection, wiki_id: int, page_ids: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Return (ID, title) of all pages by ID, or of some."""
    return conn.execute(
        "SELECT page_id, v.title FROM cocosearch_py.wiki_pages p "
        "JOIN cocosearch_py.wiki_versions v USING (wiki_id, page_id, version) "
        "WHERE wiki_id = %(wiki)s AND p.removed_at IS NULL AND (%(ids)s::text[] IS NULL OR page_id = ANY(%(ids)s)) "
        "ORDER BY page_id",
        {"wiki": wiki_id, "ids": None if page_ids is None else list(page_ids)},
    ).fetchall()


def names(conn: psycopg.Connection, wiki_id: int, page_ids: Sequence[str]) -> list[tuple[str, str, list[str]]]:
    """Return (ID, title, headings) of those of these pages that exist."""
    return conn.execute(
        "SELECT page_id, v.title, p.headings FROM cocosearch_py.wiki_pages p "
        "JOIN cocosearch_py.wiki_versions v USING (wiki_id, page_id, version) "
        "WHERE wiki_id = %s AND page_id = ANY(%s) AND p.removed_at IS NULL",
        [wiki_id, list(page_ids)],
    ).fetchall()


def labels(conn: psycopg.Connection, wiki_id: int, page_ids: Sequence[str]) -> list[tuple[str, str | None, int]]:
    """Return (page, text, number) of the links of other pages to these; the text is None if a link has none."""
    return conn.execute(
        "SELECT target, label, count(*) FROM cocosearch_py.wiki_links "
        "WHERE wiki_id = %s AND target = ANY(%s) AND page_id <> target GROUP BY target, label ORDER BY target, label",
        [wiki_id, list(page_ids)],
    ).fetchall()


def versions(conn: psycopg.Connection, wiki_id: int, page_id: str) -> list[Version]:
    """Return all versions of a page, the latest first."""
    query = f"{_VERSION} WHERE wiki_id = %s AND page_id = %s ORDER BY version DESC"
    return [_version(row) for row in conn.execute(query, [wiki_id, page_id])]


def version(conn: psycopg.Connection, wiki_id: int, page_id: str, number: int) -> Version | None:
    query = f"{_VERSION} WHERE wiki_id = %s AND page_id = %s AND version = %s"
    row = conn.execute(query, [wiki_id, page_id, number]).fetchone()
    return _version(row) if row else None


def save(conn: psycopg.Connection, wiki_id: int, latest: Version, page_type: str, headings: Sequence[str]) -> Page:
    """Add a version as the latest; its time is that of the transaction.

    A new page, or one that was removed, gets the type.
    """
    row = conn.execute(
        "INSERT INTO cocosearch_py.wiki_pages AS p (wiki_id, page_id, version, page_type, headings) "
        "VALUES (%s, %s, %s, %s, %s) ON CONFLICT (wiki_id, page_id) "
        "DO UPDATE SET version = excluded.version, headings = excluded.headings, removed_at = NULL, moved_to = NULL, "
        "page_type = CASE WHEN p.removed_at IS NULL THEN p.page_type ELSE excluded.page_type END "
        "RETURNING created_at, page_type",
        [wiki_id, latest.page_id, latest.version, page_type, Jsonb(list(headings))],
    ).fetchone()
    assert row is not None
    sources = Jsonb([asdict(one) for one in latest.sources])
    written = conn.execute(
        "INSERT INTO cocosearch_py.wiki_versions (wiki_id, page_id, version, title, content, sources, author, reason) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING written_at",
        [
            *(wiki_id, latest.page_id, latest.version, latest.title, latest.content, sources),
            *(latest.author, latest.reason),
        ],
    ).fetchone()
    assert written is not None
    return Page(replace(latest, written_at=written[0]), row[1], tuple(headings), row[0])


def set_links(conn: psycopg.Connection, wiki_id: int, page_id: str, links: Sequence[Link]) -> None:
    """Replace the links of a page."""
    conn.execute("DELETE FROM cocosearch_py.wiki_links WHERE wiki_id = %s AND page_id = %s", [wiki_id, page_id])
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO cocosearch_py.wiki_links (wiki_id, page_id, link_no, target, heading, line, label) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s)",
            [
                (wiki_id, page_id, number, link.target, link.heading, link.line, link.label)
                for number, link in enumerate(links, start=1)
            ],
        )


def links_of(conn: psycopg.Connection, wiki_id: int, page_id: str) -> list[LinkState]:
    """Return the links of a page in order, unchecked."""
    query = "SELECT page_id, target, heading, line FROM cocosearch_py.wiki_links WHERE wiki_id = %s AND page_id = %s"
    return [LinkState(*row) for row in conn.execute(f"{query} ORDER BY link_no", [wiki_id, page_id])]


def links_to(conn: psycopg.Connection, wiki_id: int, page_id: str) -> list[LinkState]:
    """Return the links of other pages to this one, by page and in order, unchecked."""
    query = "SELECT page_id, target, heading, line FROM cocosearch_py.wiki_links WHERE wiki_id = %s AND target = %s"
    rows = conn.execute(f"{query} AND page_id <> target ORDER BY page_id, link_no", [wiki_id, page_id])
    return [LinkState(*row) for row in rows]


def all_links(conn: psycopg.Connection, wiki_id: int) -> list[LinkState]:
    """Return the links of all pages, by page and in order, unchecked."""
    query = "SELECT page_id, target, heading, line FROM cocosearch_py.wiki_links WHERE wiki_id = %s"
    return [LinkState(*row) for row in conn.execute(f"{query} ORDER BY page_id, link_no", [wiki_id])]


def headings(conn: psycopg.Connection, wiki_id: int, page_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the headings of those of these pages that exist."""
    query = "SELECT page_id, headings FROM cocosearch_py.wiki_pages WHERE wiki_id = %s AND page_id = ANY(%s) "
    query += "AND removed_at IS NULL"
    return dict(conn.execute(query, [wiki_id, list(page_ids)]).fetchall())


def failures(conn: psycopg.Connection, wiki_id: int, page_id: str | None = None) -> list[Failure]:
    """Those of a page, or of all, in the order in which they were recorded."""
    query = f"{_FAILURE} WHERE wiki_id = %(wiki)s AND (%(page)s::text IS NULL OR page_id = %(page)s) AND {_THERE}"
    rows = conn.execute(f"{query} ORDER BY page_id, failure_no", {"wiki": wiki_id, "page": page_id})
    return [
        Failure(row[0], row[1], NewFailure(row[2], row[3], row[4], row[5], tuple(row[6])), row[7], row[8], row[9])
        for row in rows
    ]


def contradictions(conn: psycopg.Connection, wiki_id: int, page_id: str | None = None) -> list[Contradiction]:
    """Those of a page, or of all, in the order in which they were recorded."""
    query = f"{_CONTRADICTION} WHERE wiki_id = %(wiki)s AND (%(page)s::text IS NULL OR page_id = %(page)s) AND {_THERE}"
    rows = conn.execute(f"{query} ORDER BY page_id, contradiction_no", {"wiki": wiki_id, "page": page_id})
    return [Contradiction(row[0], row[1], NewContradiction(row[2], row[3]), *row[4:]) for row in rows]


def add_failure(
    conn: psycopg.Connection,
    wiki_id: int,
    page_id: str,
    failure: NewFailure,
    author: str,
    times: tuple[datetime | None, datetime | None] = (None, None),
) -> int:
    """Record a failure and return its number; `times` are those of recording, by default now, and of resolution."""
    row = conn.execute(
        "INSERT INTO cocosearch_py.wiki_failures (wiki_id, page_id, failure_no, symptom, attempted_fix, diagnosis, "
        "actual_fix, source_files, author, recorded_at, resolved_at) SELECT %(wiki)s, %(page)s, "
        "coalesce(max(failure_no), 0) + 1, %(symptom)s, %(attempted_fix)s, %(diagnosis)s, %(actual_fix)s, "
        "%(source_files)s, %(author)s, coalesce(%(recorded)s, now()), %(resolved)s "
        "FROM cocosearch_py.wiki_failures WHERE wiki_id = %(wiki)s AND page_id = %(page)s RETURNING failure_no",
        {
            **asdict(failure),
            "source_files": Jsonb(list(failure.source_files)),
            **_recorded(wiki_id, page_id, author, times),
        },
    ).fetchone()
    assert row is not None
    return int(row[0])


def add_contradiction(
    conn: psycopg.Connection,
    wiki_id: int,
    page_id: str,
    contradiction: NewContradiction,
    author: str,
    times: tuple[datetime | None, datetime | None] = (None, None),
) -> int:
    """Record a contradiction and return its number; `times` as in `add_failure`."""
    row = conn.execute(
        "INSERT INTO cocosearch_py.wiki_contradictions (wiki_id, page_id, contradiction_no, description, source, "
        "author, recorded_at, resolved_at) SELECT %(wiki)s, %(page)s, coalesce(max(contradiction_no), 0) + 1, "
        "%(description)s, %(source)s, %(author)s, coalesce(%(recorded)s, now()), %(resolved)s "
        "FROM cocosearch_py.wiki_contradictions WHERE wiki_id = %(wiki)s AND page_id = %(page)s "
        "RETURNING contradiction_no",
        {**asdict(contradiction), **_recorded(wiki_id, page_id, author, times)},
    ).fetchone()
    assert row is not None
    return int(row[0])


def resolve_failures(conn: psycopg.Connection, wiki_id: int, page_id: str) -> int:
    """Resolve the open failures of a page and return their number."""
    return conn.execute(
        "UPDATE cocosearch_py.wiki_failures SET resolved_at = now() "
        "WHERE wiki_id = %s AND page_id = %s AND resolved_at IS NULL",
        [wiki_id, page_id],
    ).rowcount


def resolve_contradictions(conn: psycopg.Connection, wiki_id: int, page_id: str) -> int:
    """Resolve the open contradictions of a page and return their number."""
    return conn.execute(
        "UPDATE cocosearch_py.wiki_contradictions SET resolved_at = now() "
        "WHERE wiki_id = %s AND page_id = %s AND resolved_at IS NULL",
        [wiki_id, page_id],
    ).rowcount


def _recorded(
    wiki_id: int, page_id: str, author: str, times: tuple[datetime | None, datetime | None]
) -> dict[str, object]:
    return {"wiki": wiki_id, "page": page_id, "author": author, "recorded": times[0], "resolved": times[1]}


def _page(row: Sequence[Any]) -> Page:
    page_type, headings, created_at = row[_VERSION_FIELDS:]
    return Page(_version(row[:_VERSION_FIELDS]), page_type, tuple(headings), created_at)


def _version(row: Sequence[Any]) -> Version:
    page_id, number, title, content, sources, author, reason, written_at = row
    kept = tuple(Source(**one) for one in sources)
    return Version(page_id, number, title, content, kept, author, reason, written_at)
