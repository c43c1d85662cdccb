"""An evaluation on a terminal: quality by source, notes, and the result of tuning."""

from cocosearch_py.features.evaluate.cases import COUNTED
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_MEASURES = ("first", "in_five", "reciprocal_rank", "ndcg", "recall_at_10")
_TITLES = ("first", "in five", "MRR", "NDCG@10", "recall@10")


def show_evaluation(screen: Screen, answer: Json) -> None:
    """Show the quality by source, or that an index has the default weights again."""
    console = screen.console
    if "untuned" in answer:
        name = shown(answer["index"])
        had = "uses the default ranking weights again" if answer["untuned"] else "already uses the default weights"
        console.print(f"index {name} {had}", soft_wrap=True)
        return
    table = Table("source", "questions", *_TITLES, right=("questions", *_TITLES))
    counted = sum(answer["counts"].get(source, 0) for source in COUNTED)
    rows = [*answer["by_source"].items(), (f"overall ({', '.join(COUNTED)})", answer["overall"])]
    for source, value in rows:
        if value:
            count = answer["counts"].get(source, counted)
            table.add_row(source, str(count), *(f"{value[name]:.3f}" for name in _MEASURES))
    table.print_to(console)
    for source, note in answer["notes"].items():
        print_pairs(console, [(f"[yellow]{shown(source)}:[/]", f"[yellow]{shown(note)}[/]")])
    if "baseline_ndcg" in answer:
        console.print(f"baseline NDCG@10 {answer['baseline_ndcg']:.3f}")
    if tuning := answer.get("tuning"):
        done = "kept" if tuning["kept"] else "not kept"
        console.print(
            f"tuned weights {done}: NDCG@10 of the validation half {tuning['validation_ndcg_before']:.3f} -> "
            f"{tuning['validation_ndcg_after']:.3f}"
        )
        if "hint" in tuning:
            console.print(shown(tuning["hint"]), soft_wrap=True)
