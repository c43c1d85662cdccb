"""Conversion of links between pages to relative Markdown links, which every program shows, and back. Pure."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt

from cocosearch_py.features.wiki.links import anchor, line_starts, read_outline

INDEX_FILE = "index.md"
SUFFIX = ".md"
_LINK = re.compile(r"(?<![\\!\[])\[((?:[^\[\]\\\n]|\\.)*)\]\(\s*<?([^()\s<>]+)>?(\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)")
_TARGET = re.compile(r"(\]\(\s*)(<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?=[\s)])")
_DEFINITION = re.compile(r"^( {0,3}\[[^\]\n]+\]:[ \t]*)(\S+)", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/|#|mailto:", re.IGNORECASE)
_ESCAPED = re.compile(r"([\\\[\]|<])")


class Target(NamedTuple):
    """Title and headings of a page that links lead to."""

    title: str
    headings: tuple[str, ...]


class Spot(NamedTuple):
    """A Markdown link; `start` and `end` are characters of the text."""

    start: int
    end: int
    text: str
    target: str


def file_of(page_id: str) -> str:
    """Return the file name of a page. The list of all pages has the name that the page `index` would have."""
    return f"_{INDEX_FILE}" if page_id == "index" else page_id + SUFFIX


def page_of(name: str) -> str | None:
    """Return the page of a file."""
    if name == f"_{INDEX_FILE}":
        return "index"
    return name.removesuffix(SUFFIX) if name.endswith(SUFFIX) and name != INDEX_FILE else None


def shown(text: str) -> str:
    """Escape a text for a link."""
    escaped = _ESCAPED.sub(r"\\\1", text)
    return escaped.replace("`", "\\`") if text.count("`") % 2 else escaped


def to_markdown(content: str, page_id: str, pages: Mapping[str, Target]) -> str:
    """Return a page with Markdown links to other pages. Broken links stay as they are."""
    parts, at = [], 0
    for link in read_outline(content).links:
        target = pages.get(link.target or page_id)
        if target is None:
            continue
        place = file_of(link.target) if link.target else ""
        place += f"#{anchor(link.heading)}" if link.heading else ""
        text = link.label or (target.title if link.target else link.heading or target.title)
        parts += [content[at : link.start], f"[{shown(text)}]({place})"]
        at = link.end
    return "".join((*parts, content[at:]))


def from_markdown(text: str, page_id: str, pages: Mapping[str, Target]) -> str:
    """Return the page whose `to_markdown` is this text."""
    parts, at = [], 0
    for spot in find_links(text):
        name, _, heading = spot.target.partition("#")
        target = page_of(name)
        link = _spelled(target, heading, spot.text, pages) if target in pages else None
        if link is not None:
            parts += [text[at : spot.start], link]
            at = spot.end
    content = "".join((*parts, text[at:]))
    return content if to_markdown(content, page_id, pages) == text else text


def canonical(content: str) -> str:
    """Return a form of a page that does not depend on the spelling, text and target page of its links."""
    parts, at = [], 0
    for link in read_outline(content).links:
        place = file_of(link.target) if link.target else ""
        parts += [content[at : link.start], f"[]({place}#{anchor(link.heading or '')})"]
        at = link.end
    text = "".join((*parts, content[at:]))
    parts, at = [], 0
    for spot in find_links(text):
        name, _, heading = spot.target.partition("#")
        if not name or page_of(name) is not None:
            parts += [text[at : spot.start], f"[]({name}#{anchor(unquote(heading))})"]
            at = spot.end
    return "".join((*parts, text[at:]))


def find_links(text: str) -> Iterator[Spot]:
    """Find Markdown links outside code and HTML whose texts have one line."""
    for start, end, spans in _prose(text):
        for match in _LINK.finditer(text, start, end):
            if not any(first < match.end() and match.start() < last for first, last in spans):
                yield Spot(match.start(), match.end(), match[1], match[2])


def adopt(text: str, path: str, known: Mapping[str, str], pages: Mapping[str, Target]) -> str:
    """Convert a document to a page, with links to other pages as `[[id|text]]`.

    Links to other files get paths from the top of the repository, because a page has no folder.

    Args:
        path: of the file, relative to that top.
        known: pages by path.
    """
    text = _DEFINITION.sub(lambda match: match[1] + _moved(match[2], path, known), text)
    parts, at = [], 0
    for spot in find_links(text):
        place, _, heading = spot.target.partition("#")
        page = None if _ELSEWHERE.match(spot.target) else _page_at(place, path, known)
        link = _spelled(page, heading, spot.text, pages) if page is not None else None
        if link is not None:
            parts += [text[at : spot.start], link]
            at = spot.end
    text = "".join((*parts, text[at:]))
    parts, at = [], 0
    for start, end, spans in _prose(text):
        for match in _TARGET.finditer(text, start, end):
            if not any(first < match.end() and match.start() < last for first, last in spans):
                parts += [text[at : match.start(2)], _moved(match[2], path, known)]
                at = match.end(2)
    return "".join((*parts, text[at:]))


def _spelled(page: str | None, heading: str, text: str, pages: Mapping[str, Target]) -> str | None:
    """Return a link as `[[id|text]]`, or None if its text or heading cannot be spelled so."""
    if page is None or page not in pages:
        return None
    target = pages[page]
    label = re.sub(r"\\([\\\[\]|<`])", r"\1", text)
    named = next((one for one in target.headings if anchor(one) == anchor(unquote(heading))), unquote(heading))
    if any(sign in label for sign in "[]|\n") or any(sign in named for sign in "[]|\n"):
        return None
    inner = f"{page}#{named}" if heading else page
    return f"[[{inner}]]" if text == shown(target.title) else f"[[{inner}|{label}]]" if label.strip() else None


def _moved(spelled: str, path: str, known: Mapping[str, str]) -> str:
    """Return the target of a document's link, as seen from a page."""
    target = spelled.strip("<>")
    if not target or _ELSEWHERE.match(target):
        return spelled
    place, mark, rest = target.partition("#")
    page = _page_at(place, path, known)
    if page is not None:
        return f"{file_of(page)}{mark}{rest}"
    inner = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
    moved = "/" + inner.removeprefix("../").lstrip("./") if inner.startswith("..") else f"/{inner}"
    return f"<{moved}{mark}{rest}>" if " " in moved else f"{moved}{mark}{rest}"


def _page_at(place: str, path: str, known: Mapping[str, str]) -> str | None:
    """Return the page at a relative address, which may lack the suffix of a file or the index file of a folder."""
    inner = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(place).partition("?")[0]))
    tried = (inner, f"{inner}.md", *(posixpath.normpath(f"{inner}/{name}.md") for name in ("index", "README")))
    return next((known[one] for one in tried if one in known), None)


def _prose(text: str) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Yield the spans that Markdown reads as text, with the code spans in each."""
    starts = line_starts(text)
    last = 0
    for token in _parser().parse(text):
        if token.type != "inline" or token.map is None:
            continue
        start, end = max(starts[token.map[0]], last), starts[min(token.map[1], len(starts) - 1)]
        last = max(last, end)  # Cells of a table row share their lines.
        if start < end:
            yield start, end, [match.span() for match in _CODE.finditer(text, start, end)]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def line_at(text: str, position: int) -> int:
    """Return the line of a character, from 1."""
    return bisect_right(line_starts(text), position)
