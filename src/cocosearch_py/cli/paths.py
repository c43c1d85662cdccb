"""Answers that are paths alone: a line each, for other programs."""

from typing import TYPE_CHECKING

from cocosearch_py.render.paths import on_one_line

if TYPE_CHECKING:
    from cocosearch_py.operations import search_code, search_text


def of_hits(searched: "search_code.Searched", asked: "search_code.Arguments") -> list[str] | None:
    if not asked.files_only:
        return None
    # A newline in a name is written out, as a control character of a path is elsewhere; --json has it as it is.
    return list(dict.fromkeys(on_one_line(item["file_path"]) for item in searched.items))


def of_lines(found: "search_text.TextsFound", asked: "search_text.Arguments") -> list[str] | None:
    return [on_one_line(path) for path in found.paths] if asked.paths_only else None
