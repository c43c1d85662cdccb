"""Renaming and removal of pages. All versions are kept, and links to the page are updated."""

from collections.abc import Sequence
from dataclasses import replace

from cocosearch_py.errors import SafetyError, ValidationError
from cocosearch_py.features.wiki import queries
from cocosearch_py.features.wiki.answers import MovedPage, broken_links
from cocosearch_py.features.wiki.arguments import WikiRemoveArguments, WikiRenameArguments
from cocosearch_py.features.wiki.contributions import MAX_TITLE_CHARS
from cocosearch_py.features.wiki.links import retarget
from cocosearch_py.features.wiki.model import RENAMED, LinkState, Page, Wiki, WikiPlace
from cocosearch_py.features.wiki.naming import check_id
from cocosearch_py.features.wiki.pages import hold, judged, named, save
from cocosearch_py.features.wiki.place import author_of, target_of
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.storage.connection import Connection
from cocosearch_py.tools.call import Call


def wiki_rename(call: Call, asked: WikiRenameArguments) -> MovedPage:
    """Rename a page; see `rename_page`."""
    target = target_of(call, writes=True)
    author = author_of(call, asked.author)
    return rename_page(target.wikis, target.place, asked.page, asked.new_id, asked.title, author=author)


def wiki_remove(call: Call, asked: WikiRemoveArguments) -> MovedPage:
    """Remove a page; see `remove_page`."""
    target = target_of(call, writes=True)
    author = author_of(call, asked.author)
    return remove_page(target.wikis, target.place, asked.page, asked.to, author=author)


def rename_page(
    wikis: Wikis, place: WikiPlace, text: str, new_id: str, title: str | None = None, *, author: str
) -> MovedPage:
    """Give a page a new ID, and a new title if one is given. Its versions, notes and links go with it.

    The old ID leads to the page from now on. Links of other pages are updated, which makes new versions of them.

    Raises:
        NotFoundError: there is no such page.
        ValidationError: the ID or title is not valid, or the page has this ID.
        SafetyError: another page has the ID, or a removed page had it.
    """
    check_id(new_id)
    if title is not None and not 0 < len(title.strip()) <= MAX_TITLE_CHARS:
        raise ValidationError("the title is empty or too long", hint=f"use 1 to {MAX_TITLE_CHARS} characters")
    with wikis.database.writing() as conn:
        wiki = hold(conn, place)
        page = named(conn, wiki, text)
        if new_id == page.page_id:
            raise ValidationError(f"page '{new_id}' already has this id", hint="give another one")
        gone = queries.gone(conn, wiki.wiki_id).get(new_id)
        if queries.page(conn, wiki.wiki_id, new_id) is not None:
            raise SafetyError(f"page '{new_id}' already exists", hint="give an id that no page has")
        if gone is not None and queries.page(conn, wiki.wiki_id, new_id, removed=True) is not None:
            raise SafetyError(
                f"page '{new_id}' was removed, but its versions are kept", hint="give an id that was never used"
            )
        linking = _linking(conn, wiki, page.page_id)
        queries.rename(conn, wiki.wiki_id, page.page_id, new_id)
        changes = {page.page_id: new_id}
        latest = replace(
            page.latest,
            page_id=new_id,
            version=page.version + 1,
            title=title.strip() if title is not None else page.title,
            content=retarget(page.latest.content, changes),
            author=author,
            reason=RENAMED,
        )
        written = save(conn, wiki, page, latest)
        rewritten = _rewrite(conn, wiki, linking, changes, author)
        return _moved(written.page, new_id, rewritten)


def remove_page(wikis: Wikis, place: WikiPlace, text: str, to: str | None = None, *, author: str) -> MovedPage:
    """Remove a page. Its versions and notes are kept; restoring a version brings it back.

    Args:
        to: the page that its ID and links of other pages lead to from now on; without it the links are broken.
    Raises:
        NotFoundError: there is no such page.
        ValidationError: `to` is the page itself.
    """
    with wikis.database.writing() as conn:
        wiki = hold(conn, place)
        page = named(conn, wiki, text)
        target = named(conn, wiki, to).page_id if to is not None else None
        if target == page.page_id:
            raise ValidationError(f"page '{target}' cannot replace itself", hint="name another page")
        linking = _linking(conn, wiki, page.page_id)
        queries.remove(conn, wiki.wiki_id, page.page_id, target)
        queries.touch(conn, wiki.wiki_id)
        rewritten = _rewrite(conn, wiki, linking, {page.page_id: target}, author) if target is not None else ()
        left = queries.links_to(conn, wiki.wiki_id, target or page.page_id)
        broken = [link for link in judged(conn, wiki, left) if link.page_id in linking]
        return _moved(page, target, rewritten, broken)


def _moved(page: Page, to: str | None, rewritten: tuple[str, ...], links: Sequence[LinkState] = ()) -> MovedPage:
    return MovedPage(
        page=page.page_id,
        title=page.title,
        version=page.version,
        moved_to=to,
        rewritten=rewritten,
        broken_links=broken_links(links),
    )


def _linking(conn: Connection, wiki: Wiki, page_id: str) -> tuple[str, ...]:
    """Return the other pages that link to a page."""
    return tuple(dict.fromkeys(link.page_id for link in queries.links_to(conn, wiki.wiki_id, page_id)))


def _rewrite(
    conn: Connection, wiki: Wiki, page_ids: Sequence[str], changes: dict[str, str], author: str
) -> tuple[str, ...]:
    """Change the targets of links in pages; return the pages, which have a new version."""
    pages: list[Page] = queries.pages(conn, wiki.wiki_id, page_ids)
    for page in pages:
        content = retarget(page.latest.content, changes)
        latest = replace(page.latest, version=page.version + 1, content=content, author=author, reason=RENAMED)
        save(conn, wiki, page, latest)
    return tuple(page.page_id for page in pages)
