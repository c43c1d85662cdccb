"""Measures and tunes the search of an index: evaluation, which knows no search, joined to one."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import left_out
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.evaluation.cases import IN_FILES
from cocosearch_py.evaluation.history import read_history
from cocosearch_py.evaluation.run import Evaluation, evaluate, mine
from cocosearch_py.evaluation.texts import read_texts
from cocosearch_py.evaluation.tuning import Tuning, tune
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.search.pipeline import find_candidates, rank_findings
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.search.service import SearchService
from cocosearch_py.storage.queries.facts import read_definitions, read_languages, store_weights
from cocosearch_py.storage.server.database import Database


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Evaluates the indexes of one database; safe for threads."""

    database: Database
    searches: SearchService
    rules: Callable[[], DiscoveryOptions]  # which files of a folder a run would read

    def evaluate(self, name: str, *, most: int, classes: Collection[str]) -> tuple[IndexRecord, Evaluation]:
        """Measure the search of one index on questions mined from its folder.

        Args:
            name: of the index.
            most: questions of each source.
            classes: of `evaluation.cases.CLASSES`.

        Raises:
            IndexNotFoundError.
        """
        with self.database.reading() as conn:
            record = self.searches.searchable(conn, name)
            weights = _weights_of(record)
            definitions = read_definitions(conn, record.index_id)
            languages = read_languages(conn, record.index_id)
            root = Path(record.root_path)
            texts = self._texts(root, languages) if IN_FILES.intersection(classes) else {}
            cases = mine(read_history(root), definitions, languages, texts, most)

            model, words_only = self.searches.model_of(record)

            def find(query: str) -> list[tuple[str, dict[str, float]]]:
                findings = find_candidates(SearchRequest(query, vector=not words_only), record, conn, model)
                return [(file.path, file.features) for file in rank_findings(findings, weights)]

            return record, evaluate(cases, find, classes, most=most)

    def _texts(self, root: Path, paths: Collection[str]) -> dict[str, str]:
        """The texts of files of an index, except those that rules leave out now."""
        try:
            return read_texts(root, {*paths} - left_out(root, self.rules(), paths))
        except WorkspaceError:  # the folder is not there
            return {}

    def tune(self, record: IndexRecord, evaluation: Evaluation) -> Tuning:
        """Search better weights for an index on the questions of its evaluation; keep them if they help others too."""
        present = _weights_of(record)
        tuning = tune(evaluation.outcomes, {name: present[name] for name in DEFAULT_WEIGHTS})
        if tuning.weights is not None:
            with self.database.writing() as conn:
                store_weights(conn, record.name, {**tuning.weights, "tuned_at": time.time(), "gain": tuning.gain})
        return tuning

    def untune(self, record: IndexRecord) -> None:
        """Return an index to the default weights."""
        with self.database.writing() as conn:
            store_weights(conn, record.name, None)


def _weights_of(record: IndexRecord) -> dict[str, float]:
    return {**DEFAULT_WEIGHTS, **(record.weights or {})}
