"""The command `eval`: search quality on the caller's own code, and better weights for it."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from cocosearch_py.features.evaluate.measures import Measures
from cocosearch_py.model.answers import Count, Part, Share
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import Command, Flag, tool

EXIT_BELOW = 6
BASELINE_SLACK = 0.01  # NDCG@10 that a few new commits among the questions may cost
_BASELINE_HELP = f"Earlier output with --json; exit with {EXIT_BELOW} when NDCG@10 fell by more than {BASELINE_SLACK}."


class EvaluateArguments(Arguments):
    """Parameters of an evaluation."""

    index_name: given.IndexName = None
    placed_index: given.PlacedIndex = None
    cases: Annotated[
        int, Flag(names=("--cases",), metavar="N", minimum=1, help="Maximum number of questions from each source.")
    ] = 100
    classes: Annotated[
        str | None,
        Flag(
            names=("--classes",),
            metavar="CLASS",
            help="Only questions from commits, issues, names, literals or paths; separate several with commas.",
            filled=True,
        ),
    ] = None
    tune: Annotated[
        bool, Flag(names=("--tune",), help="Search for better ranking weights, and keep them if they help.")
    ] = False
    untune: Annotated[
        bool, Flag(names=("--untune",), help="Return to the default ranking weights, and measure nothing.")
    ] = False
    fail_under: Annotated[
        float | None,
        Flag(
            names=("--fail-under",),
            metavar="X",
            minimum=0,
            maximum=1,
            help=f"Exit with {EXIT_BELOW} when NDCG@10 is below X.",
        ),
    ] = None
    baseline: Annotated[str | None, Flag(names=("--baseline",), metavar="FILE", filled=True, help=_BASELINE_HELP)] = (
        None
    )


class WorstQuestion(Part):
    """A question whose answer was not perfect, with the files wanted and the one that came first."""

    source: str
    query: str
    wanted: tuple[str, ...]
    first: str | None
    ndcg: Share


class Tuned(Part):
    """Result of a search for better weights; NDCG@10 of the half of the questions that it did not use."""

    kept: bool
    validation_ndcg_before: float
    validation_ndcg_after: float
    weights: dict[str, float] | None
    hint: str = ""


class Untuned(Part):
    """An index with the default weights; `untuned` if it had others before."""

    index: str
    untuned: bool


class Evaluated(Part):
    """Measures overall and by source, numbers of questions, notes on sources, and the worst questions."""

    index: str
    overall: Measures | None
    by_source: dict[str, Measures]
    counts: dict[str, Count]
    notes: dict[str, str]
    worst: tuple[WorstQuestion, ...]
    baseline_ndcg: Share | UnsetType = UNSET
    tuning: Tuned | UnsetType = UNSET
    warnings: tuple[str, ...] = ()


def _exit_code(answer: Evaluated | Untuned, asked: EvaluateArguments) -> int:
    if isinstance(answer, Untuned) or answer.overall is None:
        return 0
    ndcg, earlier = answer.overall.ndcg, answer.baseline_ndcg
    below = asked.fail_under is not None and ndcg < asked.fail_under
    fell = earlier is not UNSET and ndcg < earlier - BASELINE_SLACK
    return EXIT_BELOW if below or fell else 0


TOOLS = (
    tool(
        __package__,
        "evaluate",
        title="Measure the search",
        arguments=EvaluateArguments,
        answer=Evaluated | Untuned,
        view="show_evaluation",
        about_indexes=True,
        command=Command(
            name="eval",
            help="""Measure search quality with questions mined from the folder itself.

            Commit subjects must find the files that they changed, test names the file under test, and names the only
            file that defines them. Further questions are asked but do not count: first sentences of comments, messages
            of commits that fix an issue, and names, messages and paths as people paste them.
            """,
            exit_code=_exit_code,
        ),
    ),
)
