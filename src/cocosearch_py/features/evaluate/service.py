"""Evaluates the search of an index on questions mined from its folder, and fits weights to it."""

import json
import shlex
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec import UNSET

from cocosearch_py.app import App
from cocosearch_py.catalog.freshness import incompleteness
from cocosearch_py.discovery.walk import left_out
from cocosearch_py.errors import ValidationError, WorkspaceError
from cocosearch_py.features.evaluate.cases import CLASSES, IN_FILES
from cocosearch_py.features.evaluate.history import read_history
from cocosearch_py.features.evaluate.run import Evaluation, Outcome, mine
from cocosearch_py.features.evaluate.run import evaluate as ask_all
from cocosearch_py.features.evaluate.texts import read_texts
from cocosearch_py.features.evaluate.tools import (
    EvaluateArguments,
    Evaluated,
    Tuned,
    Untuned,
    WorstQuestion,
)
from cocosearch_py.features.evaluate.tuning import tune
from cocosearch_py.model.indexes import IndexRecord, base_name
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.search.pipeline import find_candidates, rank_findings
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.storage.queries.facts import read_definitions, read_languages, store_weights
from cocosearch_py.tools.call import Call

_COMMITS = "commits"  # the class of questions that count


def evaluate(call: Call, asked: EvaluateArguments) -> Evaluated | Untuned:
    """Measure the search on questions mined from the folder itself.

    Raises:
        IndexNotFoundError: there is no such index.
        ValidationError: arguments contradict each other, the baseline is no evaluation, or no question can be asked.
    """
    if asked.untune:
        return _untune(call, asked)
    classes = _classes(asked)
    earlier = _read_baseline(Path(asked.baseline)) if asked.baseline else UNSET
    found = call.find()
    if found.records[0].commit is not None:
        raise ValidationError(
            "questions are taken from the files of a folder, but this index holds a commit",
            hint=f"name the index of the folder: {base_name(found.records[0].name)}",
        )
    record, evaluation = ask_questions(found.app, found.records[0].name, classes, asked.cases)
    if evaluation.overall is None and _COMMITS in classes:
        raise ValidationError(
            f"no questions for index '{record.name}': no commit, test or definition names one of its files",
            hint="index a folder with code, ideally a git repository with its history",
        )
    late = f"time ran out: {evaluation.unasked:,} questions were not asked" if evaluation.unasked else None
    return Evaluated(
        index=record.name,
        overall=evaluation.overall,
        by_source=evaluation.by_source,
        counts=evaluation.counts,
        notes=evaluation.notes,
        worst=tuple(map(_worst, evaluation.worst)),
        baseline_ndcg=earlier,
        tuning=_tune(found.app, record, evaluation) if asked.tune else UNSET,
        warnings=tuple(filter(None, (incompleteness(record), late))),
    )


def ask_questions(app: App, name: str, classes: Collection[str], most: int) -> tuple[IndexRecord, Evaluation]:
    """Ask at most so many questions of each source, in one snapshot of the index."""
    with app.database.reading() as conn:
        record = app.searches.searchable(conn, name)
        weights = _weights_of(record)
        definitions = read_definitions(conn, record.index_id)
        languages = read_languages(conn, record.index_id)
        root = Path(record.root_path)
        texts = _texts(app, root, languages) if IN_FILES.intersection(classes) else {}
        cases = mine(read_history(root), definitions, languages, texts, most)
        model, words_only = app.searches.model_of(record)

        def find(query: str) -> list[tuple[str, Mapping[str, float]]]:
            findings = find_candidates(SearchRequest(query, vector=not words_only), record, conn, model)
            return [(file.path, file.features) for file in rank_findings(findings, weights)]

        return record, ask_all(cases, find, classes, most=most)


def _texts(app: App, root: Path, paths: Collection[str]) -> dict[str, str]:
    """Return the texts of indexed files that the present rules include."""
    try:
        return read_texts(root, {*paths} - left_out(root, app.indexing_options().discovery, paths))
    except WorkspaceError:  # the folder is not there
        return {}


def _tune(app: App, record: IndexRecord, evaluation: Evaluation) -> Tuned:
    """Search for better weights, and keep them if they help on the questions that were not used."""
    present = _weights_of(record)
    tuning = tune(evaluation.outcomes, {name: present[name] for name in DEFAULT_WEIGHTS})
    if tuning.weights is not None:
        with app.database.writing() as conn:
            store_weights(conn, record.name, {**tuning.weights, "tuned_at": time.time(), "gain": tuning.gain})
    undo = f"`cocosearch-py eval --untune -n {shlex.quote(record.name)}` returns to the default weights"
    return Tuned(
        kept=tuning.weights is not None,
        validation_ndcg_before=tuning.before,
        validation_ndcg_after=tuning.after,
        weights=tuning.weights,
        hint=undo if tuning.weights is not None else "",
    )


def _untune(call: Call, asked: EvaluateArguments) -> Untuned:
    if asked.tune:
        raise ValidationError("--tune and --untune cannot be combined", hint="give only one of them")
    found = call.find()
    record = found.records[0]
    if record.weights is not None:
        with found.app.database.writing() as conn:
            store_weights(conn, record.name, None)
    return Untuned(index=record.name, untuned=record.weights is not None)


def _weights_of(record: IndexRecord) -> dict[str, float]:
    return {**DEFAULT_WEIGHTS, **(record.weights or {})}


def _worst(outcome: Outcome) -> WorstQuestion:
    return WorstQuestion(
        source=outcome.case.source,
        query=outcome.case.query,
        wanted=tuple(sorted(outcome.case.paths)),
        first=outcome.first,
        ndcg=round(outcome.measures.ndcg, 4),
    )


def _classes(asked: EvaluateArguments) -> tuple[str, ...]:
    """Return the classes of questions to ask, checked."""
    if asked.classes is None:
        return tuple(CLASSES)
    classes = tuple(name.strip() for name in asked.classes.split(","))
    if unknown := [name for name in classes if name not in CLASSES]:
        raise ValidationError(f"unknown class of questions '{unknown[0]}'", hint=f"use {', '.join(CLASSES)}")
    if _COMMITS not in classes and (asked.tune or asked.baseline or asked.fail_under is not None):
        raise ValidationError(
            "--tune, --baseline and --fail-under need questions from commits, tests and names",
            hint=f"add {_COMMITS} to --classes, or leave --classes out",
        )
    return classes


def _read_baseline(file: Path) -> float:
    hint = "create one with `cocosearch-py eval --json > FILE`"
    try:
        return float(json.loads(file.read_text(encoding="utf-8"))["overall"]["ndcg"])
    except OSError as error:
        raise ValidationError(f"the baseline {file} cannot be read: {error.strerror}", hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValidationError(f"{file} is not the output of `cocosearch-py eval --json`", hint=hint) from error
