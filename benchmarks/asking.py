"""`ask_codebase`: whether its evidence holds the answer, how sure it says it is, what its steps find, what it costs.

    python benchmarks/asking.py BENCH_FOLDER REPOSITORIES_FOLDER [--data FOLDER] [--part PART ...] [--json OUT]
        [--graph NAME ...] [--modules NAME ...] [--scripts NAME ...] [--grimp PYTHON] [--tools JSON]
        [--kept FOLDER] [--symbols N] [--observed FOLDER] [--held-out [NAME]] [--list]

The folders are those of relevance.py. Intervals (95 %) are by drawing questions again. Five parts:

- `questions`: every labelled question is asked of its own repository and of another one, drawn by a fixed seed. A label
  is met by a piece of evidence of its file that has one of its lines, where it names lines. Beside it `search_code`
  with as many results; and the same with no more tokens than that took. A level is right where a label is met; nothing
  is right in another repository. `calibration` has as many questions about another repository as about the own: what
  the answers said, and the share that was right.
- `generated`, of the Python repositories of --graph (whole folders, tests included), asked with limit 50: "what calls
  F" for functions, methods and classes drawn as callers.py draws them, if only one definition has the name
  (Class.method for methods), against basedpyright; "where is E raised" for every class that is defined once and raised
  by name, and "what imports M" for every module that is imported, both against Python's ast. Compared are sets:
  functions that call or raise, files that import; calls that only names tell of (`may call`) count like others. `calls`
  takes for wrong whatever the truth does not name. `calls_told` leaves functions out where the truth says itself that
  it does not know the type of what is called there by this name (basedpyright: `Unknown` or `Any`, and no definition;
  TypeScript: no symbol, and the type `any`), which it is asked of every call of the name in the repository.
  `outside_tests` leaves out what callers.py leaves out: fixtures without annotations have no type that a checker knows,
  so that the truth lacks calls on them. With --observed, which has NAME.json for some repositories (made by
  parsers/observed.py while their tests ran), `calls_observed` has these alone, and a call that was seen to happen is
  right, too; what was seen and not found does not count, for it may be made through a variable.
- `modules`, of the repositories of --modules: "what imports M" for every module that is imported in the packages that
  grimp sees, beside its graph (--grimp is an interpreter that has it). Compared are files of these packages; answers
  that are full are left out, for other files may fill them.
- `scripts`, of those of --scripts: "what calls F" for functions, methods and classes drawn as callers.py draws them, if
  only one definition has the name, beside the language service of npm's typescript. Compared are the named functions,
  methods and classes around the calls, which its parser tells; as there, files whose imports it cannot follow, since no
  packages are installed, are left out.
- `cpu`: processor time of this process and of the database server for a question, answer made and fitted, of the
  index with most chunks below 10,000: its labelled questions, and questions about drawn definitions.
"""

import argparse
import ast
import json
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from callers import _LEFT_OUT, SEED, symbols_of, truth_of
from figures import product_commit
from imports import ECMASCRIPT, by_grimp, files_of, run
from intelligence import InProcess, Server
from ndcg import hit, load_tasks
from services import Tools

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.definitions import DefinitionRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.operations import ask_codebase, search_code
from cocosearch_py.storage.queries.facts import read_definitions
from cocosearch_py.storage.server.administration import stop_server
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.tokens import count_tokens

LEVELS = ("high", "medium", "low")
LIMIT = 12
MOST = 50
DRAWS = 1_000
WIDE = {"limit": MOST, "context_lines": 0, "max_tokens": ask_codebase.MAX_TOKENS}
WARM_UP = 8
DRAWN = 40  # definitions that the processor time is measured with
FORMS = ("who calls {}?", "what does {} call?", "where is {} used?", "which tests cover {}?", "what depends on {}?")
CALLS = ("calls", "calls_told", "calls_outside_tests")
CALLING = ("calls ", "may call ")  # what evidence says of calls: by imports and scopes, by names alone
PARTS = ("questions", "generated", "modules", "scripts", "cpu")
SCOPES = """
const ts = require(process.argv[1] + '/typescript'), fs = require('fs'), path = require('path');
const found = {};
for (const name of fs.readFileSync(0, 'utf8').split('\\n')) {
  const text = fs.readFileSync(path.join(process.argv[2], name), 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true), rows = found[name] = [];
  const line = (at) => file.getLineAndCharacterOfPosition(at).line + 1;
  const isValue = (one) => one && (ts.isArrowFunction(one) || ts.isFunctionExpression(one));
  const look = (node) => {
    const held = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node);
    const named = (ts.isFunctionLike(node) && node.body && node.name) || ts.isConstructorDeclaration(node);
    if (named || ts.isClassLike(node) || (held && isValue(node.initializer)))
      rows.push([line(node.getStart(file)), line(node.getEnd())]);
    ts.forEachChild(node, look);
  };
  look(file);
}
console.log(JSON.stringify(found));
"""

