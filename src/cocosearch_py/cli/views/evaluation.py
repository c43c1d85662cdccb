"""`eval` on a terminal: measures by source, what they may mean, and what came of tuning."""

from typing import Any

from rich.console import Console

from cocosearch_py.evaluation.cases import COUNTED
from cocosearch_py.render.layout import Table, print_pairs, shown

_MEASURES = ("first", "in_five", "reciprocal_rank", "ndcg", "recall_at_10")
_TITLES = ("first", "in five", "MRR", "NDCG@10", "recall@10")


def show_evaluation(console: Console, payload: dict[str, Any]) -> None:
    """The object of an evaluation."""
    if "untuned" in payload:
        name = shown(payload["index"])
        had = "uses the default ranking weights again" if payload["untuned"] else "already uses the default weights"
        console.print(f"index {name} {had}", soft_wrap=True)
        return
    table = Table("source", "questions", *_TITLES, right=("questions", *_TITLES))
    counted = sum(payload["counts"].get(source, 0) for source in COUNTED)
    rows = [*payload["by_source"].items(), (f"overall ({', '.join(COUNTED)})", payload["overall"])]
    for source, value in rows:
        if value:
            count = payload["counts"].get(source, counted)
            table.add_row(source, str(count), *(f"{value[name]:.3f}" for name in _MEASURES))
    table.print_to(console)
    for source, note in payload["notes"].items():
        print_pairs(console, [(f"[yellow]{shown(source)}:[/]", f"[yellow]{shown(note)}[/]")])
    if "baseline_ndcg" in payload:
        console.print(f"baseline NDCG@10 {payload['baseline_ndcg']:.3f}")
    if tuning := payload.get("tuning"):
        done = "kept" if tuning["kept"] else "not kept"
        console.print(
            f"tuned weights {done}: NDCG@10 of the validation half {tuning['validation_ndcg_before']:.3f} -> "
            f"{tuning['validation_ndcg_after']:.3f}"
        )
        if "hint" in tuning:
            console.print(shown(tuning["hint"]), soft_wrap=True)
