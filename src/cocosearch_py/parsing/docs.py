"""The text of comments and docstrings, without their markers."""

import inspect
import re

MAX_DOC_CHARS = 4_000  # longer comments are chapters; search finds the rest of them in the file's chunks
_MAX_READ_CHARS = 4 * MAX_DOC_CHARS  # markers and indentation are at most three quarters of a comment worth reading

_MARKER = r"(?:/\*[*!]?|//[/!]?|#[!:]?(?=[^\w]|$)|#+(?!\w)|#|--\[=*\[|--+(?:[ \t]?[|^])?|;+|%+|\{-[ \t]?[|^]?|\(\*+)"
_OPENING = re.compile(r"\s*" + _MARKER)
_LINE_OPENINGS = re.compile(r"^[^\S\n]*" + _MARKER + " ?", re.MULTILINE)
_LINE_STARTS = re.compile(r"\n(?:[^\S\n]*\*(?!/) ?| )")  # of the second and later lines of a block comment
_LUA_CLOSING = re.compile(r"\]=*\]$")
_QUOTES = re.compile(r"^[A-Za-z~]{0,3}(\"\"\"|'''|\"|')")
# Comments for compilers, linters and editors.
_PRAGMA = re.compile(
    r"#!|\{-#|\s*(?:/\*+|//+|#+|--+|;+|%+)[ \t!]*(?=[a-zCNS@+-])(?:"  # most others begin otherwise
    r"eslint|jshint|jslint|tslint|prettier-ignore|istanbul |[cv]8 ignore|@ts-|biome-ignore|@flow\b|deno-lint|"
    r"noqa|type:[ ]*ignore|pragma:|(?:fmt|yapf|isort|mypy|pyright|ruff|pylint|flake8|rubocop|typed|credo|luacheck):|"
    r"frozen_string_literal:|-\*-|vim?:|NOLINT|nolint|clang-format|go:|\+build|lint:|swiftlint:|swiftformat:|"
    r"noinspection|@formatter:|ktlint-|checkstyle:|CHECKSTYLE|SPDX-|phpcs:|@phpstan-ignore|@psalm-suppress|"
    r"shellcheck[ ]|stylua:|selene:|cspell:)",
)
_RULE = re.compile(r"^[ \t]*[-=*#~_+/<>|]{4,}[ \t]*(?:\n|\Z)", re.MULTILINE)  # a line across the page


def is_pragma(comment: str) -> bool:
    """Say whether a comment speaks to a tool."""
    return _PRAGMA.match(comment) is not None


def join_comments(comments: list[str]) -> str:
    """Join consecutive comments (line comments or blocks), in order of the file, to one text without markers."""
    blocks = list(map(_is_block, comments))
    if not any(blocks):
        text = _lines_text(comments)
    else:
        pairs = zip(comments, blocks, strict=True)
        text = "\n".join([_block_text(one) if is_block else _lines_text([one]) for one, is_block in pairs])
    return _cut(_RULE.sub("", text))


def _is_block(comment: str) -> bool:
    return comment.lstrip().startswith(("/*", "{-", "(*", "--[", "=begin"))


def _lines_text(comments: list[str]) -> str:
    joined = "\n".join([comment.rstrip("\r\n") for comment in comments])
    return _rstrip_lines(_LINE_OPENINGS.sub("", joined[:_MAX_READ_CHARS]))


def _block_text(comment: str) -> str:
    body = comment[:_MAX_READ_CHARS].rstrip()
    if (opening := _OPENING.match(body)) is not None:
        body = body[opening.end() :]
    if body.endswith(("*/", "*)")):
        body = body[:-1].rstrip("*")
    elif body.endswith("-}"):
        body = body[:-2]
    elif body.endswith("]"):
        body = _LUA_CLOSING.sub("", body)
    return _rstrip_lines(_LINE_STARTS.sub("\n", body)).strip()


def _rstrip_lines(text: str) -> str:
    return "\n".join(map(str.rstrip, text.split("\n")))


def docstring_text(literal: str) -> str:
    """Strip prefix, quotes and common indentation of a string literal."""
    opening = _QUOTES.match(literal.strip())
    if opening is None:
        return _cut(inspect.cleandoc(literal))
    quotes = opening.group(1)
    return _cut(inspect.cleandoc(literal.strip()[opening.end() :].removesuffix(quotes)))


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_DOC_CHARS else text[: MAX_DOC_CHARS - 1].rstrip() + "…"
