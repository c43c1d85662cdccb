"""The tool run_pipeline: a chain of queries in one call."""

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, tool
from cocosearch_py.tools.sizes import CHAIN

DEFAULT_TOKENS = 8_000


class RunPipelineArguments(Arguments):
    """Parameters of run_pipeline."""

    pipeline: Annotated[
        str | None,
        About('Steps separated by |: `text "retry(" | filter --language go | limit 3`'),
        CHAIN,
        Flag(
            metavar="[PIPELINE]",
            type=given.Texts,
            default=None,
            read=lambda words: given.joined(words) or None,
            help="Steps separated by |, in quotes: 'symbols Cart | callers | count'.",
        ),
    ] = None
    steps: Annotated[
        list[str] | None,
        About("Or a list of steps, at most 20"),
        CHAIN,
        Flag(names=("--step",), metavar="STEP", help="One step, instead of PIPELINE; can be repeated."),
    ] = None
    max_tokens: given.ListedMaxTokens = DEFAULT_TOKENS
    index_name: given.IndexName = None
    member: given.Member = None


class StepResult(Part):
    """Number of items of a step, and its own time, without the time of the steps before it."""

    step: str
    items: Count
    ms: float


class PipelineResult(Part):
    """Results of the last step: `items` of a `type`, or `count`; paths are relative to `root`."""

    root: str
    type: str
    steps: tuple[StepResult, ...]
    items: tuple[Any, ...] | UnsetType = UNSET
    count: Count | UnsetType = UNSET
    truncated: bool = False
    incomplete: str = ""
    note: str = ""
    warnings: tuple[str, ...] = ()


TOOLS = (
    tool(
        __package__,
        "run_pipeline",
        title="Run a pipeline",
        about=(
            "Chain questions about the code in one call; each works on the previous result. Only reads, and stops "
            "early.\n\n"
            "Start with find GLOB, fuzzy TEXT, search QUERY, text TEXT (--regex), symbols NAME, callers NAME, "
            "outline|deps|impact\nFILE or read TARGET. Continue with filter TEXT (--language, --path-glob, --kind), "
            "outline, callers, deps, impact,\nread, sort KEY, limit N, count."
        ),
        arguments=RunPipelineArguments,
        answer=PipelineResult,
        view="show_pipeline",
        toolset="search",
        order=6,
        listed=False,
        about_indexes=True,
        command=Command(
            name="pipeline",
            help="""Chain questions about the code; each step works on the previous result.

            A pipeline starts with find, fuzzy, search, text, symbols, callers, outline, deps, impact or read. It
            continues with filter, outline, callers, deps, impact, read, sort, limit or count. Put it in quotes, because
            the shell has its own |.
            """,
        ),
        aliases=(Alias(name="pipeline", program="Lexa", dialect="lexa.PIPELINE"),),
    ),
)
