"""Contents of an index in formats for other programs and people; none can be imported again.

A module makes one form: from the record and the files, the bytes in order. Equal indexes make equal bytes.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.queries.whole import WholeFile
from cocosearch_py.transfer.formats import jsontext, markdown, scip

Parts = frozenset[str]
PARTS = ("symbols", "edges", "chunks", "vectors")


class Form(NamedTuple):
    """One form.

    Attributes:
        suffix: of a file's name, behind the index's.
        reads: what it needs of each file, in the words of `read_files`; None where the caller chooses.
        make: the bytes.
    """

    suffix: str
    reads: frozenset[str] | None
    make: Callable[[IndexRecord, Iterator[WholeFile], Parts], Iterator[bytes]]


FORMS: Mapping[str, Form] = {
    "md": Form(".md", frozenset({"symbols"}), markdown.make),
    "json": Form(".json", None, jsontext.make_json),
    "jsonl": Form(".jsonl", None, jsontext.make_lines),
    "scip": Form(".scip", frozenset({"symbols", "text"}), scip.make),
}
