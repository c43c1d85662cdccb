"""Whether imports lead where they should, and whether figures of functions are right: beside what knows a language.

    python benchmarks/imports.py REPOSITORIES_FOLDER [--python PROGRAM] [--node-modules FOLDER] [--each N] [--json OUT]

PROGRAM is a Python interpreter with grimp and lizard, FOLDER a `node_modules` with typescript. Imports of Python are
compared, as pairs of files, with the graph that grimp makes of each package; those of JavaScript and TypeScript with
what the compiler resolves under the nearest tsconfig, where a declaration counts as the module that it declares.
Cyclomatic complexity is compared with lizard's, in N files of each language drawn at random; the two count some things
differently (`??`, `ensure`, types with a question mark, branches of the preprocessor), so that no language reaches 1.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from cocosearch_py.languages import detect_language
from cocosearch_py.languages.imports import Project, resolver_of
from cocosearch_py.model.references import Import
from cocosearch_py.parsing import parse_source

LEFT_OUT = frozenset({".git", "node_modules", ".venv"})
ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
MEASURED = frozenset("go rust java kotlin scala c cpp csharp ruby php swift lua javascript typescript".split())
MAX_BYTES = 300_000
SEED = 7
Pairs = set[tuple[str, str]]

GRIMP = """
import json, sys, grimp
sys.path[:0] = json.loads(sys.argv[1])
graph = grimp.build_graph(*sys.argv[2:], cache_dir=None)
edges = [(a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a)]
print(json.dumps([sorted(graph.modules), edges]))
"""
LIZARD = """
import json, sys, lizard
found = []
for path in sys.stdin.read().split("\\n"):
    try: one = lizard.analyze_file(path)
    except Exception: continue
    found += [(path, f.name, f.start_line, f.cyclomatic_complexity) for f in one.function_list]
