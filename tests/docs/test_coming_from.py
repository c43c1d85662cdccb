"""The tables of what tools of other programs are here: each is there, and each name leads to it."""

import re
from pathlib import Path

import pytest

from cocosearch_py.mcp.server import all_tools

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "coming-from.md"
TOOLS = {one.name: one for one in all_tools()}
PROGRAMS = ("indxr", "Lexa", "CocoSearch")


def rows(program: str) -> list[tuple[str, str, str]]:
    part = PAGE.read_text().split(f"\n## {program}\n")[1].split("\n## ")[0]
    table = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| `")
    ]
    assert all(len(cells) == 4 for cells in table)
    return [(theirs.strip("`"), ours.strip("`"), parameters) for theirs, ours, parameters, _ in table]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_name_leads_to_the_tool_beside_it(program: str) -> None:
    for theirs, ours, parameters in rows(program):
        assert ours in TOOLS, theirs
        names = {alias.name for alias in TOOLS[ours].aliases if program in alias.program.split(", ")}
        assert theirs == ours or theirs in names, (theirs, ours)
        known = {one.name for one in TOOLS[ours].parameters}
        known |= {name for alias in TOOLS[ours].aliases for name in (*alias.parameters, *(alias.chosen_by or ())[:1])}
        adapted = {"transitive", "line_start", "line_end"}
        assert not set(re.findall(r"`(\w+)`", parameters)) - known - adapted, (theirs, parameters)


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_name_that_is_understood_is_in_the_table(program: str) -> None:
    named = {(theirs, ours) for theirs, ours, _ in rows(program)}
    undocumented = {"get_context_brief"}  # names that no document of these programs has
    for operation in TOOLS.values():
        for alias in operation.aliases:
            if program in alias.program.split(", ") and alias.name not in undocumented:
                assert (alias.name, operation.name) in named, alias.name
