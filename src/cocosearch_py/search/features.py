"""Features of a file: what retrieval, its path and its definitions say, as numbers weighed together. Pure.

docs/retrieval.md has each feature's measured worth, `ranking.DEFAULT_WEIGHTS` what they mean.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import compress
from operator import mul
from typing import NamedTuple

from cocosearch_py.analysis.paths import PLATFORM_WORDS, PathFacts, own_platforms, path_facts
from cocosearch_py.analysis.purposes import keeps_books, purpose_words
from cocosearch_py.analysis.words import name_key
from cocosearch_py.discovery.classes import class_of_path, packages_of
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.search import QueryAnalysis
from cocosearch_py.search.candidates import Evidence, FileCandidate, is_code
from cocosearch_py.search.content_classes import DEMOTING
from cocosearch_py.search.exact_names import FUNCTION_KINDS, TYPE_KINDS
from cocosearch_py.search.query import concept_keys, identifier_keys
from cocosearch_py.search.subject import TEST_FILE_WORDS, asks_how, count_first_words, is_about
from cocosearch_py.search.verbatim import is_message, is_printed
from cocosearch_py.search.versions import add_version_feature
from cocosearch_py.search.word_similarity import WordMatcher
from cocosearch_py.storage.queries.search import ChunkKey, Definition

BEST_CHUNKS = 3  # a file's evidence in either ranking: several good passages beat one
NAME_FULLY_MATCHED = 0.8  # coverage from which a file name counts as named by the query
DEEP_PATH_FOLDERS = 5.0  # folders that make one unit of `depth`
COMMON_NAME_FILES = 5  # a name that more of the candidates define does not tell which passage is meant
SHARED_NAME_POWER = 0.3  # how fast a name loses value with each further file that defines it
OTHER_KIND = 0.4
_MAY_BE_SETTINGS = frozenset(one.id for one in LANGUAGES.values() if one.kind != "code" and not one.has_recipes)
_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:\.\d+)*")
_OWN_PLATFORMS = own_platforms(sys.platform)  # a searching server's, which is most often also that of its clients
# Best passage of settings / best passage of code by BM25F: where `settings` begins, and where it is 1. Of 100 questions
# about code 95 stay below 0.8, of 100 about settings 90 are above.
_SETTINGS_BEHIND, _SETTINGS_LEVEL = 0.5, 0.85
_MOST_SETTINGS_MATCH = 1.5
_FAR_SETTINGS = 0.4  # share of both for settings that only the words of a question suggest
_TYPE_WORDS = frozenset("declaration declarations interface interfaces type types typing typings typescript".split())
_ASIDE_WORDS = frozenset(
    "build bundle bundler demo demos example examples playground sample samples sandbox tutorial tutorials".split()
)
_WANTED_TEST = -0.6  # as a share of what a test loses where none is asked for
_PASTED = 0.6  # share of the query that stands in a file, from which the query is taken from there
_DESCRIBED = 0.25  # of words that stand in order in a test or in settings
_LONG_TYPE_LINES = 40  # a type of this length or more is where the work is done
_LONG_TYPE_BONUS = 0.15
_FUNCTION = 0.8
_NESTED = 0.8
_LOCAL = 0.4


def add_features(candidates: list[FileCandidate], analysis: QueryAnalysis, evidence: Evidence) -> None:
    """Fill the features of all candidates, of which there is at least one."""
    _add_leg_features(candidates)
    _add_fusion_feature(candidates, evidence.fused)
    _add_path_features(candidates, analysis, evidence.idf_by_word)
    add_version_feature(candidates, {*analysis.words, *_PLAIN_WORD.findall(analysis.text.lower())})
    _add_language_feature(candidates, analysis)
    _add_definition_features(candidates, analysis, evidence.idf_by_word)
    if not analysis.distilled and (count := count_first_words(analysis.text, analysis.words)):
        _add_subject_feature(candidates, analysis, evidence.idf_by_word, count)
    if evidence.verbatim:
        _add_verbatim_feature(candidates, evidence.verbatim, is_quoted=bool(analysis.phrases))
    _add_class_features(candidates, analysis, evidence)
    for file in candidates if evidence.answers else ():
        if file.answer is not None and file.answer.share:
            file.features["answers"] = file.answer.share


def _add_leg_features(candidates: list[FileCandidate]) -> None:
    rankings = {"keywords": [file.keyword for file in candidates], "vectors": [file.vector for file in candidates]}
    for name, found in rankings.items():
        sums = [sum([chunk.score for chunk in chunks[:BEST_CHUNKS]]) if chunks else 0.0 for chunks in found]
        most = max(sums)
        for file, total in zip(candidates, sums, strict=True):
            if total > 0:
                file.features[name] = total / most


def _add_fusion_feature(candidates: list[FileCandidate], fused: Sequence[tuple[ChunkKey, float]]) -> None:
    """The score of a file's best passage in the fusion of both rankings, relative to the best of all."""
    best = {file_id: score for (file_id, _), score in reversed(fused)}  # the first of a file is written last
    most = fused[0][1] if fused else 1.0
    for file in candidates:
        if file.file_id in best:
            file.features["fused"] = best[file.file_id] / most


