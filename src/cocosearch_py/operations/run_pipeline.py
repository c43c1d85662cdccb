"""`run_pipeline`, `cocosearch-py pipeline`: a chain of questions, each about what the one before it found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, cast

from cocosearch_py.model.answers import Count
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.sizes import CHAIN

if TYPE_CHECKING:
    from cocosearch_py.operations.pipelines.chain import Step
    from cocosearch_py.operations.pipelines.items import Item
    from cocosearch_py.operations.pipelines.running import Ran

DEFAULT_TOKENS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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


class StepItem(TypedDict):
    """What a step gave; `ms` are its own, without those of the steps above it."""

    step: str
    items: Count
    ms: float


class Answer(TypedDict):
    """What the last step gave: `items` of a `type`, or `count`; paths are relative to `root`."""

    root: str
    type: str
    items: NotRequired[list[Any]]
    count: NotRequired[Count]
    steps: list[StepItem]
    truncated: NotRequired[bool]
    incomplete: NotRequired[str]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


def run_pipeline(call: Call, asked: Arguments) -> "Ran":
    """Chain questions about the code in one call; each works on the previous result. Only reads, and stops early.

    Start with find GLOB, fuzzy TEXT, search QUERY, text TEXT (--regex), symbols NAME, callers NAME, outline|deps|impact
    FILE or read TARGET. Continue with filter TEXT (--language, --path-glob, --kind), outline, callers, deps, impact,
    read, sort KEY, limit N, count.
    """
    from cocosearch_py.operations.pipelines.chain import parse

    return run_steps(call, parse(asked.pipeline, asked.steps), asked)


def run_steps(call: Call, steps: "Sequence[Step]", asked: Arguments) -> "Ran":
    """Run a chain that was checked; raises FeatureMissingError if the index lacks what a step needs."""
    from cocosearch_py.operations.pipelines.running import run

    bounded = Bounded()
    max_tokens = bounded.value("max_tokens", asked.max_tokens, given.LEAST_TOKENS, given.MOST_TOKENS)
    for need in {step.verb.needs for step in steps} - {""} or {""}:
        call.needs = need
        found = call.find()
    ran = run(call, found, steps, asked.member, max_tokens)
    return replace(ran, warnings=(*bounded.notes, *ran.warnings))


def answer(ran: "Ran", asked: Arguments) -> Json:
    """What the tool answers."""
    from cocosearch_py.operations.pipelines.verbs import LOCATED, Kind

    holds_text = {*LOCATED, Kind.TEXTS} - {Kind.FILES}

    def build(kept: "Sequence[Item]") -> Json:
        told: Json = {"root": ran.record.root_path, "type": "number" if ran.kind is Kind.NUMBER else ran.kind.value}
        told |= kept[0].shown if ran.kind is Kind.NUMBER else {"items": [item.shown for item in kept]}
        told["steps"] = list(ran.steps)
        warnings = list(ran.warnings)
        if ran.has_more or len(kept) < len(ran.items):
            told["truncated"] = True
            warnings.append("not everything fits: narrow a step, end with limit or count, or raise max_tokens")
        if ran.incomplete:
            told["incomplete"] = ran.incomplete
        told |= quoted(kept if ran.kind in holds_text else ())
        return {**told, "warnings": warnings} if warnings else told

    return cast("Json", fit(ran.items, build, asked.max_tokens))


OPERATION = Operation(
    name="run_pipeline",
    title="Run a pipeline",
    arguments=Arguments,
    run=run_pipeline,
    shape=answer,
    answer=Answer,
    toolset="search",
    order=6,
    listed=False,
    about_indexes=True,
    command=Command(
        name="pipeline",
        help="""Chain questions about the code; each step works on the previous result.

        A pipeline starts with find, fuzzy, search, text, symbols, callers, outline, deps, impact or read. It continues
        with filter, outline, callers, deps, impact, read, sort, limit or count. Put it in quotes, because the shell has
        its own |.
        """,
    ),
    aliases=(Alias(name="pipeline", program="Lexa", dialect="pipeline.OPERATION"),),
)
