"""`ask_codebase`, `cocosearch-py ask`: questions about code, answered with evidence from its graph and its text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import QUOTED, Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, without_feature
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.emptiness import filtered_out
from cocosearch_py.tools.fitting import fit, fits, room
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.asking.evidence import Answered, Evidence
    from cocosearch_py.model.code import CodePart

MAX_LIMIT = 50
MAX_HOPS = 4
MAX_CONTEXT = 20
MIN_TOKENS, DEFAULT_TOKENS, MAX_TOKENS = 200, 8_000, 20_000
EXIT_NOT_FOUND = 1
_HASH_CHARS = 12
_MOST_LINES = 60  # of a piece of evidence, without its context
_LIKELY = 4  # pieces that are whole with their context, as long as there is room
_HEAD_LINES = 6  # of a piece where there is little
_REV_CHARS = 12
_MAX_CHARS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of ask_codebase."""

    question: Annotated[
        str,
        About("Who calls X? What does X call? Where is E thrown? What imports M? How does Y work?"),
        Flag(
            metavar="QUESTION",
            type=given.Texts,
            default=None,
            read=given.joined,
            piped=True,
            help="Question about the code. @FILE reads a file, - reads standard input.",
        ),
    ]
    index_name: given.IndexName = None
    path_glob: given.PathGlob = None
    max_hops: Annotated[
        int,
        About("Calls and imports to follow, 1-4"),
        UNLISTED,
        Flag(
            names=("--hops",),
            metavar="N",
            minimum=1,
            maximum=MAX_HOPS,
            help="Number of calls and imports to follow (1–4).",
        ),
    ] = 2
    context_lines: Annotated[
        int,
        About("Lines around each piece of evidence, 0-20"),
        UNLISTED,
        Flag(
            names=("-C", "--context"),
            metavar="N",
            minimum=0,
            maximum=MAX_CONTEXT,
            help="Lines to show around each piece of evidence (0–20).",
        ),
    ] = 5
    limit: Annotated[
        int,
        About("Pieces of evidence, 1-50"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum pieces of evidence (1–50).",
        ),
    ] = 12
    max_tokens: given.MaxTokens = DEFAULT_TOKENS
    member: given.Member = None


class Reasoning(TypedDict):
    """What was looked up, for what, how much that brought, and in how many milliseconds."""

    step: Count
    intent: Literal["symbol", "file", "import", "callgraph", "text"]
    query: str
    results_count: Count
    ms: float


class Text(TypedDict):
    """Lines of a file with those around them."""

    pre: str
    text: str
    post: str


class Citation(TypedDict):
    """What the lines are of: the commit that was indexed, and the first digits of the hash of the file's bytes."""

    rev: NotRequired[str]
    content_sha: str
    stale: NotRequired[str]


class Piece(TypedDict):
    """Lines `lines`, first and last, of a file; `via` says what they are to the question, `step` what found them."""

    path: str
    lines: list[Count]
    relevance: Share
    step: Count
    via: str
    name: NotRequired[str]
    content: Text
    citation: Citation


class Sure(TypedDict):
    """How sure it is that the evidence holds the answer."""

    value: Share
    level: Literal["high", "medium", "low"]
    reason: str


class Next(TypedDict):
    """A call of a tool that goes on from here."""

    tool: str
    arguments: Any
    why: str


