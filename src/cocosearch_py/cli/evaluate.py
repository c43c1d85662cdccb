"""`eval`: how good the search is on the user's own code, and better weights for it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cocosearch_py.cli.options import not_empty
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import ValidationError

if TYPE_CHECKING:
    from rich.console import Console

EXIT_BELOW = 6
BASELINE_SLACK = 0.01  # NDCG@10 that a few new commits among the questions may cost

_IndexName = Annotated[
    str | None,
    typer.Option(
        *("-n", "--index", "--index-name"),
        metavar="NAME",
        callback=not_empty,
        help="Index to use; by default that of the current folder.",
    ),
]
_FailUnder = Annotated[
    float | None,
    typer.Option("--fail-under", metavar="X", help=f"Exit with {EXIT_BELOW} when NDCG@10 is below X.", min=0, max=1),
]
_Baseline = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="FILE",
        help=f"Earlier output with --json; exit with {EXIT_BELOW} when NDCG@10 fell by more than {BASELINE_SLACK}.",
    ),
]


def evaluate(
    session: Session,
    *,
    index: _IndexName = None,
    cases: Annotated[int, typer.Option("--cases", metavar="N", help="Most questions of each source.", min=1)] = 100,
    tune: Annotated[
        bool, typer.Option("--tune", help="Search better ranking weights, and keep them if they help.")
    ] = False,
    fail_under: _FailUnder = None,
    baseline: _Baseline = None,
) -> int:
    """Measure the search on questions mined from the folder itself.

    Commit subjects ask for the files that they changed, test names for the file under test, names for the only file
    that defines them. First sentences of comments are asked too, but do not count: they stand in the index.
    """
    earlier = _read_baseline(baseline) if baseline else None
    app = session.open_default()
    record, evaluation = app.evaluate(index_name=index, folder=session.folder, most=cases)
    if not any(one.counts for one in evaluation.outcomes):
        raise ValidationError(
            f"nothing to ask of index '{record.name}': no commit, test or definition names one of its files",
            hint="index a folder with code, best in a git repository with its history",
        )
    payload: dict[str, Any] = {"index": record.name, **evaluation.as_dict()}
    if earlier is not None:
        payload["baseline_ndcg"] = earlier
    if tune:
        tuning = app.tune(record, evaluation)
        payload["tuning"] = {
            "kept": tuning.weights is not None,
            "validation_ndcg_before": tuning.before,
            "validation_ndcg_after": tuning.after,
            "weights": tuning.weights,
        }
    if session.json:
        session.emit(payload)
    else:
        _show(session.console, payload)
    reached = evaluation.overall.ndcg
    failed = (fail_under is not None and reached < fail_under) or (
        earlier is not None and reached < earlier - BASELINE_SLACK
    )
    return EXIT_BELOW if failed else 0


def _read_baseline(file: Path) -> float:
    try:
        return float(json.loads(file.read_text(encoding="utf-8"))["overall"]["ndcg"])
    except OSError as error:
        raise ValidationError(
            f"the baseline {file} cannot be read: {error.strerror}",
            hint="make one with `cocosearch-py eval --json > FILE`",
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValidationError(
            f"{file} is no output of `cocosearch-py eval --json`",
            hint="make one with `cocosearch-py eval --json > FILE`",
        ) from error


def _show(console: "Console", payload: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table("source", "questions", "NDCG@10", "MRR", "recall@1", "recall@5", "recall@10")
    rows = [*payload["by_source"].items(), ("overall", payload["overall"])]
    counted = sum(number for source, number in payload["counts"].items() if source != "doc")
    for source, value in rows:
        numbers = [value[name] for name in ("ndcg", "reciprocal_rank", "recall_at_1", "recall_at_5", "recall_at_10")]
        count = payload["counts"].get(source, counted)
        table.add_row(source, str(count), *(f"{number:.3f}" for number in numbers))
    console.print(table)
    if "baseline_ndcg" in payload:
        console.print(f"baseline NDCG@10 {payload['baseline_ndcg']:.3f}")
    if tuning := payload.get("tuning"):
        done = "kept" if tuning["kept"] else "not kept"
        console.print(
            f"tuned weights {done}: NDCG@10 of the validation half {tuning['validation_ndcg_before']:.3f} -> "
            f"{tuning['validation_ndcg_after']:.3f}"
        )
