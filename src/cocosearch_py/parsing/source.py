"""Parse one file: its tree, definitions, comments, facts and health, in one pass each over the tree.

It never raises for what a file holds. It opens no file.
"""

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node, Parser, QueryCursor, Tree

from cocosearch_py.languages import LANGUAGES, Language
from cocosearch_py.languages.conditionals import MAX_READINGS, Reading, Stretch
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.syntax import ParsedSource
from cocosearch_py.parsing.branches import Branches, add_whole, extend, put_in_order
from cocosearch_py.parsing.captures import Captured, Match, sort_matches
from cocosearch_py.parsing.facts import build_facts
from cocosearch_py.parsing.health import Health, check_health
from cocosearch_py.parsing.kinds import are_right
from cocosearch_py.parsing.nesting import nested_too_deep
from cocosearch_py.parsing.parsers import LoadedGrammar, load_grammar
from cocosearch_py.parsing.repairs import MAX_TURNS, edited, repaired
from cocosearch_py.parsing.symbols import build_symbols

_NO_GRAMMAR = ParsedSource(ParseStatus.NO_GRAMMAR, "", 0, (), (), None)

# A tree takes 10 to 100 times the memory of its source. Larger sources are data; their chunks are cut by lines.
MAX_PARSED_BYTES = 16_000_000
# Below this size a parse may go without a deadline, which is about 15 % faster. Nearly all senseless input ends within
# seconds then, but some never does: a few hundred bytes of damaged Kotlin are enough. Data have trees of 20 MB at most.
DEADLINE_FROM_BYTES = 65_536
# Ordinary files take 0.1 to 0.5 s per MB. A file may take this twice: see `_parse`.
PARSE_BUDGET_S = 2.0
PARSE_BUDGET_S_PER_MB = 5.0
# tree-sitter calls back every 100 operations, for 30 to 80 nodes. Source has 110 to 400 bytes between two calls; data
# and `a=1;a=1;…` have 30 to 70, and trees of up to 350 times their size. Of these no more is read than so many steps,
# about a million nodes.
MAX_STEPS_OF_DATA = 20_000
MIN_BYTES_PER_STEP = 80
# What is given to the parser piece by piece goes through a buffer that serves again and again: tree-sitter 0.26.1 never
# lets go of what it has read from, be it the whole text of a file.
_READ_BYTES = 16_384
_BUFFER = bytearray(_READ_BYTES)
# Long parses call back, so that another thread can get in between; two at once by one parser crash the process.
_PARSING = threading.Lock()
_CALLS_PER_LOOK = 16  # at the clock: the system is asked for it, and so many calls take half a millisecond
_SLOW_CALLS_S = 0.05  # unless they take so long: some scanners read all that is left for each token
# The query's cursor looks, from each child without named ones behind it, along all the others: 20,000 tokens in one
# node cost 0.3 s, 100,000 cost 7 s. Only broken or absurd source has such nodes.
MAX_TOKENS_IN_ONE_NODE = 20_000
DENSE_FROM_BYTES = 32_768  # smaller sources have too few tokens to look
# All matches are in memory at once, up to 200 MB per million nodes. A million nodes are 3 MB of ordinary source.
MAX_QUERIED_NODES = 1_000_000
# Larger sources with errors are read once only: each reading costs as much as the first.
MAX_BRANCHED_BYTES = 100_000
_OTHER_BRANCH = rb"(?m)^#[ \t]*el"
_CONDITION = rb"\n[ \t]*#[ \t]*(?:if|el|endif)"
_NEAR_BYTES = 120
_ERRORS_LEFT = 0.5
# Each step of the cursor looks at all matches that have begun: those of `a().b().c()…` end in reverse order, and 20,000
# calls in a row would take a minute. Of more than these the oldest are given up; ordinary source has some dozens.
MAX_OPEN_MATCHES = 1_000
# No match begins further down: each costs as much as it is deep, and 60,000 of `a.a.a…` in Haskell took 40 s.
MAX_DEPTH_OF_MATCHES = 10_000
# Bytes above 0x7F are text: emoji and letters of other scripts are few tokens, not one each.
_PUNCTUATION = rb"[^\w\s\x80-\xff]"
_RUN_OF_PUNCTUATION = re.compile(rb"(?:" + _PUNCTUATION + rb"[ \t\r\n]?){1,%d}" % MAX_TOKENS_IN_ONE_NODE)
_WORDS_TO_0 = re.sub(rb"[^0]", b"1", re.sub(rb"[\w\x80-\xff]", b"0", bytes(range(256))))
_NO_WORDS = b"1" * MAX_TOKENS_IN_ONE_NODE
_OTHER_BYTES = re.sub(_PUNCTUATION, b"", bytes(range(256)))
_TOO_DENSE = "too many tokens in one place"
_NOT_UTF8 = "the text is not UTF-8"


