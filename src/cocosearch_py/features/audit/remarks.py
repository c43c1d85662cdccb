"""Remarks on the gate of an audit, beside every output."""

from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answer import Json


def remark_on_gate(screen: Screen, answer: Json) -> None:
    """Say why the gate fails, beside every output."""
    for reason in answer.get("failed", ()):
        screen.warn(f"gate failed: {reason}")