Answer = dict[str, Any]


def ask(app: App, index: str, question: str, **more: int) -> Answer:
    """What the tool answers."""
    asked = ask_codebase.Arguments(question=question, index_name=index, **more)  # type: ignore[arg-type]
    answer: Answer = ask_codebase.OPERATION.shape(ask_codebase.ask_codebase(InProcess(app, index), asked), asked)
    return answer


def search(app: App, index: str, question: str) -> list[Any]:
    """What search_code answers with as many results."""
    asked = search_code.Arguments(query=question, index_name=index, limit=LIMIT)
    items: list[Any] = search_code.OPERATION.shape(search_code.search_code(InProcess(app, index), asked), asked)
    return items


def places(answer: Answer) -> list[dict[str, Any]]:
    return [
        {"path": one["path"], "start_line": one["lines"][0], "end_line": one["lines"][1]} for one in answer["evidence"]
    ]


def met(found: Sequence[dict[str, Any]], task: Any) -> list[bool]:
    """Which labels are met."""
    return [any(hit(place, target) for place in found) for target in task["targets"]]


def of_questions(app: App, tasks: Sequence[Any], names: Sequence[str], unsure: list[str]) -> dict[str, Any]:
    draw = random.Random(SEED)
    rows, wrong, tokens, shorts = [], [], [], []
    for task in tasks:
        answer = ask(app, task["repo"], task["query"])
        items = search(app, task["repo"], task["query"])
        spent = count_tokens(to_json(items))
        short = met(places(ask(app, task["repo"], task["query"], max_tokens=spent)), task)
        hits = [one for one in items if "score" in one]
        record = app.catalog.find(task["repo"])
        for one in hits:
            one["path"] = one["file_path"].removeprefix(record.root_path + "/")
        ours = met(places(answer), task)
        rows.append((answer["confidence"], ours, met(hits, task), met(places(answer)[:1], task)))
        shorts.append(any(short))
        tokens.append((count_tokens(to_json(answer)), spent))
        other = draw.choice([name for name in names if name != task["repo"]])
        wrong.append(ask(app, other, task["query"])["confidence"])
        if answer["confidence"]["level"] == "high" and not any(ours):
            unsure.append(f"high and wrong: {task['repo']}: {task['query']}")
        if wrong[-1]["level"] == "high":
            unsure.append(f"high in {other}: {task['query']}: {wrong[-1]['reason']}")
    return {
        "questions": len(rows),
        "target_in_evidence": share(any(ours) for _, ours, _, _ in rows),
        "target_in_search_code": share(any(theirs) for _, _, theirs, _ in rows),
        "target_in_evidence_with_as_few_tokens": share(shorts),
        "all_targets_in_evidence": share(one for _, ours, _, _ in rows for one in ours),
        "all_targets_in_search_code": share(one for _, _, theirs, _ in rows for one in theirs),
        "tokens": dict(
            zip(
                ("ask_codebase", "search_code"),
                (round(statistics.mean(one)) for one in zip(*tokens, strict=True)),
                strict=True,
            )
        ),
        "levels": {
            level: {
                "own": share(said["level"] == level for said, *_ in rows),
                "right": share(any(ours) for said, ours, *_ in rows if said["level"] == level),
                "first_right": share(any(first) for said, *_, first in rows if said["level"] == level),
                "wrong_repository": share(said["level"] == level for said in wrong),
            }
            for level in LEVELS
        },
        "calibration": calibration([(said, any(ours)) for said, ours, *_ in rows] + [(said, False) for said in wrong]),
    }


def calibration(said: Sequence[tuple[dict[str, Any], bool]]) -> dict[str, Any]:
    """By level: how many answers, the mean of the values that they gave, and the share that was right."""
    found = {}
    for level in LEVELS:
        those = [(one["value"], right) for one, right in said if one["level"] == level]
        if those:
            found[level] = {
                "answers": len(those),
                "said": round(statistics.mean(value for value, _ in those), 3),
                "right": share(right for _, right in those),
            }
    return found


