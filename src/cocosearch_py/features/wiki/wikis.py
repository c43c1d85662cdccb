"""Wikis of repositories: reading and writing of pages. All versions are kept."""

import difflib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from cocosearch_py.discovery.git import repository_state
from cocosearch_py.errors import ConflictError, SafetyError
from cocosearch_py.features.wiki import queries
from cocosearch_py.features.wiki.contributions import check_contribution, next_version, says, sources_of
from cocosearch_py.features.wiki.markup import INDEX_FILE, page_of
from cocosearch_py.features.wiki.model import (
    RESTORED,
    Contradiction,
    Contribution,
    Failure,
    Gone,
    LinkState,
    Page,
    PageView,
    SourceState,
    Version,
    Wiki,
    WikiPlace,
    Written,
)
from cocosearch_py.features.wiki.pages import (
    current_id,
    hold,
    judged,
    named,
    no_wiki,
    only_broken,
    save,
    version_of,
    with_current_links,
)
from cocosearch_py.features.wiki.sources import SourceReader, parse_source
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.server.database import Database

R = TypeVar("R")
_DIFF_LINES = 60


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All pages of a wiki by ID, with their notes, at one moment.

    `version` reads an earlier version of a page. `gone` are IDs that no page has any more.
    """

    pages: Mapping[str, Page]
    gone: Mapping[str, Gone]
    failures: Sequence[Failure]
    contradictions: Sequence[Contradiction]
    version: Callable[[str, int], Version | None]


@dataclass(frozen=True, slots=True)
class Incoming:
    """New version of a page, None if the page stays as it is, and notes to add."""

    page_id: str
    latest: Version | None
    page_type: str
    failures: tuple[Failure, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


@dataclass(frozen=True, slots=True)
class Wikis:
    """Reads and writes the wikis of one database; safe for threads.

    Methods about a wiki raise NotFoundError if the place has none.
    """

    database: Database

    def find(self, place: WikiPlace) -> Wiki | None:
        """Return the wiki of a place, or None."""
        if not self.database.is_there:
            return None
        return self.database.read(lambda conn: queries.find(conn, place.repository))

    def all(self) -> list[Wiki]:
        """Return all wikis of the database."""
        return self.database.read(queries.all_wikis) if self.database.is_there else []

    def mark_of_page(self, wiki: Wiki, name: str) -> Hashable:
        """Return a value that changes when a page does; `name` is its ID or the name of its file."""
        if name == INDEX_FILE:
            return wiki.generation
        ids = [one for one in (name, page_of(name)) if one is not None]
        return repr(self.database.read(lambda conn: queries.page_mark(conn, wiki.wiki_id, ids)))

    def require(self, place: WikiPlace) -> Wiki:
        """Return the wiki of a place."""
        if (wiki := self.find(place)) is None:
            raise no_wiki(place)
        return wiki

    def start(self, place: WikiPlace, *, force: bool = False) -> Wiki:
        """Create a wiki.

        Args:
            force: archive an existing one.
        Raises:
            SafetyError: there is a wiki.
        """
        state = repository_state(place.root)
        with self.database.writing() as conn:
            old = queries.hold(conn, place.repository)
            if old is not None and force:
                queries.archive(conn, old.wiki_id)
                old = None
            new = None if old is not None else queries.create(conn, place.repository, state.commit if state else None)
            if new is None:
                raise SafetyError(
                    "this repository has a wiki", hint="continue with it, or pass force to archive it and start over"
                )
            return new

    def caught_up(self, place: WikiPlace) -> None:
        """Store that all pages are up to date with the checked out commit."""
        state = repository_state(place.root)
        if state is None or self.require(place).git_ref == state.commit:
            return
        with self.database.writing() as conn:
            queries.set_ref(conn, hold(conn, place).wiki_id, state.commit)

    def pages(self, place: WikiPlace, page_ids: Sequence[str] | None = None) -> list[Page]:
        """Return all pages by ID, or those of some IDs."""
        return self._read(place, lambda conn, wiki: queries.pages(conn, wiki.wiki_id, page_ids))

    def page_ids(self, place: WikiPlace) -> set[str]:
        """Return the IDs of all pages."""
        return self._read(place, lambda conn, wiki: {page_id for page_id, _ in queries.titles(conn, wiki.wiki_id)})

    def read(self, place: WikiPlace, text: str) -> PageView:
        """Return a page by its ID, or by all or part of its title.

        Raises:
            NotFoundError: no page matches, or several do; the hint names the nearest.
        """

        def look(conn: Connection, wiki: Wiki) -> tuple[Page, PageView]:
            page = named(conn, wiki, text)
            out = judged(conn, wiki, queries.links_of(conn, wiki.wiki_id, page.page_id))
            into = judged(conn, wiki, queries.links_to(conn, wiki.wiki_id, page.page_id))
            failures = tuple(queries.failures(conn, wiki.wiki_id, page.page_id))
            contradictions = tuple(queries.contradictions(conn, wiki.wiki_id, page.page_id))
            return page, PageView(page, (), tuple(out), tuple(into), failures, contradictions)

        page, view = self._read(place, look)
        return replace(view, sources=tuple(self.states(place, [page])[page.page_id]))

    def page_id(self, place: WikiPlace, text: str) -> str:
        """Return the ID of a page, given as in `read`."""
        return self._read(place, lambda conn, wiki: named(conn, wiki, text).page_id)

    def gone(self, place: WikiPlace) -> dict[str, Gone]:
        """Return the IDs that no page has any more, with the pages that they lead to."""
        return self._read(place, lambda conn, wiki: queries.gone(conn, wiki.wiki_id))

    def states(self, place: WikiPlace, pages: Iterable[Page]) -> dict[str, list[SourceState]]:
        """Return the current states of the sources of pages, by page."""
        reader = SourceReader(place.root)
        listed = list(pages)
        reader.current([source for page in listed for source in page.latest.sources])  # Read them together.
        return {page.page_id: reader.states(page.latest.sources) for page in listed}

    def history(self, place: WikiPlace, page_id: str) -> list[Version]:
        """Return all versions of a page, also of a removed one, the latest first."""

        def look(conn: Connection, wiki: Wiki) -> list[Version]:
            return queries.versions(conn, wiki.wiki_id, named(conn, wiki, page_id, removed=True).page_id)

        return self._read(place, look)

    def version(self, place: WikiPlace, page_id: str, number: int) -> Version:
        """Return a version of a page, also of a removed one.

        Raises:
            NotFoundError: there is no such page or version.
        """

        def look(conn: Connection, wiki: Wiki) -> Version:
            return version_of(conn, wiki, named(conn, wiki, page_id, removed=True), number)

        return self._read(place, look)

    def restore(self, place: WikiPlace, page_id: str, number: int, author: str) -> Written:
        """Restore an earlier version as a new one, with its sources as they were. A removed page comes back."""
        with self.database.writing() as conn:
            wiki = hold(conn, place)
            page = named(conn, wiki, page_id, removed=True)
            old = with_current_links(conn, wiki, version_of(conn, wiki, page, number))
            latest = replace(old, version=page.version + 1, author=author, reason=RESTORED)
            return save(conn, wiki, page, latest, page.page_type)

    def write(self, place: WikiPlace, what: Contribution) -> Written:
        """Write a page and record its notes. Existing notes are resolved before new ones are added.

        A page to which nothing is new, except notes, keeps its version.

        Raises:
            ValidationError: an argument is out of range; a new page has no title or content.
            ConflictError: the page has another version than `if_version`; `details` have a diff.
        """
        check_contribution(what)
        named = None if what.sources is None else [parse_source(place.root, text) for text in what.sources]
        with self.database.writing() as conn:
            wiki = hold(conn, place)
            gone = queries.gone(conn, wiki.wiki_id)
            what = replace(what, page_id=current_id(gone, what.page_id))
            page = queries.page(conn, wiki.wiki_id, what.page_id)
            self._check_version(conn, wiki, page, what)
            reader = SourceReader(place.root)
            sources = sources_of(page, named, what, reader)
            latest = with_current_links(conn, wiki, next_version(page, what, sources))
            if page is None and (removed := gone.get(what.page_id)) is not None:  # Its versions still exist.
                latest = replace(latest, version=removed.version + 1)
            is_new = page is None or says(page.latest) != says(latest)
            if is_new:
                written = save(conn, wiki, page, latest, what.page_type)
            else:
                assert page is not None
                broken = judged(conn, wiki, queries.links_of(conn, wiki.wiki_id, page.page_id))
                written = Written(page, created=False, changed=False, broken=only_broken(broken))
            noted = _record(conn, wiki, written, what)
            if not is_new and noted is not written:
                queries.touch(conn, wiki.wiki_id)
            return replace(noted, missing_sources=tuple(one.spelled for one in sources if not one.hash))

    def snapshot(self, place: WikiPlace) -> "Snapshot":
        """Return all pages and notes of a wiki at one moment."""
        return self._read(place, _snapshot)

    def take(self, place: WikiPlace, choose: "Callable[[Snapshot], Sequence[Incoming]]") -> "tuple[Incoming, ...]":
        """Write the versions and notes that `choose` makes of a snapshot: all of them or none.

        A place without a wiki gets one.
        """
        state = repository_state(place.root)
        with self.database.writing() as conn:
            wiki = queries.hold(conn, place.repository)
            wiki = wiki or queries.create(conn, place.repository, state.commit if state else None)
            wiki = wiki or hold(conn, place)  # Another process has just created it.
            taken = tuple(choose(_snapshot(conn, wiki)))
            for one in taken:
                if one.latest is not None:
                    latest = with_current_links(conn, wiki, one.latest)
                    save(conn, wiki, queries.page(conn, wiki.wiki_id, one.page_id), latest, one.page_type)
                about = (conn, wiki.wiki_id, one.page_id)
                for failure in one.failures:
                    times = (failure.recorded_at, failure.resolved_at)
                    queries.add_failure(*about, failure.what, failure.author, times)
                for contradiction in one.contradictions:
                    times = (contradiction.recorded_at, contradiction.resolved_at)
                    queries.add_contradiction(*about, contradiction.what, contradiction.author, times)
            return taken

    def failures(self, place: WikiPlace, page_id: str | None = None) -> list[Failure]:
        """Return the failures of a page, or of all pages."""
        return self._read(place, lambda conn, wiki: queries.failures(conn, wiki.wiki_id, page_id))

    def count_open_notes(self, place: WikiPlace) -> tuple[int, int]:
        """Return the numbers of unresolved failures and contradictions."""

        def look(conn: Connection, wiki: Wiki) -> tuple[int, int]:
            failures = queries.failures(conn, wiki.wiki_id)
            contradictions = queries.contradictions(conn, wiki.wiki_id)
            return _count_open(failures), _count_open(contradictions)

        return self._read(place, look)

    def links(self, place: WikiPlace) -> list[LinkState]:
        """Return the links of all pages."""
        return self._read(place, lambda conn, wiki: judged(conn, wiki, queries.all_links(conn, wiki.wiki_id)))

    def _read(self, place: WikiPlace, look: Callable[[Connection, Wiki], R]) -> R:
        if not self.database.is_there:
            raise no_wiki(place)

        def inside(conn: Connection) -> R:
            if (wiki := queries.find(conn, place.repository)) is None:
                raise no_wiki(place)
            return look(conn, wiki)

        return self.database.read(inside)

    def _check_version(self, conn: Connection, wiki: Wiki, page: Page | None, what: Contribution) -> None:
        there = page.version if page is not None else 0
        if what.if_version is None or what.if_version == there:
            return
        seen = queries.version(conn, wiki.wiki_id, what.page_id, what.if_version)
        old = (seen.content, f"version {seen.version}") if seen else ("", "nothing")
        new = (page.latest.content, f"version {there}") if page else ("", "nothing")
        lines = diff_lines(*old, *new)
        raise ConflictError(
            f"page '{what.page_id}' has changed: it has version {there}, not {what.if_version}"
            if page
            else f"page '{what.page_id}' does not exist, so it has no version {what.if_version}",
            hint=f"read the page, apply your change to its current text, and pass if_version={there}",
            details={
                "page": what.page_id,
                "version": there,
                "if_version": what.if_version,
                "author": page.latest.author if page else None,
                "diff": "\n".join(lines[:_DIFF_LINES]),
                "truncated": len(lines) > _DIFF_LINES,
            },
        )


def _count_open(notes: Sequence[Failure] | Sequence[Contradiction]) -> int:
    return sum(note.resolved_at is None for note in notes)


def _snapshot(conn: Connection, wiki: Wiki) -> Snapshot:
    pages = {page.page_id: page for page in queries.pages(conn, wiki.wiki_id)}
    failures, contradictions = queries.failures(conn, wiki.wiki_id), queries.contradictions(conn, wiki.wiki_id)
    return Snapshot(
        pages,
        queries.gone(conn, wiki.wiki_id),
        failures,
        contradictions,
        lambda page_id, number: queries.version(conn, wiki.wiki_id, page_id, number),
    )


def diff_lines(old: str, old_name: str, new: str, new_name: str) -> list[str]:
    """Return a unified diff of two texts, without line ends."""
    return list(difflib.unified_diff(old.splitlines(), new.splitlines(), old_name, new_name, lineterm=""))


def _record(conn: Connection, wiki: Wiki, written: Written, what: Contribution) -> Written:
    """Resolve and add the notes of a contribution. Without any, return `written` itself."""
    page_id = written.page.page_id
    about, count = (conn, wiki.wiki_id, page_id), Counter[str]()
    if what.resolve_contradictions:
        count["contradictions"] = queries.resolve_contradictions(*about)
    if what.resolve_failures:
        count["failures"] = queries.resolve_failures(*about)
    for one in what.contradictions:
        queries.add_contradiction(*about, one, what.author)
    numbers = tuple(queries.add_failure(*about, one, what.author) for one in what.failures)
    if not (count or what.contradictions or numbers):
        return written
    return replace(
        written,
        failure_nos=numbers,
        contradictions_resolved=count["contradictions"],
        failures_resolved=count["failures"],
    )
