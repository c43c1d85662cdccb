"""Order files by what the two legs, the file's path and its definitions say together. Pure.

A file's score is a weighted sum of the features below. Keyword evidence leads; the path and the definitions decide
among files that hold the words. docs/retrieval.md has each feature's measured worth.
"""

import math
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import mul

from cocosearch_py.analysis.paths import PLATFORM_WORDS, PathVersion, own_platforms, path_facts
from cocosearch_py.analysis.purposes import purpose_words
from cocosearch_py.analysis.words import name_key
from cocosearch_py.discovery.classes import class_of_path, packages_of
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.search import QueryAnalysis, WholeName
from cocosearch_py.search.content_classes import DEMOTING
from cocosearch_py.search.exact_names import FUNCTION_KINDS, TYPE_KINDS, definitions_of
from cocosearch_py.search.fusion import fuse_rankings
from cocosearch_py.search.query import concept_keys, identifier_keys
from cocosearch_py.search.subject import asks_how
from cocosearch_py.search.word_similarity import WordMatcher
from cocosearch_py.storage.queries.passages import Passage
from cocosearch_py.storage.queries.search import ChunkKey, Definition, FileFacts, ScoredChunk

BEST_CHUNKS = 3  # a file's evidence in either leg: several good passages beat one
NAME_FULLY_MATCHED = 0.8  # coverage from which a file name counts as named by the query
# Of the legs in the fusion: the static model alone finds half of what keywords find.
LEG_WEIGHTS: Mapping[str, float] = {"keyword": 1.0, "vector": 0.5}
DEEP_PATH_FOLDERS = 5.0  # folders that make one unit of `depth`
# What a request's factors weigh: 3 makes up for being a test, 1/2 costs almost what being no code does.
FACTOR_STRENGTH = 4.0
FACTOR_RANGE = (1e-9, 1e9)  # of the product; either end outweighs everything else that is known of a file
LEAST_LIFT = 1e-6  # tells two scores apart and shows in neither
COMMON_NAME_FILES = 5  # a name that more of the candidates define does not tell which passage is meant
SHARED_NAME_POWER = 0.3  # how fast a name loses value with each further file that defines it

# Mean of the weights fitted on 792 labelled questions about 40 repositories and on 1,387 cases mined from 13 others,
# by tools/ranking/fit.py. Weights of either set alone serve the other set worse (docs/retrieval.md).
DEFAULT_WEIGHTS: Mapping[str, float] = {
    "keywords": 2.3,  # three best chunks by BM25F, relative to the best file
    "vectors": 1.0,  # three nearest chunks by meaning, relative to the best file
    "fused": 2.55,  # best passage in the reciprocal rank fusion of both legs, relative to the best of all
    "name": 1.55,  # share of the file name that the query's words account for
    "name_full": 1.5,  # IDF share of the query that a fully matched file name accounts for
    "folders": 1.25,  # the same for the nearest folders, by words
    "definition": 1.75,  # identifiers of the query that the file defines
    "mention": 1.35,  # identifiers of the query that stand in the file
    "concept": 2.1,  # IDF share of the neighbouring words that make the name of a definition in the file
    "verbatim": 6.0,  # words of the query that stand there next to each other, in its order
    "no_code": -3.4,  # documents, settings and data, unless the query asks for them
    # Of settings, unless the query asks how something is done. Fitted with the others held (benchmarks/goldens.py).
    "settings": 5.2,  # the best passage of any settings holds the words about as well as the best of code, or better
    "settings_match": 1.9,  # this file's best passage against the best of code
    "purpose": 4.5,  # IDF share of the query in words for what a file of a well-known name is for
    "test": -3.8,  # test code, unless the query asks for it
    "foreign": -1.05,  # code for other systems than the one that searches, unless the query names a system
    "older": -2.0,  # another version than the newest beside it or the named one; legacy, unless named. Not fitted
    "depth": -2.05,  # folders below the shallowest candidate
    # These two are not fitted: the labelled questions meet hardly any such files (benchmarks/vendored.py).
    "vendored": -10.0,  # other people's code, unless the query asks for it
    "generated": -4.1,  # what a program wrote, lock files, snapshots, issue templates, unless the query asks for them
}

