"""Graphs as text in the languages of Mermaid and Graphviz. Pure."""

import re
from collections.abc import Sequence

_QUOTED = re.compile(r'["\\]')


def mermaid(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]]) -> str:
    """Write a Mermaid flowchart; the numbers of the edges are not shown."""
    number = {name: f"n{at}" for at, name in enumerate(nodes)}
    lines = [f'  {number[name]}["{_escaped(name)}"]' for name in nodes]
    lines += [f"  {number[source]} --> {number[target]}" for source, target, _ in edges]
    return "\n".join(["graph LR", *lines])


def _escaped(name: str) -> str:
    """Escape a name for Mermaid, where # begins an entity between quotes."""
    return name.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ")


def dot(nodes: Sequence[str], edges: Sequence[tuple[str, str, int]]) -> str:
    """Write a directed graph in Graphviz's language; the numbers of the edges are not shown."""
    quoted = {name: '"' + _QUOTED.sub(r"\\\g<0>", name).replace("\n", " ") + '"' for name in nodes}
    lines = [f"  {quoted[name]};" for name in nodes]
    lines += [f"  {quoted[source]} -> {quoted[target]};" for source, target, _ in edges]
    return "\n".join(["digraph dependencies {", "  rankdir=LR;", *lines, "}"])