print(json.dumps(found))
"""
COMPILER = """
const ts = require(process.argv[2] + '/typescript'), fs = require('fs'), path = require('path');
const root = process.argv[3], options = new Map();
function around(folder) {
  if (options.has(folder)) return options.get(folder);
  const names = ['tsconfig.json', 'jsconfig.json'].map((name) => path.join(folder, name));
  const config = names.find((name) => fs.existsSync(name));
  let found = folder === root ? {} : null;
  if (config) {
    const read = {...ts.readConfigFile(config, ts.sys.readFile).config, files: [], include: undefined};
    found = ts.parseJsonConfigFileContent(read, ts.sys, folder).options;
  } else if (!found) found = around(path.dirname(folder));
  options.set(folder, found);
  return found;
}
const rows = fs.readFileSync(0, 'utf8').split('\\n').flatMap((file) => {
  const full = path.join(root, file), text = fs.readFileSync(full, 'utf8');
  const given = {...around(path.dirname(full)), allowJs: true, resolveJsonModule: true};
  given.moduleResolution = ts.ModuleResolutionKind.Bundler;
  given.module = ts.ModuleKind.ESNext;
  return ts.preProcessFile(text, true, true).importedFiles.map((one) => {
    const found = ts.resolveModuleName(one.fileName, full, given, ts.sys).resolvedModule;
    return [file, one.fileName, found ? path.relative(root, found.resolvedFileName) : null];
  });
});
console.log(JSON.stringify(rows));
"""


def files_of(root: Path) -> dict[str, str]:
    """Path and language of every file."""
    found = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.is_file() and LEFT_OUT.isdisjoint(relative.parts):
            found[relative.as_posix()] = detect_language(relative.as_posix(), b"")
    return found


def project_of(root: Path, files: Mapping[str, str]) -> Project:
    return Project(frozenset(files), lambda path: (root / path).read_text(encoding="utf-8", errors="replace"))


def imports_of(root: Path, files: Mapping[str, str]) -> Iterator[tuple[str, Import]]:
    for path, language in files.items():
        for one in parse_source(language, (root / path).read_bytes()).facts.imports:
            yield path, one


def compare(ours: Pairs, truth: Pairs, unknown: int = 0) -> dict[str, float]:
    same = len(ours & truth)
    return {
        "truth": len(truth),
        "precision": round(same / max(1, len(ours)), 4),
        "recall": round(same / max(1, len(truth)), 4),
        "only_ours": unknown,
    }


def by_grimp(root: Path, program: str, files: Collection[str]) -> tuple[set[str], Pairs, dict[str, str]]:
    """What grimp says of the packages in the root or in src: their files, which of them imports which, their modules.

    Args:
        program: an interpreter with grimp.
        files: the Python files of the root.
    """
    places = [place for place in ("src", "") if (root / place).is_dir()]
    packages = {path.parent.name for place in places for path in (root / place).glob("*/__init__.py")}
    roots = [str(root / place) for place in places]
    modules, edges = json.loads(run([program, "-c", GRIMP, json.dumps(roots), *sorted(packages)], ""))

    def file_of(module: str) -> str | None:
        stems = [f"{place}/{module.replace('.', '/')}".lstrip("/") for place in places]
        return next((path for stem in stems for path in (f"{stem}/__init__.py", f"{stem}.py") if path in files), None)

    known = {module: path for module in modules if (path := file_of(module))}
    truth = {(a, b) for one, other in edges if (a := known.get(one)) and (b := known.get(other)) and a != b}
    return set(known.values()), truth, known


def python_imports(root: Path, program: str) -> dict[str, Any]:
    """Compare with grimp the packages that lie in the root or in src."""
    files = {path: language for path, language in files_of(root).items() if language == "python"}
    known, truth, _ = by_grimp(root, program, files)
    found = list(imports_of(root, files))
    project, resolve = project_of(root, files), resolver_of("python")
    assert resolve is not None
    started = time.process_time()
    answers = [(path, resolve(project, path, one).targets) for path, one in found]
    spent = time.process_time() - started
    ours = {(path, target) for path, targets in answers for target in targets if path != target}
    ours = {(a, b) for a, b in ours if a in known and b in known}
    return {**compare(ours, truth), "imports": len(found), "us_each": round(spent / max(1, len(found)) * 1e6, 1)}


def script_imports(root: Path, node_modules: str) -> dict[str, Any]:
    """Compare with the compiler of TypeScript."""
    files = files_of(root)
    scripts = [path for path, language in files.items() if language in ECMASCRIPT]
    rows = json.loads(
        run(
            [
                "node",
                "-e",
                COMPILER.replace("argv[2]", "argv[1]").replace("argv[3]", "argv[2]"),
                node_modules,
                str(root),
            ],
            "\n".join(scripts),
        )
    )
    project, resolve = project_of(root, files), resolver_of("typescript")
    assert resolve is not None
    started = time.process_time()
    answers = [resolve(project, path, Import(module, None, None, 1)).targets for path, module, _ in rows]
    spent = time.process_time() - started
    ours, truth, unknown = set(), set(), 0
    for (path, module, target), targets in zip(rows, answers, strict=True):
        if target is None or target.startswith("..") or "node_modules" in target:
            unknown += bool(targets)
            continue
        truth.add((f"{path} {module}", module_of(target)))
        ours |= {(f"{path} {module}", module_of(one)) for one in targets}
    us_each = round(spent / max(1, len(rows)) * 1e6, 1)
    return {**compare(ours, truth, unknown), "imports": len(rows), "us_each": us_each}


def module_of(path: str) -> str:
    """A path without its suffixes: of a declaration and of what it declares the same."""
    return re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", path)


def complexity(roots: Sequence[Path], program: str, each: int) -> dict[str, Any]:
    """By language: functions that both find, and the share with the same figure."""
    by_language: dict[str, list[Path]] = {}
    for root in roots:
        for path, language in files_of(root).items():
            if language in MEASURED and (root / path).stat().st_size < MAX_BYTES:
                by_language.setdefault(language, []).append(root / path)
    found: dict[str, Any] = {}
    for language, paths in sorted(by_language.items()):
        chosen = Random(SEED).sample(paths, min(each, len(paths)))
        figures: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for path in chosen:
            parsed = parse_source(language, path.read_bytes())
            for number, one in parsed.facts.metrics:
                symbol = parsed.symbols[number]
                place = (symbol.start_line, symbol.end_line, one.cyclomatic)
                figures.setdefault((str(path), symbol.name), []).append(place)
        both = same = 0
        for path_text, name, line, count in json.loads(run([program, "-c", LIZARD], "\n".join(map(str, chosen)))):
            last = re.split(r"::|[.:]", name.partition("(")[0])[-1].strip()
            near = [one for one in figures.get((path_text, last), ()) if one[0] <= line <= one[1]]
            if near:
                both += 1
                same += min(near, key=lambda one: abs(one[0] - line))[2] == count
        if both:
            found[language] = {"functions": both, "equal": round(same / both, 4)}
    return found


def run(command: Sequence[str], given: str) -> str:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--python", help="interpreter with grimp and lizard")
    parser.add_argument("--node-modules", help="folder with typescript")
    parser.add_argument("--python-repo", nargs="*", default=["flask", "fastapi", "click", "requests"])
    parser.add_argument("--script-repo", nargs="*", default=["vitest", "trpc", "axios", "express"])
    parser.add_argument("--each", type=int, default=60, help="files of each language whose complexity is compared")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    parts: list[tuple[str, Callable[[], dict[str, Any]]]] = []
    folder: Path = given.repositories.resolve()
    if given.python:
        parts += [
            (f"imports of {one}", lambda one=one: python_imports(folder / one, given.python))
            for one in given.python_repo
        ]
    if given.node_modules:
        parts += [
            (f"imports of {one}", lambda one=one: script_imports(folder / one, given.node_modules))
            for one in given.script_repo
        ]
    if given.python:
        roots = sorted(path for path in folder.iterdir() if path.is_dir())
        parts.append(("complexity", lambda: complexity(roots, given.python, given.each)))
    report = {}
    for name, make in parts:
        report[name] = make()
        print(name, json.dumps(report[name]), flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
