"""The tool ask_codebase."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part, Share
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool

StepIntent = Literal["symbol", "file", "import", "callgraph", "text"]
Level = Literal["high", "medium", "low"]
MAX_EVIDENCE = 50
MAX_HOPS = 4
MAX_CONTEXT = 20
MIN_TOKENS, DEFAULT_TOKENS, MAX_TOKENS = 200, 8_000, 20_000
EXIT_NOT_FOUND = 1


class AskCodebaseArguments(Arguments):
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
            maximum=MAX_EVIDENCE,
            help="Maximum pieces of evidence (1–50).",
        ),
    ] = 12
    max_tokens: given.MaxTokens = DEFAULT_TOKENS
    member: given.Member = None


class Step(Part, kw_only=False):
    """Lookup for an answer: its subject, the number of results, and its milliseconds."""

    step: Count
    intent: StepIntent
    query: str
    results_count: Count
    ms: float


class Sureness(Part, kw_only=False):
    """Probability that the evidence holds the answer, its level, and the reason."""

    value: Share
    level: Level
    reason: str


class NextCall(Part, kw_only=False):
    """Call of a tool that goes on from here."""

    tool: str
    arguments: Any
    why: str


class Quote(Part):
    """Lines of a file with those around them."""

    pre: str
    text: str
    post: str


class Source(Part):
    """Origin of lines: the commit that was indexed, and the first digits of the hash of the file's bytes."""

    content_sha: str
    rev: str = ""
    stale: str = ""


class Piece(Part):
    """Lines `lines`, first and last, of a file; `via` says how they relate to the question, `step` found them."""

    path: str
    lines: tuple[Count, Count]
    relevance: Share
    step: Count
    via: str
    content: Quote
    citation: Source
    name: str = ""


class AskAnswer(Part):
    """Evidence, the most telling first; paths are relative to `root`."""

    question: str
    root: str
    intent: str
    confidence: Sureness
    reasoning_steps: tuple[Step, ...]
    note: str
    evidence: tuple[Piece, ...]
    next_steps: tuple[NextCall, ...]
    hints: tuple[str, ...] = ()
    hint: str | UnsetType = UNSET
    truncated: bool = False
    warnings: tuple[str, ...] = ()


def _exit_code(asked: Any, _: AskCodebaseArguments) -> int:
    """Return the exit code of `ask`, from the `service.Asked`."""
    return 0 if asked.pieces else EXIT_NOT_FOUND


_ABOUT = """\
Answer a question about code with evidence from calls, imports, definitions, tests and search.

It says how each line was found and how sure it is. No language model takes part: you draw the conclusion."""
TOOLS = (
    tool(
        __package__,
        "ask_codebase",
        title="Ask about the code",
        about=_ABOUT,
        arguments=AskCodebaseArguments,
        answer=AskAnswer,
        view="show_answer",
        toolset="search",
        order=3,
        listed=False,
        about_indexes=True,
        command=Command(
            name="ask",
            help="""Answer a question about code with evidence, and show how each line was found.

            Callers, callees, thrown errors, imports, tests, subclasses and dependencies are looked up in the code
            graph. Other questions are searched for. No language model takes part.
            """,
            exit_code=_exit_code,
        ),
        aliases=(Alias(name="ask_index", program="Mimir", dialect="mimir.ASK_INDEX"),),
    ),
)