def parse_source(language_id: str, source: bytes, *, watched: bool = True) -> ParsedSource:
    """Parse `source`, which should be UTF-8 (other bytes are carried along), as `language_id`.

    Args:
        watched: keep a deadline in any case. Only who can end this process may do without.
    Returns:
        Status NO_GRAMMAR and nothing else when the language is unknown or its grammar is not installed. Symbols and
        comments are given even for status ERROR, where they hold for the parts that could be read. A file with more
        than `captures.MAX_DEFINITIONS` definitions, or MAX_QUERIED_NODES nodes, is PARTIAL and has the first of them;
        one in which no definitions could be looked for is PARTIAL, too, and its error says why.
    """
    with _PARSING:
        if not source or source.endswith(b"\n"):
            return _parse_source(language_id, source, watched=watched)
        # Some grammars take the end of a last line without a newline for an error.
        return _ending_at(len(source), _parse_source(language_id, source + b"\n", watched=watched))


def _ending_at(end: int, parsed: ParsedSource) -> ParsedSource:
    """The result for a source that ends before the newline which was added to it."""
    symbols = tuple(one._replace(end_byte=end) if one.end_byte > end else one for one in parsed.symbols)
    comments = tuple((first, min(last, end)) for first, last in parsed.comments)
    error_places = tuple((min(first, end), min(last, end)) for first, last in parsed.error_places)
    return replace(parsed, symbols=symbols, comments=comments, error_places=error_places)


def _parse_source(language_id: str, source: bytes, *, watched: bool) -> ParsedSource:
    grammar = load_grammar(language_id)
    if grammar is None:
        return _NO_GRAMMAR
    language = LANGUAGES[language_id]
    if len(source) > MAX_PARSED_BYTES:
        return _unparsed(source, f"larger than {MAX_PARSED_BYTES // 1_000_000} MB, not parsed")
    if (deep := nested_too_deep(source, language.max_indentation_levels)) is not None:
        return _unparsed(source, f"{deep}, not parsed")
    parsed = language.rewrite(source) if language.rewrite is not None else source
    tree, end = _parse(grammar.parser, parsed, watched=watched)
    root = None if tree is None else tree.root_node
    queried = root if end == len(source) else _parse_beginning(grammar.parser, parsed, end)
    judged = root or queried
    if judged is None:
        return _unparsed(source, "parsing took too long")
    health = check_health(judged, source, bare_calls=language.bare_calls)
    if tree is not None and queried is root and health.error and language.repair is not None:
        parsed, tree, health = repaired(grammar.parser, language, parsed, tree, health)
        judged = queried = root = tree.root_node
    if root is None:  # the cut makes errors of its own
        health = replace(health, status=ParseStatus.OK, error="", error_bytes=0)
    joined = None
    if tree is not None and language.readings is not None:
        joined = _read_branches(grammar, language, parsed, tree, health, watched=watched)
    if joined is not None:
        root, health = joined.root, joined.health
    elif queried is not None:
        joined = _read(grammar, queried, source, health)
        joined.captured.cut = joined.captured.cut or queried is not root
    else:
        joined = _Read(judged, health, Captured(cut=True), [], "")
    captured = joined.captured
    symbols = build_symbols(language, captured, source, parsed)
    facts = build_facts(joined.facts, captured, symbols, source, language, measured=grammar.has_facts)
    health = _with_omissions(health, captured, joined.reason)
    usable = None if health.status is ParseStatus.ERROR else root
    comments = tuple(captured.comment_spans)
    return ParsedSource(
        health.status, health.error, health.error_bytes, symbols, comments, usable, facts, health.errors
    )


