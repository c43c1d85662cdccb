"""Order files by what retrieval, the file's path and its definitions say together. Pure.

A file's score is a weighted sum of its features (`features.py`). Keyword evidence leads; the path and the definitions
decide among files that hold the words. docs/retrieval.md has each feature's measured worth.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import mul

from cocosearch_py.analysis.words import name_key
from cocosearch_py.model.search import QueryAnalysis, WholeName
from cocosearch_py.search.candidates import Evidence, FileCandidate, is_code
from cocosearch_py.search.content_classes import DEMOTING
from cocosearch_py.search.exact_names import definitions_of
from cocosearch_py.search.features import add_features

# What a request's factors weigh: 3 makes up for being a test, 1/2 costs almost what being no code does.
FACTOR_STRENGTH = 4.0
FACTOR_RANGE = (1e-9, 1e9)  # of the product; either end outweighs everything else that is known of a file
NO_FACTORS: Mapping[int, float] = {}
LEAST_LIFT = 1e-6  # tells two scores apart and shows in neither

# Mean of the weights fitted on 792 labelled questions about 40 repositories and on 1,387 cases mined from 13 others,
# by tools/ranking/fit.py. Weights of either set alone serve the other set worse (docs/retrieval.md).
DEFAULT_WEIGHTS: Mapping[str, float] = {
    "keywords": 2.3,  # three best chunks by BM25F, relative to the best file
    "vectors": 1.0,  # three nearest chunks by meaning, relative to the best file
    "fused": 2.55,  # best passage in the reciprocal rank fusion of both rankings, relative to the best of all
    "name": 1.55,  # share of the file name that the query's words account for
    "name_full": 1.5,  # IDF share of the query that a fully matched file name accounts for
    "folders": 1.25,  # the same for the nearest folders, by words
    "definition": 1.75,  # identifiers of the query that the file defines
    "mention": 1.35,  # identifiers of the query that stand in the file
    "concept": 2.1,  # IDF share of the neighbouring words that make the name of a definition in the file
    "subject": 0.8,  # the first of the things that the query joins with "and", as file name and as a definition's
    "verbatim": 6.0,  # words of the query that stand there next to each other, in its order
    "no_code": -3.4,  # documents, settings and data, unless the query asks for them
    # Of settings, unless the query asks how something is done. Fitted with the others held (`benchmarks run goldens`).
    "settings": 5.2,  # the best passage of any settings holds the words about as well as the best of code, or better
    "settings_match": 1.9,  # this file's best passage against the best of code
    "purpose": 4.5,  # IDF share of the query in words for what a file of a well-known name is for
    "answers": 6.0,  # share of the query that lines of the settings file answer, by its format. Not fitted
    "test": -3.8,  # test code, unless the query asks for it
    # Not fitted: no labelled question is answered by such a file (`benchmarks run goldens`).
    "declared": -2.0,  # type declarations without code (`.d.ts`, `.pyi`), unless the query asks for types
    "aside": -1.0,  # examples and settings of build tools written as code, unless the query asks for them
    "foreign": -1.05,  # code for other systems than the one that searches, unless the query names a system
    "older": -2.0,  # another version than the newest beside it or the named one; legacy, unless named. Not fitted
    "depth": -2.05,  # folders below the shallowest candidate
    # These two are not fitted: the labelled questions meet hardly any such files.
    "vendored": -10.0,  # other people's code, unless the query asks for it
    "generated": -4.1,  # what a program wrote, lock files, snapshots, issue templates, unless the query asks for them
}


def rank_files(
    candidates: list[FileCandidate],
    analysis: QueryAnalysis,
    evidence: Evidence,
    weights: Mapping[str, float],
    factors: Mapping[int, float] = NO_FACTORS,
) -> list[FileCandidate]:
    """Fill features and scores, and sort by falling score, then path.

    A score may be negative, so a factor of the request does not multiply it, but what it is the logarithm of: it adds
    FACTOR_STRENGTH times its own logarithm, which promotes over 1 and demotes under 1, whatever the score is.
    """
    if not candidates:
        return []
    add_features(candidates, analysis, evidence)
    weight = defaultdict(float, weights).__getitem__
    for file in candidates:
        file.score = sum(map(mul, map(weight, file.features), file.features.values()))
    if meant := evidence.nearest_name or analysis.whole_name:
        _lift_exact_names(candidates, meant)
    if evidence.located:
        _lift_located(candidates, [passage.file_id for passage in evidence.located])
    for file in candidates if factors else ():
        if (factor := factors.get(file.file_id, 1.0)) != 1.0:
            low, high = FACTOR_RANGE
            file.features["factor"] = factor  # to be seen; it has no weight of its own
            file.score += FACTOR_STRENGTH * math.log(max(low, min(high, factor)))
    return sorted(candidates, key=lambda file: (-file.score, file.path))


def score_parts(file: FileCandidate, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the share of each feature, the request's factor and a lift in a file's score; their sum is the score."""
    parts = {name: weights.get(name, 0.0) * value for name, value in file.features.items()}
    rest = file.score - file.lift - sum(parts.values())
    parts["factor"] = rest if "factor" in file.features else 0.0
    parts["lift"] = file.lift
    return {name: part for name, part in parts.items() if part}


def _lift_exact_names(candidates: list[FileCandidate], whole: WholeName) -> None:
    """Raise files that define the very name just above the others, the best definition first."""
    exact = definitions_of(
        whole, {file.path: file.definitions for file in candidates if file.definitions and is_code(file)}
    )
    defining = [file for file in candidates if file.path in exact]
    for file in defining:
        rank, file.exact = exact[file.path]
        file.features["exact_name"] = rank  # to be seen; it has no weight of its own

    def place(file: FileCandidate) -> tuple[float, ...]:
        owners = {name_key(part) for part in file.path.split("/")}.intersection(whole.owners)
        return (
            _is_demoted(file) or "declared" in file.features,
            -exact[file.path][0],
            -len(owners),
            file.features.get("older", 0.0),
            -file.score,
        )

    _lift(candidates, sorted(defining, key=place))


def _lift_located(candidates: list[FileCandidate], file_ids: Sequence[int]) -> None:
    """Raise the files that the query names above all others, in its order."""
    places = {file_id: place for place, file_id in reversed(list(enumerate(file_ids, start=1)))}
    named = sorted([file for file in candidates if file.file_id in places], key=lambda file: places[file.file_id])
    for file in named:
        file.features["located"] = float(places[file.file_id])  # to be seen; it has no weight of its own
    _lift(candidates, named)


def _lift(candidates: list[FileCandidate], first: list[FileCandidate]) -> None:
    """Raise some of the files just above the others, the best of them given first."""
    raised = {file.file_id for file in first}
    floor = max([file.score for file in candidates if file.file_id not in raised], default=-math.inf)
    for file in reversed(first):
        lift = max(0.0, floor + LEAST_LIFT - file.score)
        file.lift += lift
        file.score += lift
        floor = file.score


def _is_demoted(file: FileCandidate) -> bool:
    return any(feature in file.features for feature in DEMOTING.values())
