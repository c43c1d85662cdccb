"""Complexity and health: the figures that Python's own parser gives, filters, order, changes."""

import ast
import json
import os
import statistics
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.comparison.changes import find_changes
from cocosearch_py.comparison.report import ChangeRequest
from cocosearch_py.discovery.git import count_changes
from cocosearch_py.discovery.revisions import commit_of, github_repository
from cocosearch_py.errors import NotFoundError, ServiceError
from cocosearch_py.features.quality.pull_requests import GitHubPullRequest, read_pull_request
from cocosearch_py.features.quality.queries import Measured, Selected, find_hotspots, measure_health
from cocosearch_py.features.quality.service import ends_of_pull_request
from cocosearch_py.features.quality.tools import WORKTREE, Hotspot
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.tools.index import Items

STORAGE = Path(__file__).parents[2] / "src" / "cocosearch_py" / "storage"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.Assert,
    ast.match_case,
)
FILES = {
    "shop/cart.py": '''def total(items, tax):
    """Sum up."""
    price = 0
    for item in items:
        if item.price and item.count:
            price += item.price
    return price * tax


def empty(): ...


class Cart:
    def _add(self, item):
        def check():
            return item or 0

        return check()

    @deprecated
    def put(self, item): ...
''',
    "tests/test_cart.py": "def test_total():\n    assert total([], 1) == 0\n",
    "web/pay.ts": "export function pay(a: number, b: number) {\n  return a > b ? a : b;\n}\n",
    "shop/tables.sql": "CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql;\n",
    "vendor/big.py": "def big(a):\n" + "    if a: a()\n" * 50,
    "notes.md": "# Notes\n",
}
Found = Items[Hotspot]
Hotspots = Callable[..., Found]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def indexed(app: App, tmp_path: Path) -> Iterator[App]:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "project", name="project")
    yield app


@pytest.fixture
def hotspots(indexed: App) -> Hotspots:
    record = indexed.catalog.find("project")

    def find(commits: Mapping[str, int] | None = None, **options: Any) -> Found:
        churn = {file_id_of(path): count for path, count in (commits or {}).items()}
        selected = Selected(churn=churn, **options)
        return indexed.database.read(lambda conn: find_hotspots(conn, record, selected))

    return find


def health(app: App, *paths: str) -> Measured:
    record = app.catalog.find("project")
    return app.database.read(lambda conn: measure_health(conn, record, paths or ("",)))


def names(report: Found) -> list[str]:
    return [function.name for function in report.items]


def complexity(function: ast.AST) -> int:
    """McCabe's as radon counts it, with the guards of cases, without what functions inside have."""
    found = 1
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, FUNCTIONS):
            continue
        found += isinstance(node, BRANCHES)
        found += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
        found += 1 + len(node.ifs) if isinstance(node, ast.comprehension) else 0
        found += bool(node.orelse) if isinstance(node, ast.Try | ast.For | ast.While) else 0
        found += node.guard is not None if isinstance(node, ast.match_case) else 0
        waiting += ast.iter_child_nodes(node)
    return found


