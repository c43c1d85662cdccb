"""Declaration of a benchmark, its command line, and its run for one or several versions of the program."""

import argparse
import ctypes
import inspect
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from benchmarks import rows
from benchmarks.product import SOURCE, Product
from benchmarks.rows import Figures

PR_SET_CHILD_SUBREAPER = 36  # processes that detach themselves stay below this one, and their CPU time is counted
BENCHMARKS: dict[str, "Benchmark"] = {}

Folder = Annotated[Path, "folder of source files"]
Folders = Annotated[tuple[Path, ...], "folders of source files"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Function that measures, with the options that its parameters declare.

    A function whose first parameter is `product` can be run for several versions.
    """

    name: str
    measure: Callable[..., Figures]

    @property
    def summary(self) -> str:
        return (self.measure.__doc__ or "").split("\n")[0].rstrip(".")

    @property
    def asks_product(self) -> bool:
        return next(iter(inspect.signature(self.measure).parameters)) == "product"

    @property
    def parameters(self) -> list[inspect.Parameter]:
        declared = inspect.signature(self.measure, eval_str=True).parameters.values()
        return [parameter for parameter in declared if parameter.name != "product"]


def benchmark(measure: Callable[..., Figures]) -> Callable[..., Figures]:
    """Register a function under its name."""
    name = measure.__name__.replace("_", "-")
    BENCHMARKS[name] = Benchmark(name, measure)
    return measure


def note(text: str) -> None:
    """Report progress or a fault."""
    print(text, file=sys.stderr, flush=True)


def report_faults(faults: Iterable[str]) -> int:
    """Print faults and return their number."""
    faults = list(faults)
    for fault in faults:
        note(f"FAULT {fault}")
    return len(faults)


def add_parsers(run: argparse.ArgumentParser) -> None:
    """Give each benchmark a command of its own."""
    commands = run.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, declared in sorted(BENCHMARKS.items()):
        description = inspect.getdoc(declared.measure)
        parser = commands.add_parser(
            name,
            help=declared.summary,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for parameter in declared.parameters:
            _add_argument(parser, parameter)
        parser.add_argument("--rounds", type=int, default=1, help="number of rounds, of which the medians count")
        parser.add_argument("--no-row", action="store_true", help="print the figures only")
        parser.add_argument("--json", action="store_true", help="print the figures of all versions as JSON")
        if declared.asks_product:
            parser.add_argument("--peer", type=Path, action="append", default=[], metavar="SRC", help="other version")
            parser.add_argument("--data", type=Path, help="keep the indexes in this folder")


def _add_argument(parser: argparse.ArgumentParser, parameter: inspect.Parameter) -> None:
    kind, help_text = _of_annotation(parameter.annotation)
    more: dict[str, Any] = {"help": help_text}
    if get_origin(kind) is tuple:
        kind, more["nargs"] = get_args(kind)[0], "*" if parameter.default == () else "+"
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
        flag = f"--{parameter.name.replace('_', '-')}"
        if kind is bool:
            parser.add_argument(flag, action="store_true", help=help_text)
            return
        required = parameter.default is inspect.Parameter.empty
        parser.add_argument(flag, type=kind, required=required, default=None if required else parameter.default, **more)
    else:
        parser.add_argument(parameter.name, type=kind, **more)


def _of_annotation(annotation: Any) -> tuple[Any, str | None]:
    """Type of an argument, and its help."""
    kind, help_text = annotation, None
    if get_origin(annotation) is Annotated:
        kind, help_text = get_args(annotation)
    if type(None) in get_args(kind):
        kind = next(part for part in get_args(kind) if part is not type(None))
    return kind, help_text


def run(options: argparse.Namespace) -> int:
    """Measure, print the figures, and add a row for each version; return 1 if there are faults."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    declared = BENCHMARKS[options.name]
    values = {parameter.name: getattr(options, parameter.name) for parameter in declared.parameters}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    sources = [SOURCE, *(peer.resolve() for peer in getattr(options, "peer", ()))]
    rounds: dict[Path, list[Figures]] = {source: [] for source in sources}
    for _ in range(options.rounds):
        for source in sources:
            rounds[source].append(_measure(declared, source, values, getattr(options, "data", None)))
    measured = {source: medians(figures) for source, figures in rounds.items()}
    versions = list(measured.values())
    print(json.dumps(versions) if options.json else _side_by_side(versions))
    if not options.no_row:
        for source, figures in measured.items():
            rows.add(rows.row(declared.name, _subject(declared, values, figures), source, figures))
    return int(any(figures.get("faults") for figures in measured.values()))


def _measure(declared: Benchmark, source: Path, values: Mapping[str, Any], data: Path | None) -> Figures:
    if not declared.asks_product:
        return declared.measure(**values)
    with tempfile.TemporaryDirectory(prefix="benchmark-", ignore_cleanup_errors=True) as scratch:
        Path(scratch).chmod(0o755)  # the account that runs PostgreSQL for root must be able to enter
        with Product(source, Path(scratch), data) as product:
            return declared.measure(product, **values)


def medians(rounds: Sequence[Figures]) -> Figures:
    """Median of each figure over the rounds; texts and flags are those of the last round."""
    if len(rounds) == 1:
        return rounds[0]
    result: Figures = {}
    for name, value in rounds[-1].items():
        values = [cell for row in rounds if isinstance(cell := row.get(name), int | float)]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        result[name] = round(statistics.median(values), 4) if is_number else value
    return result


def _side_by_side(measured: Sequence[Figures]) -> str:
    """Figures of each version in a column, and those of the first as multiples of the second."""
    lines = []
    for name, value in measured[0].items():
        cells = [figures.get(name) for figures in measured]
        line = f"{name:36}" + "".join(f"{cell!s:>14}" for cell in cells)
        if len(cells) > 1 and isinstance(value, int | float) and isinstance(cells[1], int | float) and cells[1]:
            line += f"{value / cells[1]:9.3f} x"
        lines.append(line)
    return "\n".join(lines)


def _subject(declared: Benchmark, values: Mapping[str, Any], figures: Figures) -> str:
    """Number of measured repositories or names of folders, and options that are not at their defaults."""
    words = [f"{figures['repositories']} repositories"] if "repositories" in figures else []
    for parameter in declared.parameters:
        value = values[parameter.name]
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            if value != parameter.default and not isinstance(value, Path):
                words.append(f"{parameter.name}={value}")
        elif "repositories" in figures:
            continue
        elif isinstance(value, tuple):
            words.append(value[0].name if len(value) == 1 else f"{len(value)} folders")
        else:
            words.append(Path(value).name)
    return " ".join(words)
