"""The tables of what tools of other programs are here: each is there, and each name leads to it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.mcp.server import all_tools
from cocosearch_py.tools.schema import answer_schema

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "coming-from.md"
TOOLS = {one.name: one for one in all_tools()}
PROGRAMS = ("indxr", "Lexa", "CocoSearch", "Code Index", "Mimir")
DOCUMENTED = json.loads((Path(__file__).parents[1] / "mcp" / "documented.json").read_text())


def rows(program: str) -> list[tuple[str, str, str]]:
    table = cells(section(program).split("\n### ")[0])
    return [(theirs.strip("`"), ours.strip("`"), parameters) for theirs, ours, parameters, _ in table]


def section(program: str) -> str:
    return PAGE.read_text().split(f"\n## {program}\n")[1].split("\n## ")[0]


def cells(text: str) -> list[list[str]]:
    table = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]
    assert all(len(row) == 4 for row in table)
    return table


def meanings(program: str, title: str) -> list[tuple[str, list[str], list[str], str]]:
    """(tool, their names, ours, remark) of the table below a heading of a program's section."""
    table = cells(section(program).split(f"\n### {title}\n")[1].split("\n### ")[0])
    return [(tool.strip("`"), names(theirs), names(ours), remark) for tool, theirs, ours, remark in table]


def names(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def keys(value: Any) -> set[str]:
    """Names of all members of a shape or of a schema's properties, however deep."""
    if isinstance(value, list):
        return {name for one in value for name in keys(one)}
    return {*value, *(name for one in value.values() for name in keys(one))} if isinstance(value, dict) else set()


def parameters_of(schema: Any) -> set[str]:
    """Names of the properties of an input schema, those of its objects among them."""
    own = schema.get("properties", {})
    return {*own, *(name for one in own.values() for name in parameters_of(one))}


def documented(program: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Parameters and keys by tool, as the program's document has them."""
    if program == "Mimir":
        schemas = DOCUMENTED["mimir"]["schemas"]
        asked = {tool: parameters_of(one["input"]) for tool, one in schemas.items()}
        return asked, {tool: keys(one["answer"]) for tool, one in schemas.items()}
    said = DOCUMENTED["code_index"]
    told = {tool: keys(one) for tool, one in said["answers"].items() if tool != "error"}
    return {tool: set(one) for tool, one in said["parameters"].items()}, told


def tools_of(name: str) -> list[Any]:
    return [one for one in TOOLS.values() if any(alias.name == name.split(maxsplit=1)[0] for alias in one.aliases)]


@pytest.mark.parametrize("program", ["Code Index", "Mimir"])
@pytest.mark.parametrize(("title", "number"), [("Parameters", 0), ("Keys", 1)])
def test_every_parameter_and_key_is_in_its_table(program: str, title: str, number: int) -> None:
    table = meanings(program, title)
    named: dict[str, set[str]] = {}
    for tool, theirs, ours, remark in table:
        assert not named.get(tool, set()) & set(theirs), (tool, theirs)
        named.setdefault(tool, set()).update(theirs)
        assert ours or remark or title == "Keys", (tool, theirs, "a reason is missing")
        known = {one.name for operation in tools_of(tool) for one in operation.parameters}
        if title == "Keys":
            known = {name for operation in tools_of(tool) for name in keys(answer_schema(operation.answer))}
        assert set(ours) <= known, (tool, ours)
    assert named == documented(program)[number]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_name_leads_to_the_tool_beside_it(program: str) -> None:
    for theirs, ours, parameters in rows(program):
        assert ours in TOOLS, theirs
        names = {alias.name for alias in TOOLS[ours].aliases if program in alias.program.split(", ")}
        assert theirs == ours or theirs in names, (theirs, ours)
        known = {one.name for one in TOOLS[ours].parameters}
        known |= {name for alias in TOOLS[ours].aliases for name in (*alias.parameters, *(alias.chosen_by or ())[:1])}
        adapted = {"transitive", "line_start", "line_end"}  # or asked as their own program documents
        assert not set(re.findall(r"`(\w+)`", parameters)) - known - adapted, (theirs, parameters)


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_name_that_is_understood_is_in_the_table(program: str) -> None:
    named = {(theirs, ours) for theirs, ours, _ in rows(program)}
    undocumented = {"get_context_brief"}  # names that no document of these programs has
    for operation in TOOLS.values():
        for alias in operation.aliases:
            if program in alias.program.split(", ") and alias.name not in undocumented:
                assert (alias.name, operation.name) in named, alias.name
