"""From the matches of a facts query to references, imports, and figures of functions.

The captures of `languages/<id>/facts.scm`:

- `@call`, `@type`, `@inherit`, `@read` on the name node of a reference, the identifier only (`b` of `a.b()`), with
  `@qualifier` in the same match on what stands before it (`a`, `self`, `pkg::mod`). A node that several patterns find
  has the first of these kinds. Of reads only names stay that the file imports or defines outside of definitions, and
  names in capitals: others are locals nearly always. Where a folder is a scope, one capital at the start is enough;
- `@local` on a name that is given a value, in the same match with `@of` on its type, `@made` on what is called for
  it, `@same` on an expression, `@each` on what its values are taken from, or `@decorated` on what a function of that
  name is passed to; `@field` instead on a member of the class around it. They tell the type of what stands before a
  name. `@gives.of`, `@gives.made`, `@gives.same` tell alike what the function around gives, and `@gives.yielded`;
- `@import` on a whole statement with `@module` on the module's text, quoted or not, or on its parts, and with
  `@relative` if it is meant from the file's folder whatever it begins with; for each imported name a match of
  its own with `@imported`, or `@wildcard` for all, or `@default` on the local name of a default export; `@alias` on the
  local name. `@from.KEY` on a pair of a mapping: the module is meant from the folder that the pair of that key beside
  it names. A plain `import a.b` has no `@imported`; a match that has only the module counts if no other has it;
- `@exported` on the local name of what others import as the default, or by the name in `@as`; `@exported.whole` on that
  of the value that stands for the whole module;
- `@links` on a text in which the targets of Markdown's links are imports;
- `@computed` on what gives the name of a member or function at run time (`x` of `a[x]()`), with `@qualifier` on what it
  is looked up on. Calls that do so by name (`getattr(a, x)`) are those of `Language.reflective`;
- `@branch`: adds 1 to the cyclomatic complexity of the function around it; `@nest`: a block that deepens nesting;
  `@parameter`: one parameter of the function in whose head it stands.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter, itemgetter

from tree_sitter import Node

from cocosearch_py.languages.language import Language
from cocosearch_py.model.references import (
    COMPUTED,
    DEFAULT_EXPORT,
    EXPORTED,
    TELLS,
    WHOLE_EXPORT,
    WILDCARD,
    FileFacts,
    Import,
    Metrics,
    Reference,
    ReferenceKind,
)
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing.captures import Captured, Match
from cocosearch_py.parsing.computed import Computed, computed_name, is_passed_on, reflective_calls
from cocosearch_py.parsing.receivers import Given, Receivers, Typed
from cocosearch_py.parsing.scopes import innermost
from cocosearch_py.parsing.signatures import decode

# What a file beyond these limits has more is left out: it is generated or data, and memory stays within bounds.
MAX_REFERENCES = 100_000
MAX_IMPORTS = 10_000
_MAX_NAME_BYTES = 200
_MIN_CAPITALS = 2  # letters in a name in capitals: of one letter are type parameters and loop bounds
# The first one holds where several patterns find one name.
_KINDS: tuple[ReferenceKind, ...] = ("call", "inherit", "type", "read")
_RANKS: Mapping[str, int] = {kind: rank for rank, kind in enumerate(_KINDS)}
_READ = _RANKS["read"]
_KEPT_NAMES = 10_000  # of a process: many files have the same ones
_MAX_QUALIFIER_BYTES = 100
_SIMPLE_QUALIFIER = re.compile(rb"[\w$.:\\>?!&*#@\x80-\xff-]+")
_EXPRESSION = "…"
_SUPER = b"super()"  # Python's
_NAME = re.compile(rb"[^\W\d][\w$?!'-]*|[$_@\x80-\xff][\w$\x80-\xff?!']*")
_NAME_OF_MODULE = re.compile(r"[\w.]+")
_MEMBER = re.compile(rb"\.([^\W\d]\w*)(?![\w(])")  # that is read, and not called
# A piece of code, or what follows the text of a link.
_LINK = re.compile(rb"(`+)[^\n]*?\1|\]\([ \t]*(?:<(?P<quoted>[^<>:\n]+)>|(?P<plain>[^#\s()<>:][^\s()<>:]*)(?=[\s)]))")
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro", "test"})
_FROM = "from."
_QUOTES = "\"'`"
_GIVES = "gives."
_HOW = frozenset({"of", "made", "same", "each", "decorated"})
_OTHERS = frozenset({"local", "field", "computed", "links", "import", "exported", "exported.whole"}) | {
    _GIVES + how for how in ("of", "made", "same", "yielded")
}
_PLACE = itemgetter(*map(Reference._fields.index, ("line", "column")))
_MARK_BYTES = 2_000  # before the name of a definition, in which annotations are looked for
# A mark is looked for where the text has one of its words, which is found a hundred times as fast.
_TEST_WORDS = (b"Test", b"#[", b"[Fact", b"[Theory")
_TEST_MARK = re.compile(
    rb"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b|#\[(?:\w+::)*(?:test|rstest|bench)\b"
    rb"|\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b|#\[Test\]"
)
_DEPRECATED_WORDS = (b"eprecated", b"[Obsolete")
_DEPRECATED_MARK = re.compile(
    rb"@(?:\w+\.)*[Dd]eprecated\b|#\[(?:\\?\w+\\)*[Dd]eprecated\b|\[Obsolete\b|\[\[deprecated"
)
_DEPRECATED_DOC = re.compile(
    r"@deprecated\b|\.\. deprecated::|^[ \t]*(?:\*\*)?(?:Deprecated[:.]|DEPRECATED\b)", re.MULTILINE
)


_Use = tuple[int, int, Node, Node | None]  # start, rank of the kind, name, qualifier


@dataclass(slots=True)
class _Found:
    """The captures of one file, sorted by what they are."""

    names: dict[int, _Use] = field(default_factory=dict)  # by start
    reads: list[Node] = field(default_factory=list)
    computed: list[tuple[Node, Node | None]] = field(default_factory=list)  # what gives a name, and its qualifier
    imports: list[tuple[int, int, Import]] = field(default_factory=list)  # start of the module, number of the match
    branches: list[Node] = field(default_factory=list)
    nests: list[Node] = field(default_factory=list)
    parameters: list[Node] = field(default_factory=list)
    typed: list[Typed] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    exported: list[tuple[Node, str]] = field(default_factory=list)  # local name, exported name


def build_facts(
    matches: Iterable[Match],
    captured: Captured,
    symbols: Sequence[Symbol],
    source: bytes,
    language: Language,
    *,
    measured: bool = True,
) -> FileFacts:
    """The facts of one file.

    Args:
        matches: of the patterns of the facts query.
        captured: its definitions, with the spans that they have in `symbols`.
        measured: whether the language has such a query; without one functions have no figures.
    """
    found = _sort(matches, source)
    for one in captured.definitions:
        start = one.name.start_byte
        if start in found.names and _KINDS[found.names[start][1]] != "inherit":  # as Haskell's `instance Show A`
            del found.names[start]  # a definition is no use of itself
    imports = tuple(_imports(found, () if language.imports_bring_all else symbols))
    brought = [name.partition(".")[0] for one in imports if (name := one.local_name)]
    receivers = Receivers(found.typed, symbols, source, brought)
    references = _references(found, imports, symbols, source, receivers, language)
    used = {one.name for one in references} if language.reflective else ()
    more = [*_computed(found, used, symbols, source, language), *_told(found, receivers, source)]
    more += _exports(found, source)
    more += _members_read(found, imports, symbols, source) if language.reads_members else ()
    if more:
        references += more
        references.sort(key=_PLACE)
    return FileFacts(
        references=tuple(references),
        imports=imports,
        metrics=_metrics(found, captured, symbols) if measured else (),
        tests=frozenset(_marked(_TEST_MARK, captured, symbols, source)),
        deprecated=frozenset(_deprecated(captured, symbols, source)),
    )


def _sort(matches: Iterable[Match], source: bytes) -> _Found:
    found = _Found()
    names = found.names
    lists = {"read": found.reads, "branch": found.branches, "nest": found.nests, "parameter": found.parameters}
    for number, (_, captures) in enumerate(matches):
        for capture, nodes in captures.items():
            if (same := lists.get(capture)) is not None:
                same += nodes
            elif (rank := _RANKS.get(capture)) is not None:
                start = nodes[0].start_byte
                known = names.get(start)
                # What comes first stays, and of the same kind what has something before it.
                if known is None or rank < known[1] or (rank == known[1] and known[3] is None):
                    before = captures.get("qualifier")
                    names[start] = start, rank, nodes[0], before[0] if before else None
            elif capture in _OTHERS:
                _add_other(found, capture, captures, number, source)
    return found


def _add_other(found: _Found, capture: str, captures: dict[str, list[Node]], number: int, source: bytes) -> None:
    """Add what of the captures of a match is no name, no read and no figure."""
    nodes = captures[capture]
    if capture in ("local", "field"):
        found.typed.append(_typed(captures))
    elif capture == "computed":
        found.computed.append((nodes[0], _first(captures.get("qualifier"))))
    elif capture == "exported":
        found.exported.append((nodes[0], _text(captures.get("as"), source) or DEFAULT_EXPORT))
    elif capture == "exported.whole":
        found.exported.append((nodes[0], WHOLE_EXPORT))
    elif capture == "links":
        found.imports += ((place, number, link) for node in nodes for place, link in _links(node, source))
    elif capture != "import":
        found.given.append(Given(nodes[0], capture.removeprefix(_GIVES)))
    elif "module" in captures:
        found.imports.append((captures["module"][0].start_byte, number, _import(captures, source)))


def _first(nodes: list[Node] | None) -> Node | None:
    return nodes[0] if nodes else None


def _typed(captures: dict[str, list[Node]]) -> Typed:
    how = next(filter(_HOW.__contains__, captures))
    is_field = "field" in captures
    return Typed(captures["field" if is_field else "local"][0], is_field, captures[how][0], how)


def _imports(found: _Found, symbols: Sequence[Symbol]) -> Iterator[Import]:
    """The imports in order of the file; of those of one module text that with a name, if any has one."""
    named = {place for place, _, one in found.imports if one.name or one.alias}
    ordered = sorted(found.imports, key=lambda item: item[:2])[:MAX_IMPORTS]
    around = innermost([place for place, _, _ in ordered], symbols)
    for (place, _, one), innermost_symbol in zip(ordered, around, strict=True):
        if one.name or one.alias or place not in named:
            symbol = innermost_symbol
            while symbol is not None and symbols[symbol].kind not in _FUNCTION_KINDS:
                symbol = symbols[symbol].parent
            yield one if symbol is None else one._replace(symbol=symbol)


def _links(node: Node, source: bytes) -> Iterator[tuple[int, Import]]:
    """The links in a text of Markdown, which its grammar does not parse, with their places; only those to files."""
    text = source[node.start_byte : node.end_byte]
    for match in _LINK.finditer(text):
        group = match.lastgroup
        if group is not None:
            line = node.start_point[0] + text.count(b"\n", 0, match.start()) + 1
            place = node.start_byte + match.start(group)
            yield place, Import(decode(match[group], 0, _MAX_NAME_BYTES), None, None, line)


def _import(captures: dict[str, list[Node]], source: bytes) -> Import:
    name, alias = _text(captures.get("imported"), source), _text(captures.get("alias"), source)
    if "wildcard" in captures:
        name = WILDCARD
    elif "default" in captures:
        name, alias = DEFAULT_EXPORT, _text(captures["default"], source)
    texts = (decode(source, one.start_byte, one.end_byte) for one in captures["module"])
    text = "".join("".join(texts).split()).strip(_QUOTES)
    if "relative" in captures and not text.startswith("."):
        text = f"./{text}"
    for capture, nodes in captures.items():
        if capture.startswith(_FROM) and not text.startswith("/"):
            folder = _sibling(nodes[0], capture[len(_FROM) :].encode())
            text = f"{folder.rstrip('/')}/{text}" if folder else text
    line = (captures.get("imported") or captures.get("alias") or captures["module"])[0].start_point[0] + 1
    return Import(text[:_MAX_NAME_BYTES], name, alias, line)


def _sibling(pair: Node, key: bytes) -> str:
    """The value that another pair of a mapping has, or ""."""
    for other in pair.parent.named_children if pair.parent is not None else ():
        name, value = other.child_by_field_name("key"), other.child_by_field_name("value")
        if name is not None and value is not None and name.text == key:
            return (value.text or b"").decode("utf-8", "replace").strip(_QUOTES)
    return ""


def _text(nodes: list[Node] | None, source: bytes) -> str | None:
    if not nodes:
        return None
    return decode(source, nodes[0].start_byte, nodes[0].end_byte).strip(_QUOTES)[:_MAX_NAME_BYTES] or None


def _references(
    found: _Found,
    imports: Sequence[Import],
    symbols: Sequence[Symbol],
    source: bytes,
    receivers: Receivers,
    language: Language,
) -> list[Reference]:
    uses = [*found.names.values(), *_kept_reads(found, imports, symbols, source, language)]
    uses.sort(key=itemgetter(0))
    del uses[MAX_REFERENCES:]
    is_ascii = source.isascii()
    references = []
    for (start, rank, node, qualifier), symbol in zip(uses, innermost([use[0] for use in uses], symbols), strict=True):
        name = source[start : node.end_byte]
        row, column = node.start_point
        before = receiver = ""
        if qualifier is not None:
            written = source[qualifier.start_byte : qualifier.end_byte]
            receiver = receivers.of(written, symbol, start)
            before = _qualifier(written)
        text = _identifier(name) if len(name) <= _MAX_NAME_BYTES else _identifier.__wrapped__(name)
        if not text:
            last = name.rfind(b".") + 1  # Elixir's `A.B` is one node, Python's in quotes too
            if not last or not _NAME.fullmatch(name, last):
                continue
            text, before = decode(name, last, last + _MAX_NAME_BYTES), _qualifier(name[: last - 1])
            column += last
        if not is_ascii:
            line = source.rfind(b"\n", 0, start) + 1
            column = len(source[line : line + column].decode("utf-8", "replace"))
        references.append(Reference(text, _KINDS[rank], before, row + 1, column + 1, symbol, receiver))
    return references


@lru_cache(maxsize=_KEPT_NAMES)
def _identifier(written: bytes) -> str:
    """The text of a name; "" for what is none."""
    return decode(written, 0, _MAX_NAME_BYTES) if _NAME.fullmatch(written) else ""


def _told(found: _Found, receivers: Receivers, source: bytes) -> Iterator[Reference]:
    """Yield the types that functions return and that attributes hold, see `Reference`."""
    given = sorted(found.given, key=lambda one: one.value.start_byte)
    line = before = 0
    for one in sorted(receivers.told(given), key=attrgetter("start")):
        line, before = line + source.count(b"\n", before, one.start), one.start
        kind: ReferenceKind = "gives" if one.is_function else "holds"
        yield Reference(f"{TELLS}{one.name}", kind, one.owner, line + 1, 1, one.symbol, one.text)


def _exports(found: _Found, source: bytes) -> Iterator[Reference]:
    """Names under which other files import definitions, see `Reference`."""
    for node, exported in found.exported:
        name = decode(source, node.start_byte, node.end_byte)[:_MAX_NAME_BYTES]
        row, column = node.start_point[0] + 1, _column(source, node.start_byte)
        yield Reference(EXPORTED, "exports", exported, row, column, None, name)


def _computed(
    found: _Found, used: Collection[str], symbols: Sequence[Symbol], source: bytes, language: Language
) -> Iterator[Reference]:
    """Names that are made at run time, see `Reference`, in order of the file; `used` are the names of references."""
    places = {}
    for node, qualifier in found.computed:
        made = Computed.of(source[node.start_byte : node.end_byte])
        if made.pattern is not None:
            places[node.start_byte] = (node, made, _written(qualifier, source))
    calls = {name: how for name, how in reflective_calls(language.reflective).items() if name.decode() in used}
    for start, rank, node, qualifier in found.names.values() if calls else ():
        name = source[start : node.end_byte]
        if (how := calls.get(name)) is None or _KINDS[rank] != "call":
            continue
        behind = _written(qualifier, source)
        taken = next((one for one in how if one.behind in (behind, b"*")), None)
        if taken is not None and (made := computed_name(source, node.end_byte, taken.position)).pattern is not None:
            on = behind if taken.position == 0 and taken.behind else made.first or behind
            places[start] = (node, made, (on if taken.behind == b"*" or taken.position else b"") or name)
    starts = sorted(places)
    for start, symbol in zip(starts, innermost(starts, symbols), strict=True):
        node, made, on = places[start]
        if symbol is not None and symbols[symbol].name in language.forwarders:
            one = symbols[symbol]
            if is_passed_on(made.expression, source[one.start_byte : one.end_byte]):
                continue
        before, row = _qualifier(on) if on else "", node.start_point[0] + 1
        yield Reference(COMPUTED, "computed", before, row, _column(source, start), symbol, made.pattern or "")


def _members_read(
    found: _Found, imports: Sequence[Import], symbols: Sequence[Symbol], source: bytes
) -> Iterator[Reference]:
    """Yield reads of members of imported modules, classes and values: B of `a.B`, with `a` as its qualifier."""
    brought: dict[bytes, list[bytes]] = defaultdict(list)  # the first part of what an import brings -> all of it
    for one in imports:
        local = one.alias or one.name or (one.module if _NAME_OF_MODULE.fullmatch(one.module) else None)
        if local and local != WILDCARD and (whole := local.encode()) not in brought[whole.partition(b".")[0]]:
            brought[whole.partition(b".")[0]].append(whole)
    places = {}
    for node in found.reads if brought else ():
        if source[node.end_byte : node.end_byte + 1] != b".":
            continue
        for whole in brought.get(source[node.start_byte : node.end_byte], ()):
            end = node.start_byte + len(whole)
            member = _MEMBER.match(source, end) if source.startswith(whole, node.start_byte) else None
            if member is not None and member.start(1) not in found.names:
                places[member.start(1)] = (member[1], whole, node.start_point[0] + 1)
    starts = sorted(places)
    for start, symbol in zip(starts, innermost(starts, symbols), strict=True):
        name, whole, row = places[start]
        text = decode(name, 0, _MAX_NAME_BYTES)
        yield Reference(text, "read", whole.decode(), row, _column(source, start), symbol)


def _column(source: bytes, start: int) -> int:
    """Column of a byte, in characters from 1."""
    return len(source[source.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")) + 1


def _written(node: Node | None, source: bytes) -> bytes:
    return b"" if node is None else source[node.start_byte : node.end_byte]


def _kept_reads(
    found: _Found, imports: Sequence[Import], symbols: Sequence[Symbol], source: bytes, language: Language
) -> list[_Use]:
    """The reads of names that the file imports or defines, and of those in capitals.

    Where files see their neighbours' definitions without an import, a capital first letter is enough.
    """
    wanted = {one.local_name for one in imports if one.name is not None}
    wanted |= {symbol.name for symbol in symbols if symbol.parent is None}
    wanted_bytes = {name.encode() for name in wanted if name}
    importing = {one.line for one in imports}
    kept: list[_Use] = []
    for node in found.reads:
        start = node.start_byte
        name = source[start : node.end_byte]
        is_wanted = name in wanted_bytes or (name.isupper() and len(name) >= _MIN_CAPITALS)
        if not is_wanted and language.folder_is_scope and len(name) >= _MIN_CAPITALS and name[:1].isupper():
            is_wanted = node.start_point[0] + 1 not in importing
        if is_wanted and start not in found.names:
            kept.append((start, _READ, node, None))
    return kept


def _qualifier(written: bytes) -> str:
    return _short_qualifier(written) if len(written) <= _MAX_QUALIFIER_BYTES else _EXPRESSION


@lru_cache(maxsize=_KEPT_NAMES)
def _short_qualifier(written: bytes) -> str:
    if written == _SUPER:
        return _SUPER.decode()
    return decode(written, 0, len(written)).rstrip(".") if _SIMPLE_QUALIFIER.fullmatch(written) else _EXPRESSION


def _metrics(found: _Found, captured: Captured, symbols: Sequence[Symbol]) -> tuple[tuple[int, Metrics], ...]:
    numbers = [number for number, symbol in enumerate(symbols) if symbol.kind in _FUNCTION_KINDS]
    functions = [symbols[number] for number in numbers]
    complexity, nesting, parameters = [1] * len(functions), [0] * len(functions), [0] * len(functions)
    for function in innermost(sorted([node.start_byte for node in found.branches]), functions):
        if function is not None:
            complexity[function] += 1
    heads = _head_ends(captured, functions) if found.parameters else []
    places = sorted([node.start_byte for node in found.parameters])
    for place, function in zip(places, innermost(places, functions), strict=True):
        if function is not None:
            parameters[function] += place < heads[function]
    _nest(sorted([node.byte_range for node in found.nests]), functions, nesting)
    return tuple(zip(numbers, map(Metrics, complexity, nesting, parameters), strict=True))


def _head_ends(captured: Captured, functions: Sequence[Symbol]) -> list[int]:
    """For each function the byte where its body begins, or it ends."""
    bodies = {(one.start, one.end): one.body.start_byte for one in captured.definitions if one.body is not None}
    # A function whose clauses are one definition has the parameters of the first.
    first_ends = {one.start: one.end for one in captured.definitions}
    spans = [(one.start_byte, one.end_byte) for one in functions]
    return [bodies.get((start, end), min(end, first_ends.get(start, end))) for start, end in spans]


def _nest(blocks: Sequence[tuple[int, int]], functions: Sequence[Symbol], nesting: list[int]) -> None:
    """Find how many blocks of one function are around its innermost one."""
    around: list[tuple[int, int, int]] = []  # function, end and depth of the blocks around the present one
    for (start, end), function in zip(blocks, innermost([block[0] for block in blocks], functions), strict=True):
        while around and around[-1][1] <= start:
            around.pop()
        if function is None:
            continue
        depth = around[-1][2] + 1 if around and around[-1][0] == function else 1
        around.append((function, end, depth))
        nesting[function] = max(nesting[function], depth)


def _marked(mark: re.Pattern[bytes], captured: Captured, symbols: Sequence[Symbol], source: bytes) -> Iterator[int]:
    """The definitions that have an annotation, before or behind their start, or are a test by their kind."""
    if mark is _TEST_MARK:
        yield from (number for number, symbol in enumerate(symbols) if symbol.kind == "test")
    words = _TEST_WORDS if mark is _TEST_MARK else _DEPRECATED_WORDS
    if not any(word in source for word in words) or mark.search(source) is None:
        return
    heads = {(one.start, one.end): (one.node.start_point[0], one.name.start_byte) for one in captured.definitions}
    for number, symbol in enumerate(symbols):
        row, name = heads.get((symbol.start_byte, symbol.end_byte), (0, symbol.start_byte))
        start, first = symbol.start_byte, row
        while (attribute := captured.attributes_by_end_row.get(first - 1)) is not None:
            first = attribute
        for _ in range(row - first):
            start = source.rfind(b"\n", 0, max(0, source.rfind(b"\n", 0, start))) + 1
        if mark.search(source, max(start, name - _MARK_BYTES), name):
            yield number


def _deprecated(captured: Captured, symbols: Sequence[Symbol], source: bytes) -> Iterator[int]:
    yield from _marked(_DEPRECATED_MARK, captured, symbols, source)
    for number, symbol in enumerate(symbols):
        doc = symbol.doc
        if doc and ("eprecated" in doc or "DEPRECATED" in doc) and _DEPRECATED_DOC.search(doc):
            yield number