_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:\.\d+)*")
NO_FACTORS: Mapping[int, float] = {}

_OWN_PLATFORMS = own_platforms(sys.platform)  # a searching server's, which is most often also that of its clients
# Best passage of settings / best passage of code by BM25F: where `settings` begins, and where it is 1. Of 100 questions
# about code 95 stay below .8, of 100 about settings 90 are above.
_SETTINGS_BEHIND, _SETTINGS_LEVEL = 0.5, 0.85
_MOST_SETTINGS_MATCH = 1.5
_PASTED = 0.6  # share of the query that stands in a file, from which the query is taken from there
_LONG_TYPE_LINES = 40  # a type of this length or more is where the work is done
_LONG_TYPE_BONUS = 0.15
OTHER_KIND = 0.4
_FUNCTION = 0.8
_NESTED = 0.8
_LOCAL = 0.4


@dataclass(slots=True)
class FileCandidate:
    """What is known of a file that may answer."""

    file_id: int
    path: str
    language_id: str
    content_class: str = ""
    keyword: list[ScoredChunk] = field(default_factory=list)  # of either leg, best first
    vector: list[ScoredChunk] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    features: dict[str, float] = field(default_factory=dict)
    score: float = 0.0
    definition_weight: float = 0.0  # of the identifiers that it defines; concepts do not count
    telling: Sequence[Definition] = ()  # without those that many files have, as of a namespace
    exact: Sequence[Definition] = ()  # of the very name that the query is
    lift: float = 0.0  # added to the score because of these, or of a place that the query names
    located: Passage | None = None  # at that place
    verbatim: int | None = None  # chunk_no of the passage where most of the query stands


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the legs found."""

    keyword: Sequence[ScoredChunk]
    vector: Sequence[ScoredChunk]
    definitions: Sequence[Definition]
    idf_by_word: Mapping[str, float]  # content word of the query -> IDF
    largest_idf: float = math.inf  # of a word that stands nowhere
    # How much of the query stands in a passage as it is, 0..1.
    verbatim: Mapping[ChunkKey, float] = field(default_factory=dict)
    located: Sequence[Passage] = ()  # at the places that the query names, the most telling first
    asked: frozenset[str] = frozenset()  # classes of content that the query asks for
    fused: Sequence[tuple[ChunkKey, float]] = ()  # passages of both legs by reciprocal rank fusion, best first


def with_fusion(evidence: Evidence) -> Evidence:
    """The evidence with its two legs fused."""
    legs = {"keyword": evidence.keyword, "vector": evidence.vector}
    fused = fuse_rankings({name: [chunk[:2] for chunk in leg] for name, leg in legs.items()}, LEG_WEIGHTS)
    return replace(evidence, fused=fused)


def definition_value(definition: Definition) -> float:
    """How much a definition is the thing its name promises: types over functions over variables, outer over inner."""
    if definition.kind in TYPE_KINDS:
        lines = definition.end_line - definition.start_line + 1
        value = 1.0 + _LONG_TYPE_BONUS * min(1.0, lines / _LONG_TYPE_LINES)
    else:
        value = _FUNCTION if definition.kind in FUNCTION_KINDS else OTHER_KIND
    return value * (_NESTED if definition.nested else 1.0) * (_LOCAL if definition.function_depth else 1.0)


def gather(evidence: Evidence, paths: Mapping[int, FileFacts]) -> list[FileCandidate]:
    """One candidate per file that any leg names, in the order in which they are first named."""
    first_named: dict[int, None] = dict.fromkeys([chunk.file_id for chunk in evidence.keyword])
    for leg in (evidence.located, evidence.vector, evidence.definitions):
        # A file without a path was removed since the vector leg's snapshot, or only a concept's definition names it.
        first_named.update(dict.fromkeys([found.file_id for found in leg if found.file_id in paths]))
    files = {file_id: FileCandidate(file_id, *paths[file_id]) for file_id in first_named}
    for chunk in evidence.keyword:
        files[chunk.file_id].keyword.append(chunk)
    for chunk in evidence.vector:
        if chunk.file_id in files:
            files[chunk.file_id].vector.append(chunk)
    for definition in evidence.definitions:
        if definition.file_id in files:
            files[definition.file_id].definitions.append(definition)
    for passage in reversed(evidence.located):
        files[passage.file_id].located = passage
    return list(files.values())


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
    _add_leg_features(candidates)
    _add_fusion_feature(candidates, evidence.fused)
    _add_path_features(candidates, analysis, evidence.idf_by_word)
    _add_version_feature(candidates, {*analysis.words, *_PLAIN_WORD.findall(analysis.text.lower())})
    _add_language_feature(candidates, analysis)
    _add_definition_features(candidates, analysis, evidence.idf_by_word)
    if evidence.verbatim:
        _add_verbatim_feature(candidates, evidence.verbatim)
    _add_class_features(candidates, analysis, evidence)
    weight = defaultdict(float, weights).__getitem__
    for file in candidates:
        file.score = sum(map(mul, map(weight, file.features), file.features.values()))
    if analysis.whole_name:
        _lift_exact_names(candidates, analysis.whole_name)
    if evidence.located:
        _lift_located(candidates, [passage.file_id for passage in evidence.located])
    for file in candidates if factors else ():
        if (factor := factors.get(file.file_id, 1.0)) != 1.0:
            low, high = FACTOR_RANGE
            file.features["factor"] = factor  # to be seen; it has no weight of its own
            file.score += FACTOR_STRENGTH * math.log(max(low, min(high, factor)))
    return sorted(candidates, key=lambda file: (-file.score, file.path))


def score_parts(file: FileCandidate, weights: Mapping[str, float]) -> dict[str, float]:
    """What each feature, a request's factor and a lift above others adds to a file's score; the sum is the score."""
    parts = {name: weights.get(name, 0.0) * value for name, value in file.features.items()}
    rest = file.score - file.lift - sum(parts.values())
    parts["factor"] = rest if "factor" in file.features else 0.0
    parts["lift"] = file.lift
    return {name: part for name, part in parts.items() if part}


def _lift_exact_names(candidates: list[FileCandidate], whole: WholeName) -> None:
    """Raise files that define the very name just above the others, the best definition first."""
    exact = definitions_of(
        whole, {file.path: file.definitions for file in candidates if file.definitions and _is_code(file)}
    )
    defining = [file for file in candidates if file.path in exact]
    for file in defining:
        rank, file.exact = exact[file.path]
        file.features["exact_name"] = rank  # to be seen; it has no weight of its own
    _lift(candidates, sorted(defining, key=lambda file: (_is_demoted(file), -exact[file.path][0], -file.score)))


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


def _is_code(file: FileCandidate) -> bool:
    language = LANGUAGES.get(file.language_id)
    return language is not None and language.kind == "code"


def _is_settings(file: FileCandidate) -> bool:
    """Whether the file is settings: by its language, or by its name whatever the language, but for code."""
    language = LANGUAGES.get(file.language_id)
    if language is None or language.kind == "code" or language.has_recipes:
        return False
    return language.kind == "config" or bool(purpose_words(file.path))


def _add_leg_features(candidates: list[FileCandidate]) -> None:
    legs = {"keywords": [file.keyword for file in candidates], "vectors": [file.vector for file in candidates]}
    for name, found in legs.items():
        sums = [sum([chunk.score for chunk in chunks[:BEST_CHUNKS]]) if chunks else 0.0 for chunks in found]
        most = max(sums)
        for file, total in zip(candidates, sums, strict=True):
            if total > 0:
                file.features[name] = total / most


def _add_fusion_feature(candidates: list[FileCandidate], fused: Sequence[tuple[ChunkKey, float]]) -> None:
    """The score of a file's best passage in the fusion of both legs, relative to the best of all."""
    best = {file_id: score for (file_id, _), score in reversed(fused)}  # the first of a file is written last
    most = fused[0][1] if fused else 1.0
    for file in candidates:
        if file.file_id in best:
            file.features["fused"] = best[file.file_id] / most


