"""Imports and calls beside programs that know a language.

Imports of Python are compared, as pairs of files, with the graph that grimp makes of each package; those of JavaScript
and TypeScript with what the compiler resolves under the nearest tsconfig, where a declaration counts as the module that
it declares. Calls of Python are compared with those in Python's own syntax tree.
"""

import ast
import json
import re
import subprocess
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from benchmarks.frame import Folders, benchmark, note
from benchmarks.rows import Figures
from benchmarks.timing import ratio
from cocosearch_py.languages import detect_language
from cocosearch_py.languages.imports import Project, resolver_of
from cocosearch_py.model.references import Import
from cocosearch_py.parsing import parse_source

LEFT_OUT = frozenset({".git", "node_modules", ".venv"})
ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
Pairs = set[tuple[str, str]]
Python = Annotated[str, "interpreter with grimp"]

GRIMP = """
import json, sys, grimp
sys.path[:0] = json.loads(sys.argv[1])
graph = grimp.build_graph(*sys.argv[2:], cache_dir=None)
edges = [(a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a)]
print(json.dumps([sorted(graph.modules), edges]))
"""
COMPILER = """
const ts = require(process.argv[1] + '/typescript'), fs = require('fs'), path = require('path');
const root = process.argv[2], options = new Map();
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
    paths = [path for path in sorted(root.rglob("*")) if path.is_file()]
    names = [path.relative_to(root) for path in paths]
    return {name.as_posix(): detect_language(name.as_posix(), b"") for name in names if LEFT_OUT.isdisjoint(name.parts)}


@benchmark
def imports(
    folders: Folders, *, python: Python = "", node_modules: Annotated[str, "folder with npm's typescript"] = ""
) -> Figures:
    """Recall and precision of resolved imports, beside grimp (Python) and the compiler of TypeScript."""
    figures: Figures = {}
    for root in (folder.resolve() for folder in folders):
        files = files_of(root)
        ways = {
            "python": lambda: python_imports(root, files, python),  # noqa: B023
            "typescript": lambda: script_imports(root, files, node_modules),  # noqa: B023
        }
        for language, tool in (("python", python), ("typescript", node_modules)):
            if tool and language in files.values():
                ours, truth = ways[language]()
                figures |= {
                    f"{root.name} {language} imports": len(truth),
                    f"{root.name} {language} recall": ratio(len(ours & truth), len(truth)),
                    f"{root.name} {language} precision": ratio(len(ours & truth), len(ours)),
                }
    return figures


def project_of(root: Path, files: Mapping[str, str]) -> Project:
    return Project(frozenset(files), lambda path: (root / path).read_text(encoding="utf-8", errors="replace"))


def python_imports(root: Path, files: Mapping[str, str], program: str) -> tuple[Pairs, Pairs]:
    """Pairs of files, ours and grimp's, of the packages in the root or in src."""
    scripts = {path: language for path, language in files.items() if language == "python"}
    known, truth = by_grimp(root, program, scripts)
    project, resolve = project_of(root, scripts), resolver_of("python")
    assert resolve is not None
    ours = {
        (path, target)
        for path in known
        for statement in parse_source("python", (root / path).read_bytes()).facts.imports
        for target in resolve(project, path, statement).targets
        if target in known and target != path
    }
    return ours, truth


def by_grimp(root: Path, program: str, files: Collection[str]) -> tuple[set[str], Pairs]:
    """Files of the packages that grimp sees, and which of them imports which."""
    places = [place for place in ("src", "") if (root / place).is_dir()]
    packages = {path.parent.name for place in places for path in (root / place).glob("*/__init__.py")}
    roots = [str(root / place) for place in places]
    modules, edges = json.loads(run([program, "-c", GRIMP, json.dumps(roots), *sorted(packages)], ""))

    def file_of(module: str) -> str | None:
        stems = [f"{place}/{module.replace('.', '/')}".lstrip("/") for place in places]
        return next((path for stem in stems for path in (f"{stem}/__init__.py", f"{stem}.py") if path in files), None)

    known = {module: path for module in modules if (path := file_of(module))}
    pairs = {(known[source], known[target]) for source, target in edges if source in known and target in known}
    return set(known.values()), {(source, target) for source, target in pairs if source != target}


def script_imports(root: Path, files: Mapping[str, str], node_modules: str) -> tuple[Pairs, Pairs]:
    """Pairs of import and module, ours and the compiler's, of imports that lead to a file of the root."""
    scripts = [path for path, language in files.items() if language in ECMASCRIPT]
    rows = json.loads(run(["node", "-e", COMPILER, node_modules, str(root)], "\n".join(scripts)))
    project, resolve = project_of(root, files), resolver_of("typescript")
    assert resolve is not None
    ours, truth = set(), set()
    for path, module, target in rows:
        if target is not None and not target.startswith("..") and "node_modules" not in target:
            truth.add((f"{path} {module}", module_of(target)))
            targets = resolve(project, path, Import(module, None, None, 1)).targets
            ours |= {(f"{path} {module}", module_of(resolved)) for resolved in targets}
    return ours, truth


def module_of(path: str) -> str:
    """A path without its suffixes: equal for a declaration and the module that it declares."""
    return re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", path)


@benchmark
def calls(folders: Folders) -> Figures:
    """Recall and precision of calls and imports in Python files, beside Python's own syntax tree."""
    warnings.simplefilter("ignore")  # about the files' own escapes
    totals: Counter[str] = Counter()
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        facts = parse_source("python", path.read_bytes()).facts
        ours = Counter((reference.name, reference.line) for reference in facts.references if reference.kind == "call")
        truth = Counter(_called(tree))
        totals["files"] += 1
        totals["both"] += (ours & truth).total()
        totals["ours"] += ours.total()
        totals["truth"] += truth.total()
        for name, line in (*(truth - ours), *(ours - truth)):
            note(f"{path}:{line} {name}")
    return {
        "files": totals["files"],
        "calls": totals["truth"],
        "recall": ratio(totals["both"], totals["truth"]),
        "precision": ratio(totals["both"], totals["ours"]),
    }


def _called(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Name and line of calls, decorators among them."""
    for node in ast.walk(tree):
        called = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
        for target in called:
            if isinstance(target, ast.Name | ast.Attribute):
                yield target.id if isinstance(target, ast.Name) else target.attr, target.end_lineno or 0


def run(command: Sequence[str], given: str) -> str:
    """Output of a program that reads a text."""
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