def _unparsed(source: bytes, reason: str) -> ParsedSource:
    return ParsedSource(ParseStatus.ERROR, f"line 1, column 1: {reason}", len(source), (), (), None)


@dataclass(slots=True)
class _Watch:
    """Stops a parse that takes too long, or whose tree would be too large for what it is of."""

    deadline: float  # of the thread's CPU time: what a busy machine makes late is no absurd source
    calls: int = 0
    next_look: int = 0  # at the clock, by number of calls
    looked: float = 0.0
    steps: int = 0  # that went forward; at the end the tree is balanced
    offset: int = -1
    end_of_data: int = 0  # how far a file was read that turned out to be data

    def __call__(self, offset: int, _has_error: bool) -> bool:
        self.calls += 1
        self.steps += offset > self.offset
        self.offset = offset
        if self.steps > MAX_STEPS_OF_DATA and offset < self.steps * MIN_BYTES_PER_STEP:
            self.end_of_data = offset * 9 // 10  # a little less, so that this part alone is read to its end
            return True
        if self.calls < self.next_look:
            return False
        now = time.thread_time()
        self.next_look = self.calls + (1 if now - self.looked > _SLOW_CALLS_S else _CALLS_PER_LOOK)
        self.looked = now
        return now > self.deadline


def _parse(
    parser: Parser, source: bytes, before: Tree | None = None, *, watched: bool = True
) -> tuple[Tree | None, int]:
    """Return the tree, and up to which byte to look for definitions.

    The tree is None when the file is data, or, with a 0 behind it, when the time budget is spent.

    Args:
        before: of a source that is the same where it is not edited, and read anew only there.
    """
    if not watched and len(source) < DEADLINE_FROM_BYTES:
        return parser.parse(source) if before is None else parser.parse(source, before), len(source)
    watch = _Watch(time.thread_time() + PARSE_BUDGET_S + PARSE_BUDGET_S_PER_MB * len(source) / 1_000_000)

    def read(offset: int, _point: object) -> bytearray | memoryview:
        piece = source[offset : offset + _READ_BYTES]
        _BUFFER[: len(piece)] = piece
        return _BUFFER if len(piece) == _READ_BYTES else memoryview(_BUFFER)[: len(piece)]

    try:
        if before is None:
            tree = parser.parse(read, progress_callback=watch)
        else:
            tree = parser.parse(read, before, progress_callback=watch)
    except ValueError:  # what tree-sitter says when the callback stops it
        parser.reset()
        return None, watch.end_of_data
    # A tree read through a callback has no text, and a query that compares text would crash the process (tree-sitter
    # 0.26.1). Parsing again with all of the tree to reuse costs next to nothing and gives it its text; only what is
    # in error is parsed anew.
    tree = parser.parse(source, tree)
    return tree, len(source) * MAX_QUERIED_NODES // max(tree.root_node.descendant_count, MAX_QUERIED_NODES)


def _parse_beginning(parser: Parser, source: bytes, end: int) -> Node | None:
    """Return the tree of the beginning of a file, of whole lines if there are any, in which to look for definitions.

    A byte range of the whole tree would not do: it does not keep a query's cursor from the children of the root.
    """
    beginning = source[: source.rfind(b"\n", 0, end) + 1 or end]
    tree = _parse(parser, beginning)[0] if beginning else None
    return None if tree is None else tree.root_node


@dataclass(slots=True)
class _Read:
    """Captures in one tree. `reason` is why nothing could be looked for, or empty."""

    root: Node
    health: Health
    captured: Captured
    facts: list[Match]
    reason: str


