"""`cocosearch-py eval`: how good the search is on the caller's own code, and better weights for it."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from cocosearch_py.catalog.freshness import incompleteness
from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count, Share
from cocosearch_py.model.indexes import base_name
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.evaluation.run import Evaluation
    from cocosearch_py.evaluation.tuning import Tuning

EXIT_BELOW = 6
COMMITS = "commits"  # the class of questions that count
BASELINE_SLACK = 0.01  # NDCG@10 that a few new commits among the questions may cost


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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
    baseline: Annotated[
        str | None,
        Flag(
            names=("--baseline",),
            metavar="FILE",
            help=f"Earlier output with --json; exit with {EXIT_BELOW} when NDCG@10 fell by more than {BASELINE_SLACK}.",
        ),
    ] = None


class TunedItem(TypedDict):
    """Whether better weights were found; figures are NDCG@10 of the half that was not used to find them."""

    kept: bool
    validation_ndcg_before: float
    validation_ndcg_after: float
    weights: dict[str, float] | None
    hint: NotRequired[str]


class UntunedItem(TypedDict):
    """Whether the index had tuned weights, which are gone now."""

    index: str
    untuned: bool


class EvaluationItem(TypedDict):
    """Measures overall and by source, how many questions there were, remarks on sources, and the worst questions."""

    index: str
    overall: dict[str, float] | None
    by_source: dict[str, dict[str, float]]
    counts: dict[str, Count]
    notes: dict[str, str]
    worst: list[Any]
    baseline_ndcg: NotRequired[Share]
    tuning: NotRequired[TunedItem]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """An evaluation of one index, and what was asked for besides."""

    index_name: str
    evaluation: "Evaluation"
    earlier: float | None
    tuning: "Tuning | None"
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Untuned:
    """An index with the default weights again; `had_weights` if it had others."""

    index_name: str
    had_weights: bool
    warnings: tuple[str, ...] = ()


def evaluate(call: Call, asked: Arguments) -> Evaluated | Untuned:
    """Measure the search on questions mined from the folder itself."""
    if asked.untune:
        return _untune(call, asked)
    classes = _chosen(asked)
    earlier = _read_baseline(Path(asked.baseline)) if asked.baseline else None
    found = call.find()
    if found.records[0].commit is not None:
        raise ValidationError(
            "questions are taken from the files of a folder, but this index holds a commit",
            hint=f"name the index of the folder: {base_name(found.records[0].name)}",
        )
    record, evaluation = found.app.evaluations.evaluate(found.records[0].name, most=asked.cases, classes=classes)
    if evaluation.overall is None and COMMITS in classes:
        raise ValidationError(
            f"no questions for index '{record.name}': no commit, test or definition names one of its files",
            hint="index a folder with code, ideally a git repository with its history",
        )
    tuning = found.app.evaluations.tune(record, evaluation) if asked.tune else None
    late = f"time ran out: {evaluation.unasked:,} questions were not asked" if evaluation.unasked else None
    return Evaluated(record.name, evaluation, earlier, tuning, tuple(filter(None, (incompleteness(record), late))))


def _untune(call: Call, asked: Arguments) -> Untuned:
    if asked.tune:
        raise ValidationError("--tune and --untune cannot be combined", hint="give only one of them")
    found = call.find()
    record = found.records[0]
    if record.weights is not None:
        found.app.evaluations.untune(record)
    return Untuned(record.name, record.weights is not None)


def _chosen(asked: Arguments) -> tuple[str, ...]:
    """The classes that are asked for, checked."""
    from cocosearch_py.evaluation.cases import CLASSES

    if asked.classes is None:
        return tuple(CLASSES)
    classes = tuple(one.strip() for one in asked.classes.split(","))
    if unknown := [one for one in classes if one not in CLASSES]:
        raise ValidationError(f"unknown class of questions '{unknown[0]}'", hint=f"use {', '.join(CLASSES)}")
    if COMMITS not in classes and (asked.tune or asked.baseline or asked.fail_under is not None):
        raise ValidationError(
            "--tune, --baseline and --fail-under need questions from commits, tests and names",
            hint=f"add {COMMITS} to --classes, or leave --classes out",
        )
    return classes


def _read_baseline(file: Path) -> float:
    hint = "create one with `cocosearch-py eval --json > FILE`"
    try:
        return float(json.loads(file.read_text(encoding="utf-8"))["overall"]["ndcg"])
    except OSError as error:
        raise ValidationError(f"the baseline {file} cannot be read: {error.strerror}", hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValidationError(f"{file} is not the output of `cocosearch-py eval --json`", hint=hint) from error


def _answer(evaluated: Evaluated | Untuned, _: Arguments) -> Json:
    if isinstance(evaluated, Untuned):
        return {"index": evaluated.index_name, "untuned": evaluated.had_weights}
    answer: Json = {"index": evaluated.index_name, **evaluated.evaluation.as_dict()}
    if evaluated.earlier is not None:
        answer["baseline_ndcg"] = evaluated.earlier
    if evaluated.warnings:
        answer["warnings"] = list(evaluated.warnings)
    if (tuning := evaluated.tuning) is not None:
        answer["tuning"] = {
            "kept": tuning.weights is not None,
            "validation_ndcg_before": tuning.before,
            "validation_ndcg_after": tuning.after,
            "weights": tuning.weights,
        }
        if tuning.weights is not None:
            undo = f"cocosearch-py eval --untune -n {shlex.quote(evaluated.index_name)}"
            answer["tuning"]["hint"] = f"`{undo}` returns to the default weights"
    return answer


def _exit_code(evaluated: Evaluated | Untuned, asked: Arguments) -> int:
    if isinstance(evaluated, Untuned) or evaluated.evaluation.overall is None:
        return 0
    reached = evaluated.evaluation.overall.ndcg
    below = asked.fail_under is not None and reached < asked.fail_under
    fell = evaluated.earlier is not None and reached < evaluated.earlier - BASELINE_SLACK
    return EXIT_BELOW if below or fell else 0


OPERATION = Operation(
    name="evaluate",
    title="Measure the search",
    arguments=Arguments,
    run=evaluate,
    shape=_answer,
    answer=EvaluationItem | UntunedItem,
    about_indexes=True,
    command=Command(
        name="eval",
        help="""Measure search quality with questions mined from the folder itself.

        Commit subjects must find the files that they changed, test names the file under test, and names the only file
        that defines them. Further questions are asked but do not count: first sentences of comments, messages of
        commits that fix an issue, and names, messages and paths as people paste them.
        """,
        exit_code=_exit_code,
    ),
)
