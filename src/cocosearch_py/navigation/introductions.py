"""First sentences about a project, from its manifest or README, and about a file, from its header. Pure."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from cocosearch_py.parsing.docs import docstring_text, is_pragma, join_comments

READMES = ("README.md", "README.rst", "README.txt", "README", "README.adoc", "Readme.md", "readme.md")
MANIFESTS = ("pyproject.toml", "package.json", "Cargo.toml", "composer.json")
PACKAGE_DOCS = ("__init__.py", "doc.go", "mod.rs", "lib.rs")
_PAGES = frozenset({"markdown", "rst", "asciidoc", "text"})
_MOST_READ_CHARS = 10_000  # of a page or a header
_MOST_CHARS = 240  # of a sentence
_FEWEST_WORDS = 3  # of a paragraph that is prose
_PARAGRAPHS = 8  # among which a definition is looked for
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[A-Z`\"'(])")
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_COMMENTED = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_IMAGE = re.compile(r"\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\]\([^)]*\)|\]\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])?")
_RST_LINK = re.compile(r"`([^`<>]+?)\s*<[^`<>]+>`_+|:\w+(?::\w+)?:`([^`]+)`|`([^`]+)`_+")
_EMPHASIS = re.compile(r"(\*\*|__|\*)(\S(?:.*?\S)?)\1")
_DEFINITION = re.compile(r"(?:\S+ ){1,5}(?:is|are) (?:an?|the)\b")  # "Flask is a framework"
_NO_PROSE = re.compile(r"(?: {4}|\t)|\s*(?:#|\.\. |[|>=]|[*+-]+(?: |$)|\d+\. |:\w+:|!|\[[^\]]+\]:)")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+])\1{2,}\s*$", re.MULTILINE)
_LICENCE = re.compile(r"copyright|licen[cs]e|SPDX|all rights reserved", re.IGNORECASE)
_DOCSTRING = re.compile(
    r"\s*([rRuU]?(?:\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*'))[ \t]*;?[ \t]*(?:\n|\Z)", re.DOTALL
)
_COMMENT = re.compile(
    r"\s*(?:(/\*.*?\*/|<!--.*?-->|\{-.*?-\}|--\[\[.*?\]\]|\(\*.*?\*\))"
    r"|((?:[^\S\n]*(?://|#(?![\w\[])|#!|--|;;|%)[^\n]*(?:\n|\Z))+))",
    re.DOTALL,
)
_PREAMBLE = re.compile(r"\s*(?:<\?php|<!DOCTYPE[^>]*>|<\?xml[^>]*>|[\"']use \w+[\"'];?)", re.IGNORECASE)


def of_project(read: Mapping[str, str]) -> str:
    """Return the first sentence about a project; empty if there is none.

    Args:
        read: texts of the files in its folder, by name.
    """
    for name in MANIFESTS:
        if told := first_sentence(_described(name, read.get(name, ""))):
            return told
    for name in READMES:
        if told := of_page(read.get(name, "")):
            return told
    docs = (of_file(read[name]) for name in PACKAGE_DOCS if name in read)
    return next(filter(None, docs), "")


def of_page(text: str) -> str:
    """Return the first sentence of a page in Markdown, reStructuredText or plain text. Prefer one like `X is a ...`."""
    prose = list(islice(_prose(text), _PARAGRAPHS))
    return next(filter(_DEFINITION.match, prose), prose[0] if prose else "")


def _prose(text: str) -> Iterator[str]:
    """The first sentence of each paragraph of prose."""
    text = _COMMENTED.sub("", _FENCED.sub("", text[:_MOST_READ_CHARS].removeprefix("\ufeff")))
    for paragraph in (one.strip("\n") for one in re.split(r"\n[^\S\n]*\n", text)):
        if _NO_PROSE.match(paragraph) or _UNDERLINE.search(paragraph):
            continue
        plain = _LINK.sub(r"\1", _IMAGE.sub("", _TAG.sub("", paragraph)))
        plain = _RST_LINK.sub(lambda found: found[1] or found[2] or found[3], plain)
        plain = _EMPHASIS.sub(r"\2", plain).strip()
        if len(re.findall(r"[^\W\d]{2,}", plain)) >= _FEWEST_WORDS and not _NO_PROSE.match(plain):
            yield first_sentence(plain)


def of_file(text: str, language_id: str = "") -> str:
    """Return the first sentence of a file's docstring or header comment, apart from licences and notes to tools."""
    if language_id in _PAGES:
        return of_page(text)
    at = 0
    text = text[:_MOST_READ_CHARS].removeprefix("\ufeff")
    while True:
        if (found := _PREAMBLE.match(text, at)) is not None:
            at = found.end()
        elif (found := _DOCSTRING.match(text, at)) is not None:
            return first_sentence(docstring_text(found[1]))
        elif (found := _COMMENT.match(text, at)) is not None:
            at = found.end()
            if told := _header(found[1], found[2]):
                return told
        else:
            return ""


def entries_of(read: Mapping[str, str]) -> list[str]:
    """List the programs that the manifests of a folder install, such as `flask = flask.cli:main`."""
    project = _toml(read.get("pyproject.toml", ""))
    scripts = _member(project, "project", "scripts") or _member(project, "tool", "poetry", "scripts")
    binary = _json(read.get("package.json", "")).get("bin")
    if isinstance(binary, str):
        return [binary]
    found = scripts if isinstance(scripts, dict) else binary if isinstance(binary, dict) else {}
    return [f"{name} = {where}" for name, where in found.items() if isinstance(where, str)]


def script_for_tests(read: Mapping[str, str]) -> str | None:
    """Return the command for tests among the scripts of a folder; None if there is none."""
    script = _member(_json(read.get("package.json", "")), "scripts", "test")
    if isinstance(script, str) and "no test specified" not in script:
        return "npm test"
    return "make test" if re.search(r"^test\s*:(?!=)", read.get("Makefile", ""), re.MULTILINE) else None


def _header(block: str | None, lines: str | None) -> str:
    comments = [block] if block is not None else [line for line in (lines or "").splitlines() if not is_pragma(line)]
    if block is not None and (is_pragma(block) or block.startswith("<!--")):
        comments = []
    told = join_comments(comments) if comments else ""
    return "" if _LICENCE.search(told) else first_sentence(told)


def first_sentence(text: str) -> str:
    """Return the first sentence of the first paragraph, on one line."""
    first = " ".join(re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0].split())
    first = _SENTENCE_END.split(first, maxsplit=1)[0]
    return first if len(first) <= _MOST_CHARS else first[:_MOST_CHARS].rsplit(" ", 1)[0] + " ..."


def _described(name: str, text: str) -> str:
    if name.endswith(".json"):
        found = _json(text).get("description")
    else:
        content = _toml(text)
        tables = (("project",), ("tool", "poetry"), ("package",))
        found = next((one for table in tables if (one := _member(content, *table, "description"))), None)
    return found if isinstance(found, str) else ""


def _member(content: Any, *names: str) -> Any:
    for name in names:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