def _add_language_feature(candidates: list[FileCandidate], analysis: QueryAnalysis) -> None:
    """Mark what is no code: manuals and settings hold the words of a question more often than the code does."""
    if not analysis.asks_for_documents:
        others = [file for file in candidates if not _is_code(file)]
        for file in others:
            file.features["no_code"] = 1.0
        if others and not analysis.distilled and not asks_how(analysis.text):
            _add_settings_features(candidates)


def _add_settings_features(candidates: list[FileCandidate]) -> None:
    """Compare each settings file with the best code: where settings hold the words better, the question is about them.

    "supported python versions" stands in a few lines of settings, while code has such words here and there.
    """
    own = [file for file in candidates if file.content_class not in DEMOTING and file.keyword]
    code = max([file.keyword[0].score for file in own if _is_code(file)], default=0.0)
    best = max([file.keyword[0].score for file in own if _is_settings(file)], default=0.0)
    lead = best / code if code else _MOST_SETTINGS_MATCH
    level = min(1.0, max(0.0, (lead - _SETTINGS_BEHIND) / (_SETTINGS_LEVEL - _SETTINGS_BEHIND)))
    for file in candidates if level else ():
        if _is_settings(file):
            score = file.keyword[0].score if file.keyword else 0.0
            file.features["settings"] = level
            file.features["settings_match"] = min(_MOST_SETTINGS_MATCH, score / code) if code else float(score > 0)


