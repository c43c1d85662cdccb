"""Graphs and maps, as the text that they are."""

from cocosearch_py.cli.views.paths import local_path
from cocosearch_py.operations import get_call_graph, get_dependency_graph, get_repo_map


def imports(drawn: get_dependency_graph.Drawn, asked: get_dependency_graph.Arguments) -> list[str] | None:
    text: str | None = get_dependency_graph.OPERATION.shape(drawn, asked).get("graph")
    return None if text is None else text.split("\n")


def calls(found: get_call_graph.CallsFound, asked: get_call_graph.Arguments) -> list[str] | None:
    text: str | None = get_call_graph.OPERATION.shape(found, asked).get("graph")
    return None if text is None else text.split("\n")


def repo_map(mapped: get_repo_map.Mapped, asked: get_repo_map.Arguments) -> list[str]:
    lines: list[str] = get_repo_map.OPERATION.shape(mapped, asked)["map"].split("\n")
    return [local_path(mapped.record.root_path, line) if line[:1].strip() else line for line in lines]
