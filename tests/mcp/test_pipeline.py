"""run_pipeline: a chain answers what its single tools answer one after the other, and stops as soon as it can."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, lay_out

from cocosearch_py.app import App
from cocosearch_py.features.pipeline import reader, service

Make = Callable[..., FastMCP]


def ran(server: FastMCP, pipeline: str, tool: str = "run_pipeline", **more: Any) -> dict[str, Any]:
    answer = call(server, tool, {"pipeline": pipeline, **more})
    assert not answer.is_error, answer.payload
    payload: dict[str, Any] = answer.payload
    return payload


def items(server: FastMCP, pipeline: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ran(server, pipeline)["items"]
    return found


def test_chains_are_their_single_tools_one_after_the_other(make: Make, shop: Path) -> None:
    server = make()

    def single(tool: str, **arguments: Any) -> Any:
        return call(server, tool, arguments).payload

    def inner(path: str) -> str:
        return str(Path(path).relative_to(shop))

    files = [one["path"] for one in single("list_files", path_glob="**/*.py")["files"]]
    assert [one["path"] for one in items(server, "find **/*.py")] == files
    assert len(files) > 2

    lines = single("search_text", query="Money", limit=200)
    assert ran(server, "text Money | count")["count"] == lines["total"]
    expected = [(inner(one["file_path"]), one["line"], one["text"]) for one in lines["matches"]]
    assert [(one["path"], one["line"], one["text"]) for one in items(server, "text Money")] == expected

    outlined = [
        (path, entry["kind"], entry["start_line"])
        for path in files
        for entry in flat(single("outline_file", path=path)["symbols"])
    ]
    found = items(server, "glob **/*.py | outline")
    assert [(one["path"], one["kind"], one["start_line"]) for one in found] == outlined
    classes = [one for one in outlined if one[1] == "class"]
    found = items(server, "find **/*.py | outline | filter --kind class")
    assert [(one["path"], one["kind"], one["start_line"]) for one in found] == classes

    calls = single("find_references", symbol="shop/prices.py#Money", kinds=["call"])["references"]
    found = items(server, "symbols Money --match exact | callers")
    assert [(one["path"], one["line"]) for one in found] == [(inner(one["file_path"]), one["line"]) for one in calls]
    assert calls

    affected = single("get_impact", file="shop/prices.py", depth=1)["affected_files"]
    assert [one["path"] for one in items(server, "impact shop/prices.py")] == [one["file"] for one in affected]
    liked = [one["path"] for one in single("list_files", query="cart")["results"]]
    imported = [one["target_file"] for one in single("get_dependencies", file=liked[0])["dependencies"]]
    assert [one["path"] for one in items(server, "fuzzy cart | limit 1 | deps")] == imported

    hits = [
        one for one in single("search_code", query="price of a cart", limit=2, smart_context=False) if "score" in one
    ]
    passages = items(server, "search price of a cart | limit 2")
    assert [(one["path"], one["content"]) for one in passages] == [
        (inner(one["file_path"]), one["content"]) for one in hits
    ]
    read = single(
        "read_code", targets=[f"{inner(one['file_path'])}:{one['start_line']}-{one['end_line']}" for one in hits]
    )
    sources = [one["source"] for one in items(server, "search price of a cart | limit 2 | read")]
    assert sources == [one["source"] for one in read["symbols"]]


def flat(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for entry in entries for one in [entry, *flat(entry.get("children", []))]]


def test_a_limit_stops_the_work_above_it(make: Make, shop: Path) -> None:
    server = make()
    steps = ran(server, "find ** | outline | limit 1")["steps"]
    assert [one["items"] for one in steps][1:] == [1, 1]
    assert steps[0]["items"] < ran(server, "find ** | count")["count"]
    assert [one["items"] for one in ran(server, "text o | filter e | limit 2 | read")["steps"]][1:] == [2, 2, 2]
    assert all(one["ms"] >= 0 for one in steps)


def test_filters_and_orders(make: Make, shop: Path) -> None:
    server = make()
    every = items(server, "find **")
    by_size = [one["path"] for one in items(server, "find ** | sort size")]
    assert by_size == [one["path"] for one in sorted(every, key=lambda one: (-one["byte_size"], one["path"]))]
    assert [one["path"] for one in items(server, "find ** | sort --reverse")] == sorted(
        (one["path"] for one in every), reverse=True
    )
    python = {one["path"] for one in every if one["language"] == "python"}
    named = {one["path"] for one in items(server, "fuzzy o")}
    kept = {one["path"] for one in items(server, "fuzzy o | filter --language py")}
    assert kept == named & python != named
    lines = items(server, "text o | filter --language python --path-glob shop/**")
    assert {one["path"] for one in lines} == {path for path in python if path.startswith("shop/")}
    assert items(server, "symbols Cart | filter cart") == items(server, "symbols Cart")
    assert items(server, "find ** | filter CART") == []


def test_lexas_search_is_for_text(make: Make, shop: Path) -> None:
    server = make()
    theirs = ran(server, "search Money | limit 3", "pipeline")
    assert theirs["type"] == "lines"
    assert theirs["items"] == items(server, "text Money | limit 3")
    assert ran(server, "search Money | limit 3")["type"] == "passages"
    assert call(server, "pipeline", {"steps": ["search Money", "limit 3"]}).payload["items"] == theirs["items"]


def test_refusals(make: Make, shop: Path) -> None:
    server = make()
    for pipeline, kind in (
        ("find a | callers", "validation_error"),
        ("text --regex (", "validation_error"),
        (f"fuzzy {'a' * 1_001}", "validation_error"),
        ("search a --language nolang", "validation_error"),
        ("symbols Cart | callers --kind nokind", "validation_error"),
        ("outline no/such.py", "not_found"),
        ("deps no/such.py", "not_found"),
        ("read no/such.py", "not_found"),
        ("deps ../../etc/passwd", "safety_error"),
        ("read /etc/passwd", "safety_error"),
    ):
        answer = call(server, "run_pipeline", {"pipeline": pipeline})
        assert (answer.is_error, answer.payload.get("error_type")) == (True, kind), (pipeline, answer.payload)


def test_bounds_of_time_and_items_are_told(make: Make, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = make()
    whole = ran(server, "text o | count")["count"]
    monkeypatch.setattr(service, "MAX_ITEMS", 3)
    cut = ran(server, "text o | count")
    assert cut["count"] == 3 < whole
    assert "step 1 was stopped after 3 items" in cut["incomplete"]
    monkeypatch.setattr(reader, "MAX_S", 0.0)
    late = ran(server, "find ** | count")
    assert late["count"] == 0
    assert "stopped after" in late["incomplete"]


def test_an_answer_says_what_does_not_fit(make: Make, tmp_path: Path, app: App) -> None:
    files = {f"f{number:03}.py": f"value_{number} = {number}  # {'word ' * 30}\n" for number in range(120)}
    folder = lay_out(tmp_path / "many", files)
    app.index(folder, name="many")
    server = make(project=folder, working_folder=folder)
    answer = ran(server, "text value_", max_tokens=1_000)
    assert answer["truncated"]
    assert 0 < len(answer["items"]) < 60
    assert answer["steps"][0]["items"] < 120, "no more is looked for than fits"
    assert ran(server, "text value_ | count")["count"] == 120
    (folder / "f000.py").unlink()
    gone = ran(server, "find f00[0-2].py | read")
    assert [one["path"] for one in gone["items"]] == ["f001.py", "f002.py"]


def test_a_member_narrows_every_beginning(make: Make, tmp_path: Path, app: App) -> None:
    line = "def total(): return other()\n"
    members = {"pyproject.toml": '[tool.uv.workspace]\nmembers = ["one", "two"]\n'}
    for name in ("one", "two"):
        members |= {f"{name}/pyproject.toml": f'[project]\nname = "{name}"\n', f"{name}/a.py": line}
    folder = lay_out(tmp_path / "both", members)
    app.index(folder, name="both")
    server = make(project=folder, working_folder=folder)
    for pipeline in ("find **/*.py", "fuzzy a.py", "text total", "symbols total", "search total", "callers other"):
        paths = {one["path"] for one in ran(server, pipeline, member="two")["items"]}
        assert {path.split("/")[0] for path in paths} == {"two"}, pipeline
        assert {one["path"].split("/")[0] for one in items(server, pipeline)} >= {"one", "two"}, pipeline


def test_what_is_read_does_not_depend_on_what_else_is(make: Make, tmp_path: Path, app: App) -> None:
    files = {f"f{number}.py": "".join(f"a{line} = {line}\n" for line in range(1, 401)) for number in range(4)}
    folder = lay_out(tmp_path / "long", files)
    app.index(folder, name="long")
    server = make(project=folder, working_folder=folder)
    read = items(server, "find *.py | limit 4 | read | limit 1")
    assert read[0]["end_line"] == 400
    every = ran(server, "find *.py | read", max_tokens=20_000)["items"]
    assert [(one["path"], one["end_line"]) for one in every] == [(name, 400) for name in files]