def _read(
    grammar: LoadedGrammar, root: Node, source: bytes, health: Health, parts: Sequence[Stretch] | None = None
) -> _Read:
    """Read a tree, or only what reaches into some parts of it."""
    matches, reason = _matches(grammar, root, source, health, parts)
    definitions: list[Match] = []
    facts: list[Match] = []
    for match in matches:
        if match[0] not in grammar.loose or are_right(match[1], grammar.kinds):
            (definitions if match[0] < grammar.first_fact else facts).append(match)
    return _Read(root, health, sort_matches(definitions, source), facts, reason)


def _read_branches(
    grammar: LoadedGrammar, language: Language, source: bytes, whole: Tree, health: Health, *, watched: bool
) -> _Read | None:
    """Read a file more often than once where branches of its `#if` lines need it; None if they do not."""
    if len(source) > MAX_BRANCHED_BYTES:
        return None
    joined = None
    if health.error and _near_condition(source, health):
        joined = _read_cut_branches(grammar, language, source, whole, health, watched=watched)
    if joined is None and language.skips_branches and re.search(_OTHER_BRANCH, source):
        joined = _read_skipped_branches(grammar, language, source, whole, health, watched=watched)
    if (joined.health if joined is not None else health).error and language.repair is not None:
        joined = _read_at_last(grammar, language, source, health, watched=watched) or joined
    return joined


def _read_at_last(
    grammar: LoadedGrammar, language: Language, source: bytes, health: Health, *, watched: bool
) -> _Read | None:
    """Read a file with the repair that is for what neither repairs nor branches explain; None if errors remain.

    Where they do, each branch is read with that repair, too.
    """
    mended = bytearray(source)
    for at, text in language.repair(source, health.errors, MAX_TURNS) if language.repair is not None else ():
        mended[at : at + len(text)] = text
    if mended == source:
        return None
    tree, end = _parse(grammar.parser, bytes(mended), watched=watched)
    if tree is None or end < len(source):
        return None
    found = check_health(tree.root_node, source, bare_calls=language.bare_calls)
    if not found.error:
        return _read(grammar, tree.root_node, source, found)
    joined = _read_cut_branches(grammar, language, bytes(mended), tree, found, watched=watched)
    return None if joined is None or joined.health.error else joined


def _read_cut_branches(
    grammar: LoadedGrammar, language: Language, source: bytes, whole: Tree, health: Health, *, watched: bool
) -> _Read | None:
    """Read a file with errors once for each branch; None if that helps nothing.

    Returns the tree of the first reading, the health of the worst, and what all have captured.
    """
    if language.readings is None:
        return None
    joined: _Read | None = None
    turns, before = 0, whole
    for reading in language.readings(source):
        turns += 1
        tree, end = _parse(grammar.parser, reading.source, edited(before, source, reading.changed), watched=watched)
        if tree is None or end < len(source):
            break
        root, before = tree.root_node, tree
        found = check_health(root, source, bare_calls=language.bare_calls)
        if joined is not None:
            _add_branches(joined, _read(grammar, root, source, found, reading.new), reading, source)
        elif _is_better(found, health):
            joined = _read(grammar, root, source, found)
        else:
            return None
    if joined is not None and (joined.health.error or turns == MAX_READINGS):
        add_whole(joined.captured, _read(grammar, whole.root_node, source, health).captured, source)
    if joined is not None:
        put_in_order(joined.captured)
    return joined


def _read_skipped_branches(
    grammar: LoadedGrammar, language: Language, source: bytes, whole: Tree, health: Health, *, watched: bool
) -> _Read | None:
    """Add to what a grammar reads of a file the branches that it skips."""
    if language.readings is None:
        return None
    joined = _read(grammar, whole.root_node, source, health)
    for reading in language.readings(source):
        if not reading.new:
            continue
        tree, end = _parse(grammar.parser, reading.source, watched=watched)
        if tree is None or end < len(source):
            break
        root = tree.root_node
        read = _read(grammar, root, source, check_health(root, source))
        if not read.health.error:
            extend(joined.captured, read.captured)
        _add_branches(joined, read, reading, source)
    put_in_order(joined.captured)
    return joined