class _Wanted(NamedTuple):
    """Kinds of files that the query asks for beside code."""

    test_value: float  # `test` of a test file: 1 where tests are not asked for
    types: bool
    aside: bool
    documents: bool
    platforms: bool


def _find_wanted(analysis: QueryAnalysis) -> _Wanted:
    test_value = 1.0
    if analysis.asks_for_tests:
        is_question = analysis.distilled is None and not is_printed(analysis.text)
        test_value = _WANTED_TEST if is_question and is_about(analysis.text, TEST_FILE_WORDS) else 0.0
    return _Wanted(
        test_value,
        types=not _TYPE_WORDS.isdisjoint(analysis.words),
        aside=not _ASIDE_WORDS.isdisjoint(analysis.words) or is_message(analysis.text),  # examples print messages, too
        documents=analysis.asks_for_documents,
        platforms=not PLATFORM_WORDS.isdisjoint(analysis.words),
    )


def _mark_by_path(file: FileCandidate, fact: PathFacts, wanted: _Wanted) -> bool:
    """Mark what is not the product's own code, as far as the path says so.

    Returns:
        whether the file is about other files, and named after them: a test, an example, a document.
    """
    features, content_class = file.features, file.content_class
    # The class differs from what the path tells only where somebody has said so.
    is_test = (fact.is_test and content_class != ContentClass.CODE) or content_class == ContentClass.TESTS
    if is_test and wanted.test_value:
        features["test"] = wanted.test_value
    is_aside = fact.is_aside and not wanted.aside and is_code(file)
    if is_aside:
        features["aside"] = 1.0
    if fact.is_declarations and not wanted.types:
        features["declared"] = 1.0
    is_document = content_class == ContentClass.DOCS
    is_elsewhere = fact.platforms and not wanted.platforms and fact.platforms.isdisjoint(_OWN_PLATFORMS)
    if is_elsewhere or (is_document and fact.is_translated):
        features["foreign"] = 1.0
    return (is_test and wanted.test_value > 0) or is_aside or (is_document and not wanted.documents)


