"""Parse one file: its tree, definitions, comments, facts and health, in one pass each over the tree.

It never raises for what a file holds. It opens no file.
"""

import re
import time
from dataclasses import dataclass, replace

from tree_sitter import Node, Parser, QueryCursor

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.syntax import ParsedSource
from cocosearch_py.parsing.captures import Captured, Match, sort_matches
from cocosearch_py.parsing.facts import build_facts
from cocosearch_py.parsing.health import Health, check_health
from cocosearch_py.parsing.nesting import nested_too_deep
from cocosearch_py.parsing.parsers import LoadedGrammar, load_grammar
from cocosearch_py.parsing.symbols import build_symbols

_NO_GRAMMAR = ParsedSource(ParseStatus.NO_GRAMMAR, "", 0, (), (), None)

# A tree takes 10 to 100 times the memory of its source. Larger sources are data; their chunks are cut by lines.
MAX_PARSED_BYTES = 16_000_000
# Below this size a parse may go without a deadline, which is about 15 % faster. Nearly all senseless input ends within
# seconds then, but some never does: a few hundred bytes of damaged Kotlin are enough.
DEADLINE_FROM_BYTES = 32_768
# Ordinary files take 0.1 to 0.5 s per MB. A file may take this twice: see `_parse`.
PARSE_BUDGET_S = 2.0
PARSE_BUDGET_S_PER_MB = 5.0
# tree-sitter calls back every 100 operations, for 30 to 80 nodes. Source has 110 to 400 bytes between two calls; data
# and `a=1;a=1;…` have 30 to 70, and trees of up to 350 times their size. Of these no more is read than so many steps,
# about a million nodes.
MAX_STEPS_OF_DATA = 20_000
MIN_BYTES_PER_STEP = 80
# The query's cursor looks, from each child without named ones behind it, along all the others: 20,000 tokens in one
# node cost 0.3 s, 100,000 cost 7 s. Only broken or absurd source has such nodes.
MAX_TOKENS_IN_ONE_NODE = 20_000
# All matches are in memory at once, up to 100 MB per million nodes. A million nodes are 3 MB of ordinary source.
MAX_QUERIED_NODES = 1_000_000
_LONG_PUNCTUATION = re.compile(rb"(?:[^\w\s][ \t\r\n]?){20000}")


def parse_source(language_id: str, source: bytes, *, watched: bool = True) -> ParsedSource:
    """Parse `source`, which should be UTF-8 (other bytes are carried along), as `language_id`.

    Args:
        watched: keep a deadline in any case. Only who can end this process may do without.
    Returns:
        Status NO_GRAMMAR and nothing else when the language is unknown or its grammar is not installed. Symbols and
        comments are given even for status ERROR, where they hold for the parts that could be read. A file with more
        than `captures.MAX_DEFINITIONS` definitions, or MAX_QUERIED_NODES nodes, is PARTIAL and has the first of them.
    """
    grammar = load_grammar(language_id)
    if grammar is None:
        return _NO_GRAMMAR
    language = LANGUAGES[language_id]
    if len(source) > MAX_PARSED_BYTES:
        return _unparsed(source, f"larger than {MAX_PARSED_BYTES // 1_000_000} MB, not parsed")
    if (deep := nested_too_deep(source, language.max_indentation_levels)) is not None:
        return _unparsed(source, f"{deep}, not parsed")
    parsed = language.rewrite(source) if language.rewrite is not None else source
    root, end = _parse(grammar.parser, parsed, watched=watched)
    queried = root if end == len(source) else _parse_beginning(grammar.parser, parsed, end)
    judged = root or queried
    if judged is None:
        return _unparsed(source, "parsing took too long")
    health = check_health(judged, source)
    if root is None:  # the cut makes errors of its own
        health = replace(health, status=ParseStatus.OK, error="", error_bytes=0)
    matches = _matches(grammar, queried, source, health) if queried is not None else []
    captured = sort_matches((match for match in matches if match[0] < grammar.first_fact), source)
    captured.cut = captured.cut or queried is not root
    symbols = build_symbols(language, captured, source, parsed)
    facts = build_facts((match for match in matches if match[0] >= grammar.first_fact), captured, symbols, source)
    health = _with_cut(health, captured)
    usable = None if health.status is ParseStatus.ERROR else root
    comments = tuple(captured.comment_spans)
    return ParsedSource(health.status, health.error, health.error_bytes, symbols, comments, usable, facts)


