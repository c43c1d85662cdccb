"""Lexa's `word_refs`: uses and definitions of a name, in pages by number."""

from dataclasses import dataclass
from typing import Annotated, NotRequired, TypedDict

from cocosearch_py.features.references.tools import CURSOR_MODE, Reference
from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.model.completeness import Completeness
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.pages import Cursor
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.sizes import GLOBS

_RESULTS = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Lexa's word_refs; an index may be named."""

    word: Annotated[str, About("An identifier")]
    max_results: Annotated[int, About("1-200"), Bounds(1)] = _RESULTS
    cursor: Annotated[int | str | None, About("next_cursor: number of earlier results, from 0")] = None
    path_prefix: Annotated[str | None, About("Only this folder")] = None
    path_glob: Annotated[str | None, About("Only these paths"), GLOBS] = None
    index_name: given.IndexName = None


class Answer(TypedDict):
    """Uses and definitions, the surest first; `next_cursor` is the number of the next one."""

    references: list[Reference]
    definitions: list[str]
    total: Count
    counts: dict[str, Count]
    confidence: dict[str, Count]
    completeness: Completeness
    next_cursor: NotRequired[Count | str]
    hints: NotRequired[list[str]]
    warnings: NotRequired[list[str]]


def word_refs(call: Call, asked: Arguments) -> Json:
    """Find every place where an identifier stands in code."""
    number = str(asked.cursor) if asked.cursor is not None else None
    arguments = {
        "symbol": asked.word,
        "kinds": "all",
        "limit": asked.max_results,
        "cursor": str(Cursor(CURSOR_MODE, 0, int(number))) if number is not None and number.isdecimal() else number,
        "path_prefix": asked.path_prefix,
        "path_glob": asked.path_glob,
    }
    answer: Json = answer_of(call, "find_references", arguments)
    if (cursor := answer.get("next_cursor")) is not None:
        _, number, offset = cursor.split(":")
        answer["next_cursor"] = int(offset) if number == "0" else cursor  # which is in an index that is linked
    return answer


OPERATION: Operation[Arguments, Json] = Operation(
    name="word_refs",
    title="Find a word in code",
    arguments=Arguments,
    run=word_refs,
    shape=lambda answer, _: answer,
    answer=Answer,
    about_indexes=True,
    needs="graph",
)