def _add_path_features(
    candidates: list[FileCandidate], analysis: QueryAnalysis, idf_by_word: Mapping[str, float]
) -> None:
    matcher = WordMatcher(analysis.words, "" if analysis.distilled else analysis.text)
    idfs = [idf_by_word.get(word, 0.0) for word in analysis.words]
    total_idf = sum(idfs) or 1.0
    asked_how = asks_how(analysis.text)
    wanted = _find_wanted(analysis)
    facts = [path_facts(file.path) for file in candidates]
    shallowest = min([fact.depth for fact in facts])
    alike = matcher.alike([*[fact.name for fact in facts], *{fact.folders for fact in facts}])
    in_folders: dict[tuple[str, ...], float] = {}  # many candidates share their folders
    for file, fact in zip(candidates, facts, strict=True):
        name, folders, depth = fact[:3]
        features = file.features
        features["name"] = covered = 0.0 if alike.isdisjoint(name) else matcher.coverage(name)
        is_about_others = _mark_by_path(file, fact, wanted)
        if covered > NAME_FULLY_MATCHED and not is_about_others:
            features["name_full"] = sum(map(mul, idfs, matcher.best_by_word(name))) / total_idf
        if folders:
            if (told := in_folders.get(folders)) is None:
                best = () if alike.isdisjoint(folders) else matcher.best_by_word(folders)
                told = in_folders[folders] = sum(best) / len(idfs)
            features["folders"] = told
        if not asked_how and _is_settings(file) and (purposes := matcher.best_by_word(purpose_words(file.path))):
            features["purpose"] = sum(map(mul, idfs, purposes)) / total_idf
        features["depth"] = (depth - shallowest) / DEEP_PATH_FOLDERS


def _add_language_feature(candidates: list[FileCandidate], analysis: QueryAnalysis) -> None:
    """Mark what is no code: manuals and settings hold the words of a question more often than the code does."""
    if not analysis.asks_for_documents:
        others = [file for file in candidates if not is_code(file)]
        for file in others:
            file.features["no_code"] = 1.0
        is_of_code = analysis.distilled or analysis.locations or asks_how(analysis.text) or is_printed(analysis.text)
        if others and not is_of_code:
            _add_settings_features(candidates)


def _add_settings_features(candidates: list[FileCandidate]) -> None:
    """Compare settings with code and documents: a question is about settings if these hold its words better.

    "supported python versions" stands in a few lines of settings, while code has such words here and there.
    A single rare word in a long list of settings says little, so the meaning of the file has to be near as well, or
    its purpose or one of its lines has to answer.
    """
    own = [file for file in candidates if file.content_class not in DEMOTING and file.keyword]
    code = max([file.keyword[0].score for file in own if is_code(file)], default=0.0)
    others = max([file.keyword[0].score for file in own if not _is_settings(file)], default=0.0)
    best = max([file.keyword[0].score for file in own if _is_settings(file)], default=0.0)
    lead = best / others if others else _MOST_SETTINGS_MATCH
    has_vectors = any([file.vector for file in candidates])
    level = min(1.0, max(0.0, (lead - _SETTINGS_BEHIND) / (_SETTINGS_LEVEL - _SETTINGS_BEHIND)))
    for file in candidates if level else ():
        if _is_settings(file) and ("purpose" in file.features or not keeps_books(file.path)):
            is_near = not has_vectors or file.vector or file.answer or "purpose" in file.features
            score = file.keyword[0].score if file.keyword else 0.0
            match = min(_MOST_SETTINGS_MATCH, score / code) if code else float(score > 0)
            file.features["settings"] = level * (1.0 if is_near else _FAR_SETTINGS)
            file.features["settings_match"] = match * (1.0 if is_near else _FAR_SETTINGS)


def _is_settings(file: FileCandidate) -> bool:
    """Whether the file is settings: by its language, or by its name whatever the language, but for code.

    Those in a tree of documents are examples and references, which hold everybody's words.
    """
    if file.language_id not in _MAY_BE_SETTINGS or file.content_class == ContentClass.DOCS:
        return False
    return LANGUAGES[file.language_id].kind == "config" or bool(purpose_words(file.path))


