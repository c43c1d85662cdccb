"""`eval` on a terminal: measures by source, what they may mean, and what came of tuning."""

from typing import Any

from rich.console import Console

from cocosearch_py.cli.views.layout import Table, shown

_MEASURES = ("ndcg", "reciprocal_rank", "recall_at_1", "recall_at_5", "recall_at_10")
_TITLES = ("NDCG@10", "MRR", "recall@1", "recall@5", "recall@10")


def show_evaluation(console: Console, payload: dict[str, Any]) -> None:
    """The object of an evaluation."""
    table = Table("source", "questions", *_TITLES, right=("questions", *_TITLES))
    counted = sum(number for source, number in payload["counts"].items() if source != "doc")
    for source, value in [*payload["by_source"].items(), ("overall", payload["overall"])]:
        count = payload["counts"].get(source, counted)
        table.add_row(source, str(count), *(f"{value[name]:.3f}" for name in _MEASURES))
    table.print_to(console)
    for source, note in payload["notes"].items():
        console.print(f"[yellow]{shown(source)}: {shown(note)}[/]", soft_wrap=True)
    if "baseline_ndcg" in payload:
        console.print(f"baseline NDCG@10 {payload['baseline_ndcg']:.3f}")
    if tuning := payload.get("tuning"):
        done = "kept" if tuning["kept"] else "not kept"
        console.print(
            f"tuned weights {done}: NDCG@10 of the validation half {tuning['validation_ndcg_before']:.3f} -> "
            f"{tuning['validation_ndcg_after']:.3f}"
        )
