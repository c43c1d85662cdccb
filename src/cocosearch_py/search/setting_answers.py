"""Settings files with lines that answer a question, by what their formats tell (`analysis/setting_lines.py`)."""

import re
from collections.abc import Collection, Mapping, Sequence

from cocosearch_py.analysis.paths import path_facts
from cocosearch_py.analysis.setting_lines import (
    PATH_ENDS,
    LineQuestion,
    SettingsQuestion,
    kind_of,
    kinds_asked,
    path_parts,
)
from cocosearch_py.model.search import QueryAnalysis, SearchFilters
from cocosearch_py.search.candidates import SettingAnswer
from cocosearch_py.search.content_classes import DEMOTING
from cocosearch_py.search.subject import asks_how
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.passages import PassageText, passages_matching
from cocosearch_py.storage.queries.search import ChunkKey, FileFacts, files_ending, files_passing
from cocosearch_py.storage.queries.target import Target

_MOST_FILES = 20  # that are read, of a question; fixtures of tests may be hundreds


def find_setting_answers(
    conn: Connection, target: Target, analysis: QueryAnalysis, placed: Mapping[ChunkKey, float]
) -> dict[int, SettingAnswer]:
    """file_id -> the passage with lines that answer, of settings files anywhere in the index.

    Where code may answer as well, only files that a ranking names.

    Args:
        placed: worth of each passage that a ranking names; of several that answer, the best is taken.
    """
    words = analysis.words
    if analysis.distilled or analysis.whole_name or asks_how(analysis.text) or not (kinds := kinds_asked(words)):
        return {}
    by_kind = _by_kind(files_ending(conn, target, PATH_ENDS, path_parts(kinds)))
    of_kinds = {kind: by_kind.get(kind, {}) for kind in kinds}
    files = {file_id: file for of_kind in of_kinds.values() for file_id, file in of_kind.items()}
    question = SettingsQuestion(words)
    asked = {
        file_id: found
        for kind, of_kind in of_kinds.items()
        for file_id, file in of_kind.items()
        if (found := question.lines_of(kind, file.path))
    }
    if len(asked) > _MOST_FILES and target.filters != SearchFilters():
        passing = files_passing(conn, target, asked)
        asked = {file_id: found for file_id, found in asked.items() if file_id in passing}
    read = _likeliest(asked, files, {file_id for file_id, _ in placed})
    if not read:
        return {}
    passages = passages_matching(conn, target, {file_id: asked[file_id].pattern for file_id in read})
    return _best_passages(asked, passages, placed)


def _by_kind(files: Mapping[int, FileFacts]) -> dict[int, dict[int, FileFacts]]:
    found: dict[int, dict[int, FileFacts]] = {}
    for file_id, file in files.items():
        if (kind := kind_of(file.path)) is not None:
            found.setdefault(kind, {})[file_id] = file
    return found


def _likeliest(
    asked: Mapping[int, LineQuestion], files: Mapping[int, FileFacts], found: Collection[int]
) -> Sequence[int]:
    def value(file_id: int) -> tuple[bool, float, bool, int, int]:
        facts = path_facts(files[file_id].path)
        return files[file_id].content_class in DEMOTING, -asked[file_id].share, facts.is_test, facts.depth, file_id

    wanted = [file_id for file_id, question in asked.items() if question.share or file_id in found]
    return sorted(wanted, key=value)[:_MOST_FILES]


def _best_passages(
    asked: Mapping[int, LineQuestion], passages: Sequence[PassageText], placed: Mapping[ChunkKey, float]
) -> dict[int, SettingAnswer]:
    """Of each file the best passage by retrieval, then the one with most lines that answer, then the first."""
    best: dict[int, tuple[float, int, int]] = {}
    answers: dict[int, SettingAnswer] = {}
    for one in passages:
        pattern = re.compile(asked[one.file_id].pattern, re.IGNORECASE)
        lines = [at for at, line in enumerate(one.content.split("\n"), start=one.start_line) if pattern.search(line)]
        value = placed.get((one.file_id, one.chunk_no), 0.0), len(lines), -one.chunk_no
        if lines and (one.file_id not in best or value > best[one.file_id]):
            best[one.file_id] = value
            answers[one.file_id] = SettingAnswer(one.chunk_no, tuple(lines), asked[one.file_id].share)
    return answers