def _add_branches(joined: _Read, read: _Read, reading: Reading, source: bytes) -> None:
    """Add what a reading has in its new branches. The health is that of the worst."""
    branches = Branches(reading.new)
    branches.add(joined.captured, read.captured, source)
    joined.facts += [match for match in read.facts if branches.have(match)]
    joined.health = max(joined.health, read.health, key=lambda one: one.error_bytes)
    joined.reason = joined.reason or read.reason


def _is_better(read: Health, whole: Health) -> bool:
    """Say whether so much fewer is in error that conditions are the cause; each reading costs a parse."""
    fewer = read.error_bytes <= _ERRORS_LEFT * whole.error_bytes
    return fewer and (whole.error_bytes > 0 or len(read.errors) < len(whole.errors))


def _near_condition(source: bytes, health: Health) -> bool:
    """Say whether a directive stands at one of the errors; elsewhere conditions are not their cause."""
    return any(
        re.search(_CONDITION, source[max(0, start - _NEAR_BYTES) : end + _NEAR_BYTES]) for start, end in health.errors
    )


def _matches(
    grammar: LoadedGrammar, root: Node, source: bytes, health: Health, parts: Sequence[Stretch] | None = None
) -> tuple[list[Match], str]:
    """Return all matches, and why there are none where they could not be looked for.

    Args:
        parts: only what reaches into one of these.
    """
    if grammar.query is None:
        return [], ""
    if health.widest_error > MAX_TOKENS_IN_ONE_NODE:
        return [], _TOO_DENSE
    if len(source) >= DENSE_FROM_BYTES and _is_dense(source):
        return [], _TOO_DENSE
    try:
        cursor = QueryCursor(grammar.query, match_limit=MAX_OPEN_MATCHES)
        cursor.set_max_start_depth(MAX_DEPTH_OF_MATCHES)
        if parts is None:
            return cursor.matches(root), _TOO_DENSE if cursor.did_exceed_match_limit else ""
        found: dict[object, Match] = {}  # one that reaches into two parts is in both
        for part in parts:
            cursor.set_byte_range(part.start, part.end)
            found |= {_nodes(match): match for match in cursor.matches(root)}
        return list(found.values()), _TOO_DENSE if cursor.did_exceed_match_limit else ""
    except (UnicodeDecodeError, SystemError):  # a pattern compares the text of a node that is no UTF-8
        return [], _NOT_UTF8


def _is_dense(source: bytes) -> bool:
    # Nearly all sources have fewer punctuation marks, or words between them: both are seen ten times as fast.
    marks = len(source.translate(None, _OTHER_BYTES))
    if marks < MAX_TOKENS_IN_ONE_NODE or source.translate(_WORDS_TO_0).find(_NO_WORDS) < 0:
        return False
    # Run by run, each read once: to look for a long one would begin anew at each mark of those that are too short.
    runs = (run[0].translate(None, b" \t\r\n") for run in _RUN_OF_PUNCTUATION.finditer(source))
    return any(len(run) == MAX_TOKENS_IN_ONE_NODE for run in runs)


def _nodes(match: Match) -> tuple[object, ...]:
    """Return a key that tells a match of one tree from all others."""
    pattern, captures = match
    return pattern, *((name, node.id, node.start_byte) for name, nodes in captures.items() for node in nodes)


def _with_omissions(health: Health, captured: Captured, reason: str) -> Health:
    """Add to a file's health that some of its definitions are left out, or, for a `reason`, all of them."""
    if captured.cut:
        row = captured.definitions[-1].node.start_point[0] if captured.definitions else 0
        text = f"line {row + 1}: too many definitions or comments in one file; the rest is skipped"
    elif reason:
        text = f"line 1: {reason}; its definitions are skipped"
    else:
        return health
    status = ParseStatus.PARTIAL if health.status is ParseStatus.OK else health.status
    return replace(health, status=status, error=f"{health.error}; {text}" if health.error else text)
