"""Results of the last search that was shown, for `open N` and `read N`.

They are in one private file of the data folder, which each search replaces.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cocosearch_py.errors import CocosearchError, NotFoundError, ValidationError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.private import private_data_folder, replace_text

if TYPE_CHECKING:
    from cocosearch_py.model.search import Hit

_FILE = "last-results.json"
_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Result:
    """A result that was shown.

    Attributes:
        path: absolute.
        line: at which it is opened.
        start, end: lines of its definition, or of the passage.
    """

    index_name: str
    path: str
    line: int
    start: int
    end: int

    @classmethod
    def of(cls, record: IndexRecord, hit: "Hit", line: int) -> Self:
        """Make the result of a hit."""
        first, last = hit.definition_lines or (hit.start_line, hit.end_line)
        return cls(record.name, os.path.join(record.root_path, hit.file_path), line, first, last)

    @property
    def target(self) -> str:
        """Argument with which `read` prints the result."""
        return f"{self.path}:{self.start}-{self.end}"


def number_of(text: str) -> int | None:
    """Return the number of a result; None if the text is something else, such as a path."""
    return int(text) if _NUMBER.fullmatch(text) else None


def remember(data_folder: Path, results: Sequence[Result], first: int = 1) -> None:
    """Keep results, numbered from `first`, and the earlier ones of the same list.

    If the folder cannot be written, nothing is kept: the search itself has succeeded.
    """
    with suppress(OSError, CocosearchError):
        kept = [*_read(data_folder)[: first - 1], *results] if first > 1 else results
        private_data_folder(data_folder)
        replace_text(data_folder / _FILE, json.dumps([asdict(one) for one in kept]))


def recall(data_folder: Path, number: int) -> Result:
    """Return a result by its number.

    Raises:
        NotFoundError: there is none.
    """
    results = _read(data_folder)
    if not (data_folder / _FILE).exists():
        raise NotFoundError("no search has been shown yet", hint="run one first: `cocosearch-py search QUERY`")
    if number > len(results):
        count = "no results" if not results else "1 result" if len(results) == 1 else f"{len(results)} results"
        raise NotFoundError(
            f"no result {number}: the last search showed {count}",
            hint=f"give a smaller number, or `./{number}` for a file of this name",
        )
    return results[number - 1]


def with_results(data_folder: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `read`, with each result number replaced by the lines and index of that result.

    Raises:
        NotFoundError: there is no such result.
        ValidationError: the results are of several indexes.
    """
    targets: list[str] = []
    indexes = dict.fromkeys([values["index_name"]] if values["index_name"] else [])
    for text in values["targets"] or ():
        number = number_of(text)
        if number is None:
            targets.append(text)
            continue
        result = recall(data_folder, number)
        targets.append(result.target)
        indexes[result.index_name] = None
    if len(indexes) > 1:
        raise ValidationError("these results come from several indexes", hint="read the results of one index at a time")
    return {**values, "targets": targets or None, "index_name": next(iter(indexes), None)}


def _read(data_folder: Path) -> list[Result]:
    """Return the kept results; none if the file is missing, or another version wrote it."""
    try:
        return [Result(**one) for one in json.loads((data_folder / _FILE).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []
