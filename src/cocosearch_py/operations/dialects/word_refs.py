"""Lexa's `word_refs`: uses and definitions of a name, in pages by number."""

from dataclasses import dataclass
from typing import Annotated, NotRequired, TypedDict

from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.operations.find_references import ALL, UsagesFound, Used, cursor_at, find_references
from cocosearch_py.operations.find_references import OPERATION as OURS
from cocosearch_py.operations.find_references import Arguments as Ours
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.confidence import Verdict
from cocosearch_py.tools.declaration import About, Operation
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

    references: list[Used]
    definitions: list[str]
    total: Count
    counts: dict[str, Count]
    confidence: dict[str, Count]
    completeness: Verdict
    next_cursor: NotRequired[Count | str]
    hints: NotRequired[list[str]]
    warnings: NotRequired[list[str]]


def word_refs(call: Call, asked: Arguments) -> UsagesFound:
    """Find every place where an identifier stands in code."""
    return find_references(call, _ours(asked))


def _ours(asked: Arguments) -> Ours:
    number = str(asked.cursor) if asked.cursor is not None else None
    return Ours(
        symbol=asked.word,
        kinds=ALL,
        limit=asked.max_results,
        cursor=cursor_at(int(number)) if number is not None and number.isdecimal() else number,
        path_prefix=asked.path_prefix,
        path_glob=asked.path_glob,
    )


def _answer(found: UsagesFound, asked: Arguments) -> Json:
    told: Json = OURS.shape(found, _ours(asked))
    if (cursor := told.get("next_cursor")) is not None:
        _, number, offset = cursor.split(":")
        told["next_cursor"] = int(offset) if number == "0" else cursor  # which is in an index that is linked
    return told


OPERATION: "Operation[Arguments, UsagesFound]" = Operation(
    name="word_refs",
    title="Find a word in code",
    arguments=Arguments,
    run=word_refs,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    needs="graph",
)
