"""Scopes of lines."""

from typing import Self

from cocosearch_py.model.answers import Count, Part


class TextScope(Part):
    """Innermost definition around a line; lines from 1, inclusive."""

    kind: str
    name: str
    start_line: Count
    end_line: Count

    @classmethod
    def of(cls, kind: str, name: str, start_line: int, end_line: int) -> Self:
        """Make it from a row."""
        return cls(kind=kind, name=name, start_line=start_line, end_line=end_line)
