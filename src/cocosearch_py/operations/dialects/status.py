"""Lexa's `status`: what the index of a project holds."""

from dataclasses import dataclass
from typing import Any, TypedDict

from cocosearch_py.catalog.stats import IndexStats, StatsRequest
from cocosearch_py.model.answers import Count
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Operation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Lexa's status has no parameters; an index may be named."""

    index_name: given.IndexName = None


class Answer(TypedDict):
    """`seq` is the number of the last change of a file, which `changes` counts from."""

    files_indexed: Count
    symbols_indexed: Count
    unique_words_indexed: Count
    word_indexed_files: Count
    seq: Count
    change_history_persisted: bool
    graph: Any


def status(call: Call, _: Arguments) -> tuple[IndexStats, int]:
    """Tell what an index holds."""
    found = call.find()
    record = found.records[0]
    return found.app.catalog.stats(record, StatsRequest(words=True)), found.app.change_log.last_seq(record.root_path)


def _answer(found: tuple[IndexStats, int], _: Arguments) -> Json:
    stats, seq = found
    record = stats.record
    return {
        "files_indexed": record.file_count,
        "symbols_indexed": sum(stats.symbols.values()),
        "unique_words_indexed": stats.words or 0,
        "word_indexed_files": record.file_count,
        "seq": seq,
        "change_history_persisted": True,
        "graph": {"index_name": record.name, "edges": stats.edges, "persisted": True},
    }


OPERATION = Operation(
    name="status",
    title="What an index holds",
    arguments=Arguments,
    run=status,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
)