def share(values: Any) -> float | None:
    kept = list(values)
    return round(sum(kept) / len(kept), 4) if kept else None


@dataclass(slots=True)
class Sets:
    """Answers beside truths: what was found, given and true, over all questions and as means of each."""

    found: int = 0
    given: int = 0
    right: int = 0
    true: int = 0
    recalls: list[float] = field(default_factory=list)
    precisions: list[float] = field(default_factory=list)
    levels: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    counts: list[tuple[int, int, int, int]] = field(default_factory=list)  # found, true, right, given

    def add(self, ours: set[Any], truth: set[Any], may_be: set[Any] | None = None, level: str = "") -> None:
        """`may_be`: what is right besides, and need not be found."""
        right = ours & (truth | (may_be or set()))
        self.found += len(ours & truth)
        self.true += len(truth)
        self.given += len(ours)
        if truth:
            self.recalls.append(len(ours & truth) / len(truth))
        if ours:
            self.precisions.append(len(right) / len(ours))
            self.levels[level].append(len(right) / len(ours))
        self.right += len(right)
        self.counts.append((len(ours & truth), len(truth), len(right), len(ours)))

    def _interval(self, part: int, whole: int) -> list[float]:
        """Between what shares 95 % of draws of as many questions are; by places in `counts`."""
        draw = random.Random(SEED)
        shares = []
        for _ in range(DRAWS):
            rows = draw.choices(self.counts, k=len(self.counts))
            shares.append(sum(row[part] for row in rows) / max(1, sum(row[whole] for row in rows)))
        ranked = sorted(shares)
        return [round(ranked[int(at * (DRAWS - 1))], 4) for at in (0.025, 0.975)]

    def figures(self) -> dict[str, Any]:
        return {
            "questions": len(self.recalls),
            "truth": self.true,
            "recall": round(self.found / max(1, self.true), 4),
            "recall_interval": self._interval(0, 1),
            "precision": round(self.right / max(1, self.given), 4),
            "precision_interval": self._interval(2, 3),
            "recall_by_question": round(statistics.mean(self.recalls or [0]), 4),
            "precision_by_question": round(statistics.mean(self.precisions or [0]), 4),
            "precision_by_level": {
                level: [len(self.levels[level]), round(statistics.mean(self.levels[level]), 4)]
                for level in LEVELS
                if self.levels[level]
            },
        }


class Code:
    """The Python files of a folder, parsed."""

    def __init__(self, folder: Path) -> None:
        self.trees: dict[str, ast.Module] = {}
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder).as_posix()
            if not any(part.startswith(".") for part in name.split("/")):
                try:
                    self.trees[name] = ast.parse(path.read_bytes())
                except SyntaxError:
                    print(f"cannot be parsed: {name}", file=sys.stderr)
        self._scopes = {name: list(_scopes(tree)) for name, tree in self.trees.items()}
        self._begins = {
            (name, node.decorator_list[0].lineno): node.lineno
            for name, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list
        }
        self.modules = {module: name for name in self.trees if (module := self._module(name))}

    def called(self, path: str, line: int) -> tuple[str, int]:
        """The function or class that a call lands in, by the line where Python says that its code begins."""
        return path, self._begins.get((path, line), line)

    def makers(self, path: str, line: int) -> set[tuple[str, int]]:
        """A function or class by its first line, and the `__init__` of a class."""
        inits = {
            (path, one.lineno)
            for node in ast.walk(self.trees[path])
            if isinstance(node, ast.ClassDef) and node.lineno == line
            for one in node.body
            if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        }
        return {(path, line), *inits}

    def around(self, path: str, line: int) -> tuple[str, int]:
        """The innermost function or class with a line, by its first line; 0 for none."""
        inside = [first for first, last in self._scopes.get(path, ()) if first <= line <= last]
        return path, max(inside, default=0)

    def _module(self, name: str) -> str:
        """The dotted name: all below the outermost folder with an `__init__.py` is one package."""
        parts = name.removesuffix(".py").split("/")
        tops = (at for at in range(len(parts) - 1) if "/".join([*parts[: at + 1], "__init__.py"]) in self.trees)
        kept = parts[next(tops, len(parts) - 1) :]
        return ".".join(kept[:-1] if kept[-1] == "__init__" else kept)

    def raised(self) -> dict[str, set[tuple[str, int]]]:
        """Names of classes that one definition has -> the functions that raise them."""
        defined: dict[str, int] = defaultdict(int)
        found: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for path, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    defined[node.name] += 1
                if isinstance(node, ast.Raise) and node.exc is not None:
                    what = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                    name = what.attr if isinstance(what, ast.Attribute) else getattr(what, "id", "")
                    found[name].add(self.around(path, node.lineno))
        return {name: places for name, places in sorted(found.items()) if defined[name] == 1}

    def imported(self) -> dict[str, set[str]]:
        """Modules of the folder -> files that import them."""
        found: dict[str, set[str]] = defaultdict(set)
        for path, tree in self.trees.items():
            own = self._module(path).split(".")
            package = own if path.endswith("__init__.py") else own[:-1]
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        found[alias.name].add(path)
                elif isinstance(node, ast.ImportFrom):
                    above = package[: len(package) - node.level + 1] if node.level else []
                    base = ".".join([*above, *([node.module] if node.module else [])])
                    for alias in node.names:
                        whole = f"{base}.{alias.name}"
                        found[whole if whole in self.modules else base].add(path)
        return {
            module: files - {self.modules[module]} for module, files in sorted(found.items()) if module in self.modules
        }