def _unparsed(source: bytes, reason: str) -> ParsedSource:
    return ParsedSource(ParseStatus.ERROR, f"line 1, column 1: {reason}", len(source), (), (), None)


@dataclass(slots=True)
class _Watch:
    """Stops a parse that takes too long, or whose tree would be too large for what it is of."""

    deadline: float
    steps: int = 0  # that went forward; at the end the tree is balanced
    offset: int = -1
    end_of_data: int = 0  # how far a file was read that turned out to be data

    def __call__(self, offset: int, _has_error: bool) -> bool:
        self.steps += offset > self.offset
        self.offset = offset
        if self.steps > MAX_STEPS_OF_DATA and offset < self.steps * MIN_BYTES_PER_STEP:
            self.end_of_data = offset * 9 // 10  # a little less, so that this part alone is read to its end
            return True
        return time.monotonic() > self.deadline


def _parse(parser: Parser, source: bytes, *, watched: bool = True) -> tuple[Node | None, int]:
    """Return the root of the tree, and up to which byte to look for definitions.

    The root is None when the file is data, or, with a 0 behind it, when the time budget is spent.
    """
    if not watched and len(source) < DEADLINE_FROM_BYTES:
        return parser.parse(source).root_node, len(source)
    watch = _Watch(time.monotonic() + PARSE_BUDGET_S + PARSE_BUDGET_S_PER_MB * len(source) / 1_000_000)
    view = memoryview(source)  # slices of bytes would be copies, and the parser keeps each until it is done
    try:
        tree = parser.parse(lambda offset, _point: view[offset:], progress_callback=watch)
    except ValueError:  # what tree-sitter says when the callback stops it
        parser.reset()
        return None, watch.end_of_data
    # A tree read through a callback has no text, and a query that compares text would crash the process (tree-sitter
    # 0.26.1). Parsing again with all of the tree to reuse costs next to nothing and gives it its text; only what is
    # in error is parsed anew.
    root = parser.parse(source, tree).root_node
    return root, len(source) * MAX_QUERIED_NODES // max(root.descendant_count, MAX_QUERIED_NODES)


def _parse_beginning(parser: Parser, source: bytes, end: int) -> Node | None:
    """Return the tree of the beginning of a file, of whole lines if there are any, in which to look for definitions.

    A byte range of the whole tree would not do: it does not keep a query's cursor from the children of the root.
    """
    beginning = source[: source.rfind(b"\n", 0, end) + 1 or end]
    return _parse(parser, beginning)[0] if beginning else None


def _matches(grammar: LoadedGrammar, root: Node, source: bytes, health: Health) -> list[Match]:
    if grammar.query is None or health.widest_error > MAX_TOKENS_IN_ONE_NODE:
        return []
    if len(source) >= DEADLINE_FROM_BYTES and _LONG_PUNCTUATION.search(source):
        return []
    try:
        return QueryCursor(grammar.query).matches(root)
    except (UnicodeDecodeError, SystemError):  # a pattern compares the text of a node that is no UTF-8
        return []


def _with_cut(health: Health, captured: Captured) -> Health:
    """Add to a file's health that some of its definitions are left out."""
    if not captured.cut:
        return health
    row = captured.definitions[-1].node.start_point[0] if captured.definitions else 0
    text = f"line {row + 1}: too many definitions or comments in one file, those from here on are left out"
    status = ParseStatus.PARTIAL if health.status is ParseStatus.OK else health.status
    return replace(health, status=status, error=f"{health.error}; {text}" if health.error else text)