def _add_class_features(candidates: list[FileCandidate], analysis: QueryAnalysis, evidence: Evidence) -> None:
    """Mark what the project's people did not write, and code in trees of documents, unless it is asked for.

    That is by class, by the name of a vendored package that none of the project's own folders has ("client" names none
    beside `pkg/client/`), or by text that stands there. Nothing is marked as somebody else's where all candidates are:
    the order would be the same, the scores all 0.
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
    others = {file.file_id for file, _ in marks}
    named = concept_keys(analysis).keys() - _folder_keys([file for file in candidates if file.file_id not in others])
    for file, feature in marks:
        if file.file_id not in pasted and not any(name_key(package) in named for package in packages_of(file.path)):
            file.features[feature] = 1.0


def _folder_keys(files: Sequence[FileCandidate]) -> set[str]:
    folders = {file.path.rpartition("/")[0] for file in files}  # many files share theirs
    return {name_key(name) for folder in folders if folder for name in folder.split("/")}


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


def _add_subject_feature(
    candidates: list[FileCandidate], analysis: QueryAnalysis, idf_by_word: Mapping[str, float], count: int
) -> None:
    """Of a question about several things: how far a file's name, and a definition in it, name the first of them.

    Args:
        count: of the question's words, those of the first thing.
    """
    words = analysis.words[:count]
    matcher = WordMatcher(words)
    idfs = [idf_by_word.get(word, 0.0) for word in words]
    total = sum(idfs) or 1.0
    shares = {key: sum(idfs[start:end]) / total for key, (start, end) in concept_keys(analysis).items() if end <= count}
    names = [path_facts(file.path).name for file in candidates]
    alike = matcher.alike(names)
    for file, name in zip(candidates, names, strict=True):
        told = [
            definition_value(one) * shares[one.name_key]
            for one in file.definitions
            if not one.function_depth and one.name_key in shares
        ]
        covered = 0.0 if alike.isdisjoint(name) else matcher.coverage(name)
        if value := covered + max(told, default=0.0):
            file.features["subject"] = value


def definition_value(definition: Definition) -> float:
    """How much a definition is the thing its name promises: types over functions over variables, outer over inner."""
    if definition.kind in TYPE_KINDS:
        lines = definition.end_line - definition.start_line + 1
        value = 1.0 + _LONG_TYPE_BONUS * min(1.0, lines / _LONG_TYPE_LINES)
    else:
        value = _FUNCTION if definition.kind in FUNCTION_KINDS else OTHER_KIND
    return value * (_NESTED if definition.nested else 1.0) * (_LOCAL if definition.function_depth else 1.0)


def _add_mentions(candidates: list[FileCandidate], weights: Sequence[float]) -> None:
    for file in candidates:
        told = [chunk.holds for chunk in file.keyword if chunk.holds]  # exact text alone does not tell
        held = ["1" in digits for digits in zip(*told, strict=True)]
        if any(held):
            file.features["mention"] = sum(compress(weights, held)) / len(weights)


def concept_weights(analysis: QueryAnalysis, idf_by_word: Mapping[str, float]) -> dict[str, float]:
    """Key of each name that neighbouring words of the query make -> the share of the query's IDF in these words."""
    idfs = [idf_by_word.get(word, 0.0) for word in analysis.words]
    total = sum(idfs) or 1.0
    return {key: sum(idfs[start:end]) / total for key, (start, end) in concept_keys(analysis).items()}


def _told_by(file: FileCandidate, *, is_quoted: bool) -> float:
    """Share that counts of words in order: titles of tests and descriptions in settings say what other files do."""
    is_test = file.features.get("test", 0.0) > 0
    return _DESCRIBED if not is_quoted and (is_test or purpose_words(file.path)) else 1.0


def _add_verbatim_feature(
    candidates: list[FileCandidate], verbatim: Mapping[ChunkKey, float], *, is_quoted: bool
) -> None:
    """How much of the query stands in the file's best passage; the less, the more files hold all of it."""
    whole = len({file_id for (file_id, _), share in verbatim.items() if share >= 1.0})
    best: dict[int, tuple[float, int]] = {}
    for (file_id, chunk_no), share in verbatim.items():
        best[file_id] = max(best.get(file_id, (0.0, 0)), (share, -chunk_no))
    for file in candidates:
        if file.file_id in best:
            share, place = best[file.file_id]
            file.features["verbatim"] = _told_by(file, is_quoted=is_quoted) * share / max(1, whole) ** SHARED_NAME_POWER
            file.verbatim = -place
