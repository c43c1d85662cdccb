"""Pages that are renamed or removed: nothing that was written is lost, and links to them are changed."""

from collections.abc import Sequence
from dataclasses import replace

from cocosearch_py.errors import SafetyError, ValidationError
from cocosearch_py.model.wiki import RENAMED, Moved, Page, Wiki, WikiPlace
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import wiki as store
from cocosearch_py.wiki.contributing import MAX_TITLE_CHARS
from cocosearch_py.wiki.links import retarget
from cocosearch_py.wiki.naming import check_id
from cocosearch_py.wiki.pages import hold, judged, named, only_broken, save
from cocosearch_py.wiki.service import WikiService


def rename_page(
    wikis: WikiService, place: WikiPlace, text: str, new_id: str, title: str | None = None, *, author: str
) -> Moved:
    """Give a page another id, and another title if one is given. Its versions, notes and links go with it.

    The old id leads to the page from now on; links of other pages are changed, which makes versions of these.

    Raises:
        NotFoundError: there is no such page.
        ValidationError: the id or title cannot be one, or is that of the page.
        SafetyError: another page has the id, or had it and has been removed.
    """
    check_id(new_id)
    if title is not None and not 0 < len(title.strip()) <= MAX_TITLE_CHARS:
        raise ValidationError("the title is empty or too long", hint=f"use 1 to {MAX_TITLE_CHARS} characters")
    with wikis.database.writing() as conn:
        wiki = hold(conn, place)
        page = named(conn, wiki, text)
        if new_id == page.page_id:
            raise ValidationError(f"page '{new_id}' already has this id", hint="give another one")
        gone = store.gone(conn, wiki.wiki_id).get(new_id)
        if store.page(conn, wiki.wiki_id, new_id) is not None:
            raise SafetyError(f"page '{new_id}' already exists", hint="give an id that no page has")
        if gone is not None and store.page(conn, wiki.wiki_id, new_id, removed=True) is not None:
            raise SafetyError(
                f"page '{new_id}' was removed, but its versions are kept", hint="give an id that was never used"
            )
        linking = _linking(conn, wiki, page.page_id)
        store.rename(conn, wiki.wiki_id, page.page_id, new_id)
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
        return Moved(written.page, new_id, rewritten, ())


def remove_page(wikis: WikiService, place: WikiPlace, text: str, to: str | None = None, *, author: str) -> Moved:
    """Take a page out of the wiki; its versions and notes are kept, and restoring one brings it back.

    Args:
        to: the page that its id leads to from now on, and links of other pages; without one these are broken.
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
        store.remove(conn, wiki.wiki_id, page.page_id, target)
        store.touch(conn, wiki.wiki_id)
        rewritten = _rewrite(conn, wiki, linking, {page.page_id: target}, author) if target is not None else ()
        left = store.links_to(conn, wiki.wiki_id, target or page.page_id)
        broken = [link for link in judged(conn, wiki, left) if link.page_id in linking]
        return Moved(page, target, rewritten, only_broken(broken))


def _linking(conn: Connection, wiki: Wiki, page_id: str) -> tuple[str, ...]:
    """The other pages that have links to a page."""
    return tuple(dict.fromkeys(link.page_id for link in store.links_to(conn, wiki.wiki_id, page_id)))


def _rewrite(
    conn: Connection, wiki: Wiki, page_ids: Sequence[str], changes: dict[str, str], author: str
) -> tuple[str, ...]:
    """Let the links of pages lead elsewhere; the pages that have a new version."""
    pages: list[Page] = store.pages(conn, wiki.wiki_id, page_ids)
    for page in pages:
        content = retarget(page.latest.content, changes)
        latest = replace(page.latest, version=page.version + 1, content=content, author=author, reason=RENAMED)
        save(conn, wiki, page, latest)
    return tuple(page.page_id for page in pages)