def test_all_figures_of_a_package_as_python_itself_reads_it(app: App) -> None:
    app.index(STORAGE, name="project")
    truth = {}
    documented = lines = 0
    for path in STORAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, FUNCTIONS):
                truth[str(path.relative_to(STORAGE)), node.name, node.lineno] = complexity(node)
                documented += ast.get_docstring(node) is not None
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                lines += (node.end_lineno or 0) - first + 1
    figures = sorted(truth.values())
    found = health(app).totals
    spread = found["complexity"]
    assert found["total_functions"] == found["analyzed"] == len(truth) > 200
    assert (spread.avg, spread.median) == (round(statistics.mean(figures), 2), statistics.median(figures))
    assert (spread.max, spread.p90) == (figures[-1], figures[-(-len(figures) * 9 // 10) - 1])
    assert found["high_complexity_count"] == sum(figure >= 10 for figure in figures)
    assert found["documented_pct"] == round(100 * documented / len(truth), 1)
    assert found["body_lines"].avg == round(lines / len(truth), 2)
    record = app.catalog.find("project")
    selected = Selected(limit=100, churn={})
    for function in app.database.read(lambda conn: find_hotspots(conn, record, selected)).items:
        near = [key for key in truth if key[:2] == (function.file, function.name.rpartition(".")[2])]
        assert function.cyclomatic in [truth[key] for key in near if 0 <= key[2] - function.line < 10], function


def test_the_score_of_a_function(hotspots: Hotspots) -> None:
    first = hotspots().items[0]
    assert (first.file, first.name, first.kind, first.line, first.body_lines) == (
        *("shop/cart.py", "total", "function", 1, 7),
    )
    assert (first.cyclomatic, first.max_nesting, first.param_count) == (4, 2, 2)
    assert first.score == pytest.approx(4 + 2 * 2 + 2 * 0.5 + 7 / 20)


def test_functions_by_other_figures(hotspots: Hotspots) -> None:
    assert names(hotspots(min_complexity=3)) == ["total"]
    assert hotspots(min_complexity=2, limit=1).total == 4
    assert names(hotspots(sort="complexity", limit=2)) == ["total", "pay"]
    assert names(hotspots(sort="body_lines", limit=2)) == ["total", "Cart._add"]
    assert names(hotspots(sort="params", limit=2)) == ["total", "pay"]
    assert names(hotspots(sort="nesting", limit=1)) == ["total"]
    assert names(hotspots({"web/pay.ts": 3, "gone.py": 9}, sort="churn", limit=2)) == ["pay", "total"]


def test_functions_below_a_path(hotspots: Hotspots) -> None:
    assert names(hotspots(paths=("web",))) == names(hotspots(paths=("web/pay.ts",))) == ["pay"]
    assert names(hotspots(paths=("nothing", "web"))) == ["pay"]
    with pytest.raises(NotFoundError, match="no indexed file is at or below sho"):
        hotspots(paths=("sho",))
    assert hotspots(paths=("vendor",)).total == 0, "others wrote it"


def test_health_of_a_small_project(indexed: App) -> None:
    report = health(indexed)
    found = report.totals
    assert (found["total_functions"], found["analyzed"]) == (8, 7)
    assert (found["test_count"], found["deprecated_count"], found["documented_pct"]) == (1, 1, 14.3)
    assert found["complexity"].max == 4
    assert found["public_api_count"] == 4  # neither the test, nor `_add`, nor what is inside of it
    files = [(file.file, file.functions, file.max_complexity) for file in report.items]
    assert files == [("shop/cart.py", 5, 4)]
    assert report.items[0].avg_complexity == round((4 + 1 + 1 + 2 + 1) / 5, 2)
    assert found["parse_health_pct"] == 100
    assert health(indexed, "web").totals["complexity"].avg == 2
    none = health(indexed, "notes.md")
    assert (none.totals["total_functions"], none.items) == (0, ())
    assert (none.totals["complexity"].avg, none.totals["complexity"].p90) == (0, 0)


def test_how_often_files_were_changed(tmp_path: Path) -> None:
    assert count_changes(tmp_path) is None
    git(tmp_path, "init", "-q")
    for number in range(3):
        (tmp_path / "sub").mkdir(exist_ok=True)
        (tmp_path / "sub" / "ä b.py").write_text(f"x = {number}\n")
        (tmp_path / "once.py").write_text("x\n")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "x")
    assert count_changes(tmp_path) == {"sub/ä b.py": 3, "once.py": 1}
    assert count_changes(tmp_path / "sub") == {"ä b.py": 3}
    assert count_changes(tmp_path / "gone") is None


@pytest.fixture
def repository(indexed: App, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def changes(app: App, root: Path, *paths: str, to: str | None = None) -> dict[str, list[str]]:
    since, to = commit_of(root, "main"), to and commit_of(root, to)
    assert since is not None
    request = ChangeRequest(since=since, to=to, paths=paths or ("",))
    report = find_changes(request, root)
    assert report.is_compared and not report.uncompared
    return {one.path: [one.status, *(f"{c.status} {c.kind} {c.name}" for c in one.changes)] for one in report.files}


def test_what_changed_on_disk(indexed: App, repository: Path) -> None:
    assert changes(indexed, repository) == {}
    cart = repository / "shop/cart.py"
    os.utime(cart, ns=(1, 1))
    assert changes(indexed, repository) == {}, "only the time is new"
    text = FILES["shop/cart.py"].replace("(items, tax)", "(items)").replace("return item or 0", "return item")
    cart.write_text(text.replace("def empty(): ...", "def other():\n    def inner(): ...\n"))
    (repository / "web/pay.ts").unlink()
    (repository / "new.go").write_text("package p\n\nfunc New() {}\n")
    (repository / "notes.md").write_text("# Other notes\n")
    expected = {
        "new.go": ["added", "added function New"],
        "notes.md": ["modified"],
        "shop/cart.py": [
            "modified",
            *("signature_changed function total", "added function other", "body_changed method Cart._add"),
            "removed function empty",
        ],
        "web/pay.ts": ["removed", "removed function pay"],
    }
    found = changes(indexed, repository)
    assert {path: found[path][:1] for path in found} == {path: expected[path][:1] for path in expected}
    assert found["shop/cart.py"] == expected["shop/cart.py"]
    assert found["new.go"][-1] == expected["new.go"][-1]
    assert found["web/pay.ts"] == expected["web/pay.ts"]
    assert list(changes(indexed, repository, "nothing", "shop")) == ["shop/cart.py"]
    git(repository, "checkout", "-q", "-b", "other")
    git(repository, "add", "shop")
    git(repository, "commit", "-q", "-m", "two")
    assert changes(indexed, repository, to="other") == {"shop/cart.py": expected["shop/cart.py"]}


def test_line_ends_and_empty_lines_are_no_changes(indexed: App, repository: Path) -> None:
    cart = repository / "shop/cart.py"
    cart.write_bytes(FILES["shop/cart.py"].replace("\n", "\r\n").encode())
    assert changes(indexed, repository) == {}
    cart.write_text("\n\n" + FILES["shop/cart.py"].replace("price = 0", "price = 0   \n"))
    assert changes(indexed, repository) == {"shop/cart.py": ["modified"]}


def test_overloads_are_compared_one_by_one(indexed: App, repository: Path) -> None:
    file = repository / "shop/Pay.java"
    file.write_text(
        "class Pay {\n  int of(int a) { return 1; }\n  int of(long a) { return 2; }\n  int of() { return 3; }\n}\n"
    )
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "overloads")
    text = file.read_text()
    file.write_text(text.replace("return 2", "return 20"))
    assert changes(indexed, repository)["shop/Pay.java"] == ["modified", "body_changed method Pay.of"]
    file.write_text(text.replace("(long a)", "(short a)"))
    assert changes(indexed, repository)["shop/Pay.java"] == ["modified", "signature_changed method Pay.of"]
    file.write_text(text.replace("  int of() { return 3; }\n", ""))
    assert changes(indexed, repository)["shop/Pay.java"] == ["modified", "removed method Pay.of"]


def test_no_filter_of_a_repository_runs(indexed: App, repository: Path) -> None:
    seen = repository.parent / "seen"
    git(repository, "config", "filter.evil.clean", f"touch {seen}; cat")
    git(repository, "config", "diff.evil.textconv", f"touch {seen}; cat")
    (repository / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (repository / "shop/cart.py").write_text("x = 1\n")
    assert "shop/cart.py" in changes(indexed, repository)
    assert not seen.exists()


def test_a_link_is_not_followed(indexed: App, repository: Path) -> None:
    outside = repository.parent / "outside.py"
    outside.write_text("def stolen(): ...\n")
    (repository / "link.py").symlink_to(outside)
    (repository / "web/pay.ts").unlink()
    (repository / "web/pay.ts").symlink_to(outside)
    assert "stolen" not in str(changes(indexed, repository))


@pytest.mark.parametrize("ref", ["--output=x", "-p", "main:shop/cart.py", "", "a b", "main\n", "HEAD^{tree}"])
def test_names_that_are_no_commits(repository: Path, ref: str) -> None:
    assert commit_of(repository, ref) is None


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://github.com/o/n.git", ("o", "n")),
        ("https://token@github.com/o/n", ("o", "n")),
        ("git@github.com:o/n.js.git", ("o", "n.js")),
        ("ssh://git@github.com/o/n/", ("o", "n")),
        ("https://github.com.evil.org/o/n", None),
        ("https://example.org/github.com/o/n", None),
    ],
)
def test_repositories_on_github(repository: Path, url: str, found: tuple[str, str] | None) -> None:
    git(repository, "remote", "add", "origin", url)
    assert github_repository(repository) == found


def test_what_github_answers() -> None:
    body = json.dumps({"title": "T", "base": {"ref": "main"}, "head": {"ref": "f", "sha": "abc"}}).encode()
    assert read_pull_request("o/n#7", 7, 200, body) == GitHubPullRequest(7, "T", "main", "f", "abc")
    with pytest.raises(NotFoundError, match="no pull request o/n#7"):
        read_pull_request("o/n#7", 7, 404, b"{}")
    for status, answer in ((403, b"{}"), (200, b"[]"), (200, b"{"), (301, body)):
        with pytest.raises(ServiceError):
            read_pull_request("o/n#7", 7, status, answer)


def test_the_ends_of_a_pull_request(repository: Path) -> None:
    base = commit_of(repository, "main")
    git(repository, "checkout", "-q", "-b", "feature")
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    head = commit_of(repository, "feature") or ""
    ends = ends_of_pull_request(GitHubPullRequest(7, "T", "main", "feature", head), repository, WORKTREE)
    assert (ends.since, ends.to, ends.warnings) == (base, head, ())
    away = ends_of_pull_request(GitHubPullRequest(7, "T", "main", "feature", "0" * 40), repository, WORKTREE)
    assert (away.since, away.to, len(away.warnings)) == (base, None, 1)
    with pytest.raises(NotFoundError, match="'gone' is not in this clone"):
        ends_of_pull_request(GitHubPullRequest(7, "T", "gone", "feature", head), repository, WORKTREE)
