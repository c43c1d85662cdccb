"""Links and headings of a page in Markdown. Pure.

`[[id]]`, `[[id|text]]` and `[[id#heading]]` are links wherever Markdown reads text: not in code, not in HTML.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from cocosearch_py.features.wiki.model import Link

_LINK = re.compile(r"\[\[([^\[\]|#\n]*?)(?:#([^\[\]|\n]*?))?(?:\\?\|([^\[\]\n]*))?\]\]")
_KIND = "wiki_link"


class Outline(NamedTuple):
    """Links and headings of a page, in order."""

    links: tuple[Link, ...]
    headings: tuple[str, ...]


def read_outline(content: str) -> Outline:
    """Read the links and headings of a page."""
    links: list[Link] = []
    headings: list[str] = []
    starts = line_starts(content)
    tokens = _parser().parse(content)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline" or token.map is None:
            continue
        if before is not None and before.type == "heading_open":
            headings.append(_plain(token))
        if "[[" in token.content:
            links += _links(content, starts, token)
    return Outline(tuple(links), tuple(headings))


def retarget(content: str, moved: Mapping[str, str]) -> str:
    """Return the text with links to other pages: `moved` has the new target of each old one."""
    if not moved or "[[" not in content:
        return content
    parts, end = [], 0
    for link in sorted(read_outline(content).links, key=lambda link: link.start):
        if (new := moved.get(link.target)) is not None:
            match = _LINK.match(content, link.start)
            assert match is not None
            parts += [content[end : match.start(1)], new]
            end = match.end(1)
    return "".join([*parts, content[end:]])


def anchor(heading: str) -> str:
    """Return the form of a heading for comparison, without case, punctuation and kinds of white space."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower())).strip("-")


def _links(content: str, starts: list[int], token: Token) -> list[Link]:
    """Return the links of one token. The nth link in its text is the nth one in the lines that it came from."""
    assert token.map is not None
    real = [child.meta["at"] for child in token.children or () if child.type == _KIND]
    if not real:
        return []
    turns = {match.start(): number for number, match in enumerate(_LINK.finditer(token.content))}
    first, last = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
    there = list(_LINK.finditer(content, first, last))
    found = []
    for at in real:
        match = there[turns[at]]
        target, heading, label = (part.strip() if part is not None else None for part in match.groups())
        line = content.count("\n", 0, match.start()) + 1
        found.append(Link(target or "", heading or None, label or None, line, *match.span()))
    return found


def _read_link(state: StateInline, silent: bool) -> bool:
    match = _LINK.match(state.src, state.pos, state.posMax)
    if match is None or not (match[1].strip() or match[2]):
        return False
    if not silent:
        token = state.push(_KIND, "", 0)
        token.content = match[0]
        token.meta = {"at": match.start()}
    state.pos = match.end()
    return True


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.inline.ruler.before("link", _KIND, _read_link)
    return parser


def _plain(token: Token) -> str:
    return "".join(child.content for child in token.children or ()).strip()


def line_starts(content: str) -> list[int]:
    """Return the start of each line, as Markdown counts them, and the end of the text."""
    return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", content)), len(content)]