def _scopes(tree: ast.Module) -> Iterator[tuple[int, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.end_lineno or node.lineno


def of_code(app: App, folder: Path, options: argparse.Namespace, found: dict[str, Sets], listed: list[str]) -> None:
    """Ask the generated questions of a repository."""
    index = f"{folder.name}-all"
    app.index(folder, name=index)
    code = Code(folder)
    observed = _observed(code, options.observed, folder.name)
    for symbol, every_use in _drawn(app, folder, index, options, "python"):
        uses = [one for one in every_use if one.line and not one.is_untold]
        answer = ask(app, index, f"what calls {symbol.qualified_name}?", **WIDE)
        spots = {(one["path"], one["lines"][0]) for one in answer["evidence"] if one["via"].startswith(CALLING)}
        own = {(spot.path, spot.line) for spot in symbol.spots}
        ours = {code.around(*spot) for spot in spots - own}
        truth = {code.around(one.path, one.line) for one in uses if one.is_call}
        others = {code.around(one.path, one.line) for one in uses if not one.is_import}
        untold = {code.around(one.path, one.line) for one in every_use if one.is_untold} - truth - others
        if len(truth) > MOST:
            continue
        level = answer["confidence"]["level"]
        found["calls"].add(ours, truth, others, level)
        found["calls_told"].add(ours - untold, truth, others, level)
        if observed is not None:
            seen = {one for place in own for made in code.makers(*place) for one in observed[made]}
            found["calls_observed"].add(ours, truth, others | seen, level)
        inner = [{one for one in those if not _LEFT_OUT.search(one[0])} for those in (ours, truth, others)]
        found["calls_outside_tests"].add(*inner, level)
        listed += [f"calls {symbol.qualified_name}: not found {one}" for one in sorted(truth - ours)]
        listed += [f"calls {symbol.qualified_name}: wrong {one}" for one in sorted(ours - untold - truth - others)]
        listed += [f"calls {symbol.qualified_name}: untold {one}" for one in sorted(ours & untold)]
    for name, truth in code.raised().items():
        answer = ask(app, index, f"where is {name} raised?", **WIDE)
        ours = {
            code.around(one["path"], one["lines"][0]) for one in answer["evidence"] if one["via"].startswith("raises ")
        }
        if len(truth) <= MOST:
            found["raised"].add(ours, truth, level=answer["confidence"]["level"])
            listed += [f"{name} raised: not found {one}" for one in sorted(truth - ours)]
            listed += [f"{name} raised: wrong {one}" for one in sorted(ours - truth)]
    for module, files in code.imported().items():
        answer = ask(app, index, f"what imports {module}?", **WIDE)
        ours_files = {one["path"] for one in answer["evidence"] if one["via"].startswith("imports ")}
        if len(files) <= MOST:
            found["imports"].add(ours_files, files, level=answer["confidence"]["level"])
            listed += [f"imports {module}: not found {one}" for one in sorted(files - ours_files)]
            listed += [f"imports {module}: wrong {one}" for one in sorted(ours_files - files)]


def of_modules(app: App, folder: Path, program: str, found: Sets, listed: list[str]) -> None:
    """Ask who imports each module of a Python repository."""
    index = f"{folder.name}-all"
    app.index(folder, name=index)
    files = {path for path, language in files_of(folder).items() if language == "python"}
    known, edges, modules = by_grimp(folder, program, files)
    for module, path in sorted(modules.items()):
        truth = {importing for importing, imported in edges if imported == path}
        answer = ask(app, index, f"what imports {module}?", **WIDE)
        ours = {one["path"] for one in answer["evidence"] if one["via"].startswith("imports ")} & known - {path}
        if truth and len(answer["evidence"]) < MOST:
            found.add(ours, truth, level=answer["confidence"]["level"])
            listed += [f"imports {module}: not found {one}" for one in sorted(truth - ours)]
            listed += [f"imports {module}: wrong {one}" for one in sorted(ours - truth)]


def of_scripts(app: App, folder: Path, options: argparse.Namespace, found: dict[str, Sets], listed: list[str]) -> None:
    """Ask who calls definitions of a TypeScript repository."""
    index = f"{folder.name}-all"
    app.index(folder, name=index)
    paths = [path for path, language in files_of(folder).items() if language in ECMASCRIPT]
    modules = options.tools["node_modules"]
    scopes = json.loads(run(["node", "-e", SCOPES, modules, str(folder)], "\n".join(paths)))

    def around(path: str, line: int) -> tuple[str, int]:
        inside = [first for first, last in scopes.get(path, ()) if first <= line <= last]
        return path, max(inside, default=0)

    for symbol, uses in _drawn(app, folder, index, options, "typescript"):
        blind = {one.path for one in uses if not one.line}
        answer = ask(app, index, f"what calls {symbol.qualified_name}?", **WIDE)
        spots = {(one["path"], one["lines"][0]) for one in answer["evidence"] if one["via"].startswith(CALLING)}
        own = {(spot.path, spot.line) for spot in symbol.spots}
        ours = {around(*spot) for spot in spots - own if spot[0] not in blind}
        told = [one for one in uses if one.line and one.path not in blind and not one.is_import and not one.is_untold]
        truth = {around(one.path, one.line) for one in told if one.is_call}
        others = {around(one.path, one.line) for one in told}
        untold = {around(one.path, one.line) for one in uses if one.is_untold} - truth - others
        if len(truth) > MOST:
            continue
        level = answer["confidence"]["level"]
        found["calls"].add(ours, truth, others, level)
        found["calls_told"].add(ours - untold, truth, others, level)
        inner = [{one for one in those if not _LEFT_OUT.search(one[0])} for those in (ours, truth, others)]
        found["calls_outside_tests"].add(*inner, level)
        listed += [f"calls {symbol.qualified_name}: not found {one}" for one in sorted(truth - ours)]
        listed += [f"calls {symbol.qualified_name}: wrong {one}" for one in sorted(ours - untold - truth - others)]
        listed += [f"calls {symbol.qualified_name}: untold {one}" for one in sorted(ours & untold)]


def _observed(code: Code, folder: Path | None, name: str) -> dict[tuple[str, int], set[tuple[str, int]]] | None:
    """What is called -> functions that were seen to call it."""
    if folder is None or not (folder / f"{name}.json").exists():
        return None
    found: dict[tuple[str, int], set[tuple[str, int]]] = defaultdict(set)
    for caller, called in json.loads((folder / f"{name}.json").read_text(encoding="utf-8")):
        path, line = code.called(*caller)
        found[code.called(*called)].add(code.around(path, line))
    return found


def _drawn(
    app: App, folder: Path, index: str, options: argparse.Namespace, language: str
) -> Iterator[tuple[Any, list[Any]]]:
    """Definitions whose names say which are meant, with their references."""
    every = symbols_of(folder, language)
    drawn = random.Random(SEED).sample(every, min(options.symbols, len(every)))
    truths = truth_of(folder, language, drawn, Tools(**options.tools), options.kept)
    record = app.catalog.find(index)
    for symbol, truth in zip(drawn, truths, strict=True):
        request = DefinitionRequest(symbol=read_name(symbol.qualified_name), limit=MOST)
        named = {(one.path, one.qualified_name) for one in app.navigation.find_definitions(request, record).definitions}
        if truth is not None and named == {(symbol.path, symbol.qualified_name)}:
            yield symbol, list(truth)


def of_cpu(app: App, tasks: Sequence[Any]) -> dict[str, Any]:
    """Processor time of questions, in milliseconds."""
    sizes = {one.name: one.chunk_count for one in app.catalog.list_all() if one.chunk_count < 10_000}
    index = max((name for name in sizes if any(task["repo"] == name for task in tasks)), key=lambda name: sizes[name])
    with app.database.reading() as conn:
        every = read_definitions(conn, app.catalog.find(index).index_id)
    names = sorted({one.name for one in every if not one.function_depth and len(one.name) > 3})
    drawn = random.Random(SEED).sample(names, min(DRAWN, len(names)))
    kinds = {"labelled": [task["query"] for task in tasks if task["repo"] == index]}
    kinds |= {form.format("X"): [form.format(name) for name in drawn] for form in FORMS}
    found: dict[str, Any] = {"index": index, "chunks": sizes[index]}
    everything: list[float] = []
    for kind, questions in kinds.items():
        for question in questions[:WARM_UP]:
            ask(app, index, question)
        server = Server(app.database.server.data)
        times = []
        for question in questions:
            own, before = time.process_time(), server.ms()
            ask(app, index, question)
            times.append((time.process_time() - own) * 1000 + server.ms() - before)
        everything += times
        found[kind] = spread(times)
    return {**found, "all": spread(everything)}


def spread(times: Sequence[float]) -> dict[str, Any]:
    ranked = sorted(times)
    return {
        "questions": len(ranked),
        "median": round(statistics.median(ranked), 1),
        "p95": round(ranked[int(0.95 * (len(ranked) - 1))], 1),
        "most": round(ranked[-1], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    parser.add_argument("--part", action="append", choices=PARTS, help="only these parts")
    parser.add_argument("--repo", action="append", help="only these repositories")
    parser.add_argument("--graph", action="append", default=[], help="repositories of the generated questions")
    parser.add_argument("--modules", action="append", default=[], help="repositories that grimp is asked about")
    parser.add_argument("--scripts", action="append", default=[], help="repositories that typescript is asked about")
    parser.add_argument("--grimp", help="interpreter with grimp")
    parser.add_argument("--symbols", type=int, default=60, help="that are drawn of each")
    parser.add_argument("--tools", type=json.loads, default={}, help="as in callers.py")
    parser.add_argument("--kept", type=Path, help="keep the truths here")
    parser.add_argument("--observed", type=Path, help="folder of calls that were seen, NAME.json")
    parser.add_argument(
        "--held-out", nargs="?", const="held_out", metavar="NAME",
        help="no rule was made with these: write PART_NAME, PART_held_out without a name",
    )  # fmt: skip
    parser.add_argument("--list", action="store_true", help="print all differences")
    parser.add_argument("--json", type=Path, help="write the figures here; parts that were not measured stay")
    options = parser.parse_args()
    parts = options.part or PARTS
    repos = json.loads((options.bench / "repos.json").read_text(encoding="utf-8"))
    folders = {repo["name"]: options.repositories / repo["name"] / (repo.get("benchmark_root") or "") for repo in repos}
    names = sorted(name for name, folder in folders.items() if folder.is_dir() and name in (options.repo or [name]))
    tasks = load_tasks(str(options.bench / "annotations"), str(options.bench / "repos.json"))
    tasks = [task for task in tasks if task["repo"] in names]
    figures: dict[str, Any] = {}
    listed: list[str] = []
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        if {"questions", "cpu"} & set(parts):
            for name in names:
                app.index(folders[name], name=name)
        if "questions" in parts:
            figures["questions"] = of_questions(app, tasks, names, listed)
        if "generated" in parts:
            sets = {name: Sets() for name in (*CALLS, "calls_observed", "raised", "imports")}
            for name in options.graph:
                of_code(app, (options.repositories / name).resolve(), options, sets, listed)
            figures["generated"] = {
                "repositories": options.graph,
                **{name: one.figures() for name, one in sets.items() if one.given},
            }
        if "modules" in parts:
            imports = Sets()
            for name in options.modules:
                of_modules(app, (options.repositories / name).resolve(), options.grimp, imports, listed)
            figures["modules"] = {"repositories": options.modules, "imports": imports.figures()}
        if "scripts" in parts:
            sets = {name: Sets() for name in CALLS}
            for name in options.scripts:
                of_scripts(app, (options.repositories / name).resolve(), options, sets, listed)
            figures["scripts"] = {
                "repositories": options.scripts,
                **{name: one.figures() for name, one in sets.items()},
            }
        if "cpu" in parts:
            figures["cpu"] = of_cpu(app, tasks)
        if not options.data:
            stop_server(app.database)
    if options.list:
        print("\n".join(listed), file=sys.stderr)
    print(json.dumps(figures, indent=1))
    if options.json:
        known = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {}
        commit = product_commit(Path(__file__).parents[1])
        suffix = f"_{options.held_out}" if options.held_out else ""
        known |= {name + suffix: {"commit": commit, **part} for name, part in figures.items()}
        options.json.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