class Answer(TypedDict):
    """Evidence, the most telling first; paths are relative to `root`."""

    question: str
    root: str
    intent: str
    confidence: Sure
    reasoning_steps: list[Reasoning]
    note: str
    evidence: list[Piece]
    next_steps: list[Next]
    hints: NotRequired[list[str]]
    hint: NotRequired[str]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What was found for a question, and the lines of each piece of evidence."""

    record: IndexRecord
    answered: "Answered"
    parts: "tuple[tuple[Evidence, CodePart], ...]"
    warnings: tuple[str, ...]


def ask_codebase(call: Call, asked: Arguments) -> Asked:
    """Answer a question about code with evidence from calls, imports, definitions, tests and search.

    It says how each line was found and how sure it is. No language model takes part: you draw the conclusion.
    """
    from cocosearch_py.asking.evidence import Bounds
    from cocosearch_py.asking.service import answer, needs_graph
    from cocosearch_py.search.request import build_filters
    from cocosearch_py.tools.lookups import IndexLookups

    question = _checked(asked.question)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    hops = bounded.value("max_hops", asked.max_hops, 1, MAX_HOPS)
    context = bounded.value("context_lines", asked.context_lines, 0, MAX_CONTEXT)
    bounded.value("max_tokens", asked.max_tokens, MIN_TOKENS, MAX_TOKENS)
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else list(asked.path_glob or [])
    found = call.find()
    if needs_graph(question) and not found.records[0].has("graph"):
        raise without_feature(found.records[0], "graph")
    filters = inside(found, asked.member).filters(build_filters(path_globs=globs))
    lookups = IndexLookups(call, found, filters)
    answered = answer(question, lookups, Bounds(max_hops=hops, limit=limit))
    places = [
        (one.path, one.start_line, min(one.end_line, one.start_line + _MOST_LINES - 1)) for one in answered.evidence
    ]
    parts = lookups.read(places, context)
    shown = tuple((one, part) for one, part in zip(answered.evidence, parts, strict=True) if part is not None)
    reason = [] if shown else filtered_out(found, filters)
    told = (*bounded.notes, *reason, *remarks_on(call, found, lookups.stale))
    return Asked(found.records[0], answered, shown, told)


def _checked(text: str) -> str:
    question = text.strip()
    if not question or not is_text(question) or len(question) > _MAX_CHARS:
        raise ValidationError(
            f"the question is empty, longer than {_MAX_CHARS:,} characters or not text",
            hint="ask in one sentence: who calls X? where is E thrown? how does Y work?",
        )
    return question


def _answer(found: Asked, asked: Arguments) -> Json:
    items = [_piece(found.record, one, part, asked.context_lines) for one, part in found.parts]
    whole = items
    for begin, shorten in _SHORTER:
        if fits(_built(found, asked, items, len(items), is_short=items is not whole), room(asked.max_tokens)):
            break
        items = [one if at < begin else shorten(one) for at, one in enumerate(items)]

    def build(kept: Sequence[Json]) -> Json:
        return _built(found, asked, kept, len(items), is_short=items is not whole)

    return cast("Json", fit(items, build, asked.max_tokens))


def _without_context(piece: Json) -> Json:
    return {**piece, "content": {**piece["content"], "pre": "", "post": ""}}


def _head(piece: Json) -> Json:
    """Its first lines alone, with a mark if there are more; `lines` still says where all are."""
    lines = piece["content"]["text"].split("\n")
    text = "\n".join([*lines[:_HEAD_LINES], "..."] if len(lines) > _HEAD_LINES + 1 else lines)
    return {**piece, "content": {"pre": "", "text": text, "post": ""}}


_SHORTER = ((_LIKELY, _without_context), (0, _without_context), (_LIKELY, _head), (0, _head))


def _built(found: Asked, asked: Arguments, kept: Sequence[Json], total: int, *, is_short: bool) -> Json:
    answered = found.answered
    sure = answered.sureness
    answer: Json = {
        "question": asked.question.strip(),
        "root": found.record.root_path,
        "intent": answered.intent,
        "confidence": {"value": sure.value, "level": sure.level, "reason": sure.reason},
        "reasoning_steps": [
            {
                "step": one.step,
                "intent": one.intent,
                "query": one.query,
                "results_count": one.results_count,
                "ms": one.ms,
            }
            for one in answered.steps
        ],
        "note": QUOTED,
        "evidence": list(kept),
        "next_steps": _next(answered, asked),
    }
    if answered.notes:
        answer["hints"] = list(answered.notes)
    warnings = list(found.warnings)
    if len(kept) < total:
        answer["truncated"] = True
        warnings.append(f"{len(kept)} of {total} pieces of evidence fit: raise max_tokens, or lower limit")
    elif is_short:
        warnings.append("some evidence is shortened, or shown without context, to fit into max_tokens")
    return {**answer, "warnings": warnings} if warnings else answer


def _next(answered: "Answered", asked: Arguments) -> list[Json]:
    index = {"index_name": asked.index_name} if asked.index_name else {}
    return [{"tool": one.tool, "arguments": {**one.arguments, **index}, "why": one.why} for one in answered.next_calls]


def _piece(record: IndexRecord, one: "Evidence", part: "CodePart", context: int) -> Json:
    first = part.start_line + context if part.start_line > 1 else min(one.start_line, part.end_line)
    last = min(first + (one.end_line - one.start_line), first + _MOST_LINES - 1, part.end_line)
    above = [text for number, text in part.lines if number < first]
    inner = [text for number, text in part.lines if first <= number <= last]
    below = [text for number, text in part.lines if number > last]
    citation: Json = {"rev": record.git_commit[:_REV_CHARS]} if record.git_commit else {}
    citation["content_sha"] = part.hash[:_HASH_CHARS]
    if part.stale:
        citation["stale"] = part.stale
    return {
        "path": one.path,
        "lines": [first, last],
        "relevance": round(max(0.0, min(1.0, one.relevance)), 3),
        "step": one.step,
        "via": one.via,
        **({"name": one.name} if one.name else {}),
        "content": {"pre": "\n".join(above), "text": "\n".join(inner), "post": "\n".join(below)},
        "citation": citation,
    }


OPERATION = Operation(
    name="ask_codebase",
    title="Ask about the code",
    arguments=Arguments,
    run=ask_codebase,
    shape=_answer,
    answer=Answer,
    toolset="search",
    order=3,
    listed=False,
    about_indexes=True,
    command=Command(
        name="ask",
        help="""Answer a question about code with evidence, and show how each line was found.

        Callers, callees, thrown errors, imports, tests, subclasses and dependencies are looked up in the code graph.
        Other questions are searched for. No language model takes part.
        """,
        exit_code=lambda found, _: 0 if found.parts else EXIT_NOT_FOUND,
    ),
    aliases=(Alias(name="ask_index", program="Mimir", dialect="ask_index.OPERATION"),),
)
