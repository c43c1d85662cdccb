"""Why an answer has nothing in it, and what to try: sentences for its warnings, shared by the operations."""

import re
from typing import TYPE_CHECKING

from cocosearch_py.model.search import SearchFilters
from cocosearch_py.tools.call import Found

if TYPE_CHECKING:
    from cocosearch_py.model.definitions import DefinitionRequest
    from cocosearch_py.model.search import SearchFilters
    from cocosearch_py.model.texts import TextRequest

_SHOWN_CHARS = 100  # of what was asked for
_LIKE_A_PATTERN = re.compile(r"\\[bBdDsSwW.(\[]|\.[*+]|\[[^\]]+\]|[)\]][*+?]|\w\|\w|^\^|\$$")
_NOT_INDEXED = "list_files with status skipped shows what is not indexed"


def filtered_out(found: Found, filters: "SearchFilters") -> list[str]:
    """Which filters let nothing pass, where no index of the call has anything that passes them; else nothing."""
    told = [found.app.searches.explain_filters(filters, record) for record in found.records]
    return list(dict.fromkeys(text for texts in told for text in texts)) if all(told) else []


def no_lines(found: Found, query: str, request: "TextRequest", *, regex: bool, word: bool) -> list[str]:
    """Why no line matches."""
    if told := filtered_out(found, request.filters):
        return told
    ways = []
    if not regex and _LIKE_A_PATTERN.search(query):
        ways.append("pass regex=true if it is a regular expression")
    if not request.pattern.ignore_case and query != query.lower():
        ways.append("pass case_sensitive=false if case does not matter")
    if word:
        ways.append("leave out word, which requires whole words")
    where = "indexed line"
    if request.filters != SearchFilters():
        where = "line that passes the filters"
        ways.append("leave filters out")
    ways.append("ask search_code for similar code")
    return [f"no {where} {'matches' if regex else 'contains'} it: {', '.join(ways)}; {_NOT_INDEXED}"]


def no_definitions(found: Found, request: "DefinitionRequest", name: str) -> list[str]:
    """Why nothing has a name, nor one like it, or such a signature or comment."""
    if told := filtered_out(found, request.filters):
        return told
    wanted = name.strip()[:_SHOWN_CHARS]
    if request.part != "name":
        what = "signature" if request.part == "signature" else "comment"
        return [f"no {what} of a definition contains '{wanted}': search_text searches all lines"]
    said = f"nothing in the index is called '{wanted}' or similar"
    return [f"{said}: search_text finds where the text occurs, search_code finds related code"]
