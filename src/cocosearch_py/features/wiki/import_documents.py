"""Conversion of Markdown documents to pages of a wiki. Pure."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime

import yaml

from cocosearch_py.features.wiki.contributions import MAX_TITLE_CHARS
from cocosearch_py.features.wiki.folders import FilePage
from cocosearch_py.features.wiki.links import read_outline
from cocosearch_py.features.wiki.markup import Target, adopt
from cocosearch_py.features.wiki.model import DEFAULT_TYPE, IMPORTED, Version
from cocosearch_py.features.wiki.naming import slug

_NEVER = datetime.min.replace(tzinfo=UTC)  # A version gets the time of its transaction.


def adopted(texts: Mapping[str, str], prefix: str, taken: Collection[str]) -> dict[str, FilePage]:
    """Convert files to pages, by name of the file. IDs come from paths, titles from front matter or headings.

    Args:
        texts: by path below the folder.
        prefix: what is before it to have a path of the repository.
        taken: ids that other pages have.
    """
    ids: dict[str, str] = {}
    opened: dict[str, tuple[str, str, int]] = {}
    targets: dict[str, Target] = {}
    for name in sorted(texts):
        ids[prefix + name] = page_id = _id_of(name, {*taken, *ids.values()})
        body, title, line = _opened(texts[name])
        headings = read_outline(body).headings
        opened[name] = (body, (title or next(iter(headings), "") or page_id)[:MAX_TITLE_CHARS], line)
        targets[page_id] = Target(opened[name][1], headings)
    found = {}
    for name, (body, title, line) in opened.items():
        content = adopt(body, prefix + name, ids, targets)
        latest = Version(ids[prefix + name], 1, title, content, (), "", IMPORTED, _NEVER)
        found[name] = FilePage(latest, DEFAULT_TYPE, "", intact=False, text_line=line)
    return found


def _id_of(name: str, taken: Collection[str]) -> str:
    parts = name.rsplit(".", 1)[0].split("/")
    if len(parts) > 1 and parts[-1].lower() in ("index", "readme"):
        parts.pop()
    wanted = slug(" ".join(parts)) or "page"
    number, page_id = 1, wanted
    while page_id in taken:
        number += 1
        page_id = f"{wanted[:90].rstrip('-')}-{number}"
    return page_id


def _opened(text: str) -> tuple[str, str, int]:
    """Return a text without its front matter, the title in it, and the line on which the text begins."""
    if not text.startswith("---\n") or (end := text.find("\n---\n", 3)) < 0:
        return text.removesuffix("\n"), "", 1
    found = None
    with suppress(yaml.YAMLError, ValueError, RecursionError):
        found = yaml.safe_load(text[4 : end + 1])
    named = found.get("title") if isinstance(found, dict) else None
    title = str(named) if isinstance(named, str | int | float) else ""  # The text of a list may be endless.
    body = text[end + 5 :]
    begins = len(body) - len(body.lstrip("\n"))
    line = text.count("\n", 0, end + 5 + begins) + 1
    return body.strip("\n"), " ".join(title.replace("\0", "").encode(errors="replace").decode().split()), line
