"""Answers that are paths alone: a line each, for other programs."""

from typing import TYPE_CHECKING

from cocosearch_py.render.paths import on_one_line

if TYPE_CHECKING:
    from cocosearch_py.features.search.arguments import SearchCodeArguments
    from cocosearch_py.features.search.service import Searched


def of_hits(searched: "Searched", asked: "SearchCodeArguments") -> list[str] | None:
    if not asked.files_only:
        return None
    # A newline in a name is written out, as a control character of a path is elsewhere; --json has it as it is.
    return list(dict.fromkeys(on_one_line(item["file_path"]) for item in searched.items))