def _add_class_features(candidates: list[FileCandidate], analysis: QueryAnalysis, evidence: Evidence) -> None:
    """Mark what the project's people did not write, and code in trees of documents, unless it is asked for.

    That is by class, by the name of a vendored package, or by text that stands there. Nothing is marked as somebody
    else's where all candidates are: the order would be the same, the scores all 0.
    """
    pasted = {file_id for (file_id, _), share in evidence.verbatim.items() if share >= _PASTED and not analysis.phrases}
    marks: list[tuple[FileCandidate, str]] = []
    for file in candidates:
        content_class = file.content_class
        if not content_class and (naming := class_of_path(file.path)) is not None:
            content_class = naming.content_class or ""
        if content_class in evidence.asked:
            for feature in () if content_class in DEMOTING else ("test", "no_code"):  # of tests, documents, settings
                file.features.pop(feature, None)
        elif content_class in DEMOTING:
            marks.append((file, DEMOTING[content_class]))
        elif content_class == ContentClass.DOCS and not analysis.asks_for_documents and "verbatim" not in file.features:
            file.features["no_code"] = 1.0
    if not marks or len(marks) == len(candidates):
        return
    named = concept_keys(analysis)
    for file, feature in marks:
        if file.file_id not in pasted and not any(name_key(package) in named for package in packages_of(file.path)):
            file.features[feature] = 1.0


def _add_path_features(
    candidates: list[FileCandidate], analysis: QueryAnalysis, idf_by_word: Mapping[str, float]
) -> None:
    matcher = WordMatcher(analysis.words)
    idfs = [idf_by_word.get(word, 0.0) for word in analysis.words]
    total_idf = sum(idfs) or 1.0
    asked_how = asks_how(analysis.text)
    names_platform = not PLATFORM_WORDS.isdisjoint(analysis.words)
    facts = [path_facts(file.path) for file in candidates]
    shallowest = min([fact.depth for fact in facts])
    in_folders: dict[tuple[str, ...], float] = {}  # many candidates share their folders
    for file, (name, folders, depth, is_test, platforms, _, _) in zip(candidates, facts, strict=True):
        features = file.features
        features["name"] = covered = matcher.coverage(name)
        if covered > NAME_FULLY_MATCHED:
            features["name_full"] = sum(map(mul, idfs, matcher.best_by_word(name))) / total_idf
        if folders:
            if folders not in in_folders:
                in_folders[folders] = sum(matcher.best_by_word(folders)) / len(idfs)
            features["folders"] = in_folders[folders]
        if not asked_how and _is_settings(file) and (alike := matcher.best_by_word(purpose_words(file.path))):
            features["purpose"] = sum(map(mul, idfs, alike)) / total_idf
        features["depth"] = (depth - shallowest) / DEEP_PATH_FOLDERS
        if platforms and not names_platform and platforms.isdisjoint(_OWN_PLATFORMS):
            features["foreign"] = 1.0
        # The class differs from what the path tells only where somebody has said so.
        tests = is_test and file.content_class != ContentClass.CODE
        if (tests or file.content_class == ContentClass.TESTS) and not analysis.asks_for_tests:
            features["test"] = 1.0


