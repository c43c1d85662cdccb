"""Calls, imports and complexity of Python files, compared with Python's own parser and with radon.

    python benchmarks/references.py FOLDER [FOLDER ...]

Every call of a name or an attribute that `ast` sees should be a reference in that line, every imported name an import,
and nothing else. Complexity is compared with radon, function by function, if that is installed (it is no dependency).
Files that this Python cannot parse are left out.
"""

import argparse
import ast
import importlib
import importlib.util
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cocosearch_py.model.syntax import ParsedSource
from cocosearch_py.parsing import parse_source

Facts = Counter[tuple[Any, ...]]
_SHOWN = 5


def calls_and_imports(tree: ast.AST) -> tuple[Facts, Facts]:
    """(name, line) of calls, decorators among them, and (module, name, alias) of imports."""
    calls: Facts = Counter()
    imports: Facts = Counter()
    for node in ast.walk(tree):
        called = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
        for one in called:
            if isinstance(one, ast.Name | ast.Attribute):
                calls[one.id if isinstance(one, ast.Name) else one.attr, one.end_lineno] += 1
        if isinstance(node, ast.Import):
            imports.update((alias.name, None, alias.asname) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            module = "." * node.level + (node.module or "")
            imports.update((module, alias.name, alias.asname) for alias in node.names)
    return calls, imports


def ours(parsed: ParsedSource) -> tuple[Facts, Facts]:
    calls = Counter((one.name, one.line) for one in parsed.facts.references if one.kind == "call")
    imports = Counter((one.module, one.name, one.alias) for one in parsed.facts.imports if one.module != "__future__")
    return Counter(calls), Counter(imports)


def complexities(text: str) -> Iterator[tuple[int, str, int]]:
    """(line, name, complexity) as radon has them."""

    def flat(functions: list[Any]) -> Iterator[Any]:
        for one in functions:
            yield one
            yield from flat(one.closures)

    radon = importlib.import_module("radon.visitors")
    visitor = radon.ComplexityVisitor.from_code(text)
    classes = list(visitor.classes)
    functions = list(visitor.functions)
    while classes:
        one = classes.pop()
        functions += one.methods
        classes += one.inner_classes
    for function in flat(functions):
        yield function.lineno, function.name, function.complexity


def compare(folders: list[Path]) -> None:
    has_radon = importlib.util.find_spec("radon") is not None
    totals: dict[str, Counter[str]] = {"calls": Counter(), "imports": Counter(), "complexity": Counter()}
    examples: dict[str, list[str]] = {name: [] for name in totals}
    files = 0
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        source = path.read_bytes()
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        files += 1
        parsed = parse_source("python", source)
        for name, truth, found in zip(("calls", "imports"), calls_and_imports(tree), ours(parsed), strict=True):
            missed, extra = truth - found, found - truth
            totals[name].update({"in both": (truth & found).total(), "missed": missed.total(), "extra": extra.total()})
            examples[name] += [f"{path}: missed {one}" for one in missed] + [f"{path}: extra {one}" for one in extra]
        if has_radon:
            metrics = {parsed.symbols[number].start_line: one for number, one in parsed.facts.metrics}
            decorated = {
                node.lineno: min(one.lineno for one in node.decorator_list)
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list
            }
            for line, name, complexity in complexities(source.decode("utf-8", "replace")):
                known = metrics.get(decorated.get(line, line))
                verdict = "missed" if known is None else "equal" if known.cyclomatic == complexity else "differs"
                totals["complexity"][verdict] += 1
                if known is None or known.cyclomatic != complexity:
                    examples["complexity"].append(f"{path}:{line} {name}: radon {complexity}, ours {known}")
    print(f"{files} files")
    for name, counts in totals.items():
        print(name, *(f"{count:,} {what}" for what, count in counts.items()), sep="  ")
        print(*(f"  {one}" for one in examples[name][:_SHOWN]), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    warnings.simplefilter("ignore")  # of the files' own escapes
    sys.setrecursionlimit(10_000)
    compare(parser.parse_args().folders)


if __name__ == "__main__":
    main()
