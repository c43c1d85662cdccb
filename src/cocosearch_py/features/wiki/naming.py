"""IDs of pages, and pages found by title. Pure."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from cocosearch_py.errors import NotFoundError, ValidationError

_ID = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_MAX_ID_CHARS = 100
_NEAREST = 3


def slug(text: str) -> str:
    """Return an ID made from a title; may be empty."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain[:_MAX_ID_CHARS].strip("-")


def check_id(text: str) -> str:
    """Return a valid ID unchanged.

    Raises:
        ValidationError: it is not valid.
    """
    if len(text) <= _MAX_ID_CHARS and _ID.fullmatch(text):
        return text
    near = slug(text)
    raise ValidationError(
        f"'{text[:_MAX_ID_CHARS]}' is not a valid page id",
        hint="use lower-case letters and digits, with '-', '_' or '.' between them" + (f": {near}" if near else ""),
    )


def find_page(titles: Sequence[tuple[str, str]], text: str) -> str:
    """Return the ID of the page with this ID or title, or part of it.

    Args:
        titles: (ID, title) of all pages.
    Raises:
        NotFoundError: no page matches, or several do.
    """
    wanted = text.strip().casefold()
    by_rank: tuple[list[str], ...] = ([], [], [])
    for page_id, title in titles:
        plain = title.casefold()
        if page_id == text.strip():
            return page_id
        if wanted and (wanted in (page_id, plain) or slug(text) == page_id):
            by_rank[0].append(page_id)
        elif wanted and wanted in plain:
            by_rank[1].append(page_id)
        elif wanted and wanted in page_id:
            by_rank[2].append(page_id)
    found = next((found for found in by_rank if found), [])
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFoundError(
            f"'{text[:100]}' matches several pages", hint=f"give the id of one: {', '.join(found[:10])}"
        )
    names = {name: page_id for page_id, title in titles for name in (page_id, title.casefold())}
    near = list(dict.fromkeys(names[name] for name in get_close_matches(wanted, names, n=_NEAREST, cutoff=0.5)))
    raise NotFoundError(
        f"no page '{text[:100]}'",
        hint=f"did you mean {', '.join(near)}?" if near else "find pages with wiki_search, or all with wiki_status",
    )
