"""Steps that reading and writing share inside a transaction: find a page, store it, check its links."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from cocosearch_py.errors import NotFoundError
from cocosearch_py.features.wiki import queries
from cocosearch_py.features.wiki.links import anchor, read_outline, retarget
from cocosearch_py.features.wiki.model import DEFAULT_TYPE, Gone, LinkState, Page, Version, Wiki, WikiPlace, Written
from cocosearch_py.features.wiki.naming import find_page
from cocosearch_py.storage.connection import Connection


def no_wiki(place: WikiPlace) -> NotFoundError:
    """Return the error for a place without a wiki."""
    return NotFoundError("this repository has no wiki yet", hint="create one with wiki_generate")


def hold(conn: Connection, place: WikiPlace) -> Wiki:
    """Return the wiki of a place, and lock it until the transaction ends.

    Raises:
        NotFoundError: there is none.
    """
    if (wiki := queries.hold(conn, place.repository)) is None:
        raise no_wiki(place)
    return wiki


def current_id(gone: Mapping[str, Gone], page_id: str) -> str:
    """Return the current ID of a page, given a current or earlier one."""
    known = gone.get(page_id)
    return known.moved_to if known is not None and known.moved_to is not None else page_id


def named(conn: Connection, wiki: Wiki, text: str, *, removed: bool = False) -> Page:
    """Return a page by its current or earlier ID, or by all or part of its title.

    Args:
        removed: also find a removed page by its ID.
    Raises:
        NotFoundError: no page matches, or several do.
    """
    wanted, gone = text.strip(), queries.gone(conn, wiki.wiki_id)
    if removed and wanted in gone and (page := queries.page(conn, wiki.wiki_id, wanted, removed=True)) is not None:
        return page
    wanted = current_id(gone, wanted)
    if removed and wanted in gone and (page := queries.page(conn, wiki.wiki_id, wanted, removed=True)) is not None:
        return page
    if wanted in gone:
        raise NotFoundError(
            f"page '{wanted}' was removed",
            hint=f"`cocosearch-py wiki restore {wanted} {gone[wanted].version}` restores it",
        )
    page_id = find_page(queries.titles(conn, wiki.wiki_id), wanted)
    found = queries.page(conn, wiki.wiki_id, page_id)
    assert found is not None
    return found


def version_of(conn: Connection, wiki: Wiki, page: Page, number: int) -> Version:
    """Return a version of a page.

    Raises:
        NotFoundError: the page has no such version.
    """
    if (found := queries.version(conn, wiki.wiki_id, page.page_id, number)) is None:
        raise NotFoundError(
            f"page '{page.page_id}' has no version {number}", hint=f"use 1 to {page.version}, the latest"
        )
    return found


def with_current_links(conn: Connection, wiki: Wiki, version: Version) -> Version:
    """Return the version with links to current IDs of pages, the only ones that are stored."""
    if "[[" not in version.content:
        return version
    gone = queries.gone(conn, wiki.wiki_id)
    moved = {page_id: one.moved_to for page_id, one in gone.items() if one.moved_to is not None}
    return replace(version, content=retarget(version.content, moved))


def save(conn: Connection, wiki: Wiki, page: Page | None, latest: Version, page_type: str | None = None) -> Written:
    """Store a version as the latest of its page, with its links."""
    outline = read_outline(latest.content)
    saved = queries.save(conn, wiki.wiki_id, latest, page_type or DEFAULT_TYPE, outline.headings)
    queries.set_links(conn, wiki.wiki_id, latest.page_id, outline.links)
    queries.touch(conn, wiki.wiki_id)
    broken = judged(conn, wiki, queries.links_of(conn, wiki.wiki_id, latest.page_id))
    return Written(saved, created=page is None, changed=True, broken=only_broken(broken))


def judged(conn: Connection, wiki: Wiki, links: Sequence[LinkState]) -> list[LinkState]:
    """Check links: `broken` says why a link leads nowhere."""
    known = queries.headings(conn, wiki.wiki_id, sorted({link.target or link.page_id for link in links}))
    return [link._replace(broken=_fault_of(link, known)) for link in links]


def only_broken(links: Iterable[LinkState]) -> tuple[LinkState, ...]:
    """Return those of checked links that lead nowhere."""
    return tuple(link for link in links if link.broken)


def _fault_of(link: LinkState, known: Mapping[str, Sequence[str]]) -> str | None:
    if link.target and link.target not in known:
        return f"no page '{link.target}'"
    headings = known.get(link.target or link.page_id)
    if link.heading is None or headings is None or anchor(link.heading) in map(anchor, headings):
        return None
    return f"page '{link.target or link.page_id}' has no heading '{link.heading}'"
