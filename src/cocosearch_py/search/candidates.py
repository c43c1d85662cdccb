"""The files that may answer, and all that retrieval found of them. Pure."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.search import WholeName
from cocosearch_py.search.fusion import fuse_rankings
from cocosearch_py.storage.queries.passages import Passage
from cocosearch_py.storage.queries.search import ChunkKey, Definition, FileFacts, ScoredChunk

# Weights of the rankings in the fusion: the static model alone finds half of what keywords find.
RANKING_WEIGHTS: Mapping[str, float] = {"keyword": 1.0, "vector": 0.5}


_CODE = frozenset(one.id for one in LANGUAGES.values() if one.kind == "code")
Found = TypeVar("Found", ScoredChunk, Definition)


class SettingAnswer(NamedTuple):
    """The passage of a settings file whose lines answer the question."""

    chunk_no: int
    lines: tuple[int, ...]
    share: float  # of the question that is about settings and nothing else; 0 where code may answer as well


@dataclass(slots=True)
class FileCandidate:
    """Facts about a file that may answer."""

    file_id: int
    path: str
    language_id: str
    content_class: str = ""
    keyword: Sequence[ScoredChunk] = ()  # of either ranking, best first
    vector: Sequence[ScoredChunk] = ()
    definitions: Sequence[Definition] = ()
    features: dict[str, float] = field(default_factory=dict)
    score: float = 0.0
    definition_weight: float = 0.0  # of the identifiers that it defines; concepts do not count
    telling: Sequence[Definition] = ()  # without those that many files have, as of a namespace
    exact: Sequence[Definition] = ()  # of the very name that the query is
    lift: float = 0.0  # added to the score because of these, or of a place that the query names
    located: Passage | None = None  # at that place
    verbatim: int | None = None  # chunk_no of the passage where most of the query stands
    answer: SettingAnswer | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that retrieval found."""

    keyword: Sequence[ScoredChunk]
    vector: Sequence[ScoredChunk]
    definitions: Sequence[Definition]
    idf_by_word: Mapping[str, float]  # content word of the query -> IDF
    largest_idf: float = math.inf  # of a word that stands nowhere
    # How much of the query stands in a passage as it is, 0..1.
    verbatim: Mapping[ChunkKey, float] = field(default_factory=dict)
    partial: frozenset[ChunkKey] = frozenset()  # of these passages those that hold little else than a run of its words
    located: Sequence[Passage] = ()  # at the places that the query names, the most telling first
    asked: frozenset[str] = frozenset()  # classes of content that the query asks for
    fused: Sequence[tuple[ChunkKey, float]] = ()  # passages of both rankings by reciprocal rank fusion, best first
    answers: Mapping[int, SettingAnswer] = field(default_factory=dict)  # file_id -> lines of settings that answer
    nearest_name: WholeName | None = None  # where the query is a name that stands nowhere


def fuse(keyword: Sequence[ScoredChunk], vector: Sequence[ScoredChunk]) -> list[tuple[ChunkKey, float]]:
    """The passages of both rankings by reciprocal rank fusion, best first."""
    rankings = {"keyword": keyword, "vector": vector}
    return fuse_rankings({name: [chunk[:2] for chunk in chunks] for name, chunks in rankings.items()}, RANKING_WEIGHTS)


def gather(evidence: Evidence, paths: Mapping[int, FileFacts]) -> list[FileCandidate]:
    """One candidate per file that anything found names, in the order in which they are first named."""
    first_named: dict[int, None] = dict.fromkeys([chunk.file_id for chunk in evidence.keyword])
    for items in (evidence.located, evidence.vector, evidence.definitions):
        first_named.update(dict.fromkeys([item.file_id for item in items if item.file_id in paths]))
    first_named.update(dict.fromkeys([file_id for file_id in evidence.answers if file_id in paths]))
    keyword, vector, definitions = _by_file(evidence.keyword), _by_file(evidence.vector), _by_file(evidence.definitions)
    files = {
        file_id: FileCandidate(
            file_id,
            *paths[file_id],
            keyword.get(file_id, ()),
            vector.get(file_id, ()),
            definitions.get(file_id, ()),
            {},
        )
        for file_id in first_named
    }
    for passage in reversed(evidence.located):
        files[passage.file_id].located = passage
    for file_id, answer in evidence.answers.items():
        if file_id in files:
            files[file_id].answer = answer
    return list(files.values())


def _by_file(found: Sequence[Found]) -> dict[int, list[Found]]:
    by_file: defaultdict[int, list[Found]] = defaultdict(list)
    for one in found:
        by_file[one[0]].append(one)
    return by_file


def is_code(file: FileCandidate) -> bool:
    return file.language_id in _CODE