def _add_version_feature(candidates: list[FileCandidate], asked: set[str]) -> None:
    """Mark the older of files that differ in a version of their path alone, and what is outdated by its path.

    A version or word that the query names is the one that it means.
    """
    facts = [(file, path_facts(file.path)) for file in candidates]
    twins: defaultdict[str, list[tuple[FileCandidate, PathVersion]]] = defaultdict(list)
    for file, fact in facts:
        if fact.version:
            twins[fact.version.rest].append((file, fact.version))
        if fact.outdated and fact.outdated not in asked:
            file.features["older"] = 1.0
    for versions in twins.values():
        named = {version.order for _, version in versions if version.name in asked}
        meant = named or {max([version.order for _, version in versions])}
        for file, version in versions:
            if version.order not in meant:
                file.features["older"] = 1.0


def _add_definition_features(
    candidates: list[FileCandidate], analysis: QueryAnalysis, idf_by_word: Mapping[str, float]
) -> None:
    keys = identifier_keys(analysis)
    concepts = concept_weights(analysis, idf_by_word)
    defining: defaultdict[str, int] = defaultdict(int)
    best: list[tuple[FileCandidate, dict[str, float]]] = []
    for file in candidates:
        if not file.definitions:
            continue
        values: dict[str, float] = {}
        for definition in file.definitions:
            value = definition_value(definition)
            values[definition.name_key] = max(value, values.get(definition.name_key, 0.0))
            if not definition.function_depth and definition.name_key in concepts:
                concept = value * concepts[definition.name_key]
                file.features["concept"] = max(concept, file.features.get("concept", 0.0))
        for key in values:
            defining[key] += 1
        best.append((file, values))
    for file, values in best:
        file.telling = [one for one in file.definitions if defining[one.name_key] <= COMMON_NAME_FILES]
        file.definition_weight = sum(
            keys[key] * value / defining[key] ** SHARED_NAME_POWER for key, value in values.items() if key in keys
        )
        if file.definition_weight:
            file.features["definition"] = file.definition_weight
    if analysis.identifiers:
        _add_mentions(candidates, [weight for _, weight in analysis.identifiers])


def _add_mentions(candidates: list[FileCandidate], weights: Sequence[float]) -> None:
    for file in candidates:
        told = [chunk.holds for chunk in file.keyword if chunk.holds]  # exact text alone does not tell
        held = ["1" in digits for digits in zip(*told, strict=True)]
        if any(held):
            file.features["mention"] = sum(compress(weights, held)) / len(weights)


def _add_verbatim_feature(candidates: list[FileCandidate], verbatim: Mapping[ChunkKey, float]) -> None:
    """How much of the query stands in the file's best passage; the less, the more files hold all of it."""
    whole = len({file_id for (file_id, _), share in verbatim.items() if share >= 1.0})
    best: dict[int, tuple[float, int]] = {}
    for (file_id, chunk_no), share in verbatim.items():
        best[file_id] = max(best.get(file_id, (0.0, 0)), (share, -chunk_no))
    for file in candidates:
        if file.file_id in best:
            share, place = best[file.file_id]
            file.features["verbatim"] = share / max(1, whole) ** SHARED_NAME_POWER
            file.verbatim = -place


def concept_weights(analysis: QueryAnalysis, idf_by_word: Mapping[str, float]) -> dict[str, float]:
    """Key of each name that neighbouring words of the query make -> the share of the query's IDF in these words."""
    idfs = [idf_by_word.get(word, 0.0) for word in analysis.words]
    total = sum(idfs) or 1.0
    return {key: sum(idfs[start:end]) / total for key, (start, end) in concept_keys(analysis).items()}
