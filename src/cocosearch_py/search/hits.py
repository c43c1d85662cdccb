"""Which passages answer, and their texts: one of each file in the files' order, then more of the same files.

Of passages that say the same the best is shown, which names the files of the others; these come last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.search import Hit, QueryAnalysis, SearchRequest
from cocosearch_py.search.context import context_range, context_reach, cut_lines
from cocosearch_py.search.copies import find_copies
from cocosearch_py.search.legs import Found
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS, Evidence, FileCandidate, best_chunk, score_parts
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import texts
from cocosearch_py.storage.queries.search import ChunkKey
from cocosearch_py.storage.queries.target import Target

_MOST_ROUNDS = 3  # of looking for what is no copy


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranked files, best first, and what ranked them."""

    analysis: QueryAnalysis
    files: list[FileCandidate]
    weights: Mapping[str, float]
    factors: Mapping[int, float]  # file_id -> what the request's weights make of it


def _choose(ranked: Ranked, evidence: Evidence, limit: int) -> list[texts.WantedHit]:
    """One chunk per file in the files' order, then further chunks of these files in fused order."""
    wanted = _first_passages(ranked, 0, limit)
    if len(wanted) < limit:
        shown = {(hit.file_id, hit.chunk_no) for hit in wanted}
        more = sorted(evidence.fused, key=lambda item: -item[1] * ranked.factors.get(item[0][0], 1.0))
        wanted += [texts.WantedHit(*key) for key, _ in more if key not in shown][: limit - len(wanted)]
    return wanted


def _first_passages(ranked: Ranked, start: int, end: int) -> list[texts.WantedHit]:
    return [texts.WantedHit(file.file_id, *best_chunk(file, ranked.analysis)) for file in ranked.files[start:end]]


def _read(
    conn: Connection, target: Target, request: SearchRequest, found: Found, ranked: Ranked
) -> tuple[list[texts.WantedHit], dict[ChunkKey, texts.HitText], dict[ChunkKey, ChunkKey]]:
    """What to show, its texts, and of each copy what it is a copy of: other files stand where copies would."""
    limit, reach = request.limit, context_reach(request)
    wanted = _choose(ranked, found.evidence, limit)
    shown = texts.hit_texts(conn, target, wanted, found.legs, reach)
    copies = _find_copies(wanted, shown, ranked)
    read = limit
    for _ in range(_MOST_ROUNDS):
        missing = limit - len(wanted) + len(copies)
        instead = _first_passages(ranked, read, read + missing) if missing > 0 else []
        if not instead:
            break
        read += missing
        wanted += instead
        shown |= texts.hit_texts(conn, target, instead, found.legs, reach)
        copies = _find_copies(wanted, shown, ranked)
    return sorted(wanted, key=lambda hit: (hit.file_id, hit.chunk_no) in copies)[:limit], shown, copies


def _find_copies(
    wanted: Sequence[texts.WantedHit], shown: Mapping[ChunkKey, texts.HitText], ranked: Ranked
) -> dict[ChunkKey, ChunkKey]:
    """Each passage that says the same as one of a better file -> that one; what the query names is never a copy."""
    named = {file.file_id for file in ranked.files if file.exact or file.located}
    keys = [(hit.file_id, hit.chunk_no) for hit in wanted]
    keys = [key for key in keys if key in shown and key[0] not in named]
    found = find_copies([shown[key].content for key in keys])
    return {keys[copy]: keys[first] for copy, first in found.items() if keys[copy][0] != keys[first][0]}


def _ranks(evidence: Evidence, wanted: Sequence[texts.WantedHit]) -> dict[ChunkKey, dict[str, float]]:
    """Of each wanted passage its rank in the legs that name it, from 1, and its score in the fusion of both."""
    ranks: dict[ChunkKey, dict[str, float]] = {(hit.file_id, hit.chunk_no): {} for hit in wanted}
    for key, score in evidence.fused:
        if key in ranks:
            ranks[key]["fused"] = round(score, 5)
    for name, leg in (("keyword", evidence.keyword), ("vector", evidence.vector)):
        for rank, chunk in enumerate(leg, start=1):
            if chunk[:2] in ranks:
                ranks[chunk[:2]][name] = rank
    return ranks


def render(
    conn: Connection,
    target: Target,
    request: SearchRequest,
    found: Found,
    ranked: Ranked,
) -> list[Hit]:
    """The hits with their texts, in order."""
    wanted, shown, copies = _read(conn, target, request, found, ranked)
    files = {file.file_id: file for file in ranked.files}
    ranks = _ranks(found.evidence, wanted) if request.explain else {}
    top_keyword = found.evidence.keyword[0].score if found.evidence.keyword else 0.0
    hits: list[Hit] = []
    for key in [(item.file_id, item.chunk_no) for item in wanted]:
        if (text := shown.get(key)) is None:
            continue
        file = files[key[0]]
        score = _unit_score(file.score)
        scope = (text.scope_start, text.scope_end) if text.scope_start and text.scope_end else None
        lines = context_range(request, text.start_line, text.end_line, scope)
        chunks = [(text.around_start, text.around)] if text.around_start and text.around else []
        hits.append(
            Hit(
                file_path=file.path,
                start_line=text.start_line,
                end_line=text.end_line,
                score=min(score, hits[-1].score) if hits else score,  # a further chunk never outranks a file
                content=text.content,
                block_type=text.block_type,
                hierarchy=text.hierarchy,
                language_id=file.language_id,
                symbol_type=text.symbol_type,
                symbol_name=text.symbol_name,
                symbol_signature=text.symbol_signature,
                match_type=_match_type(file, text.chunk_no),
                vector_score=_rounded(text.vector_score),
                keyword_score=_rounded(min(1.0, (text.keyword_score or 0.0) / top_keyword)) if top_keyword else None,
                context_before=cut_lines(chunks, *lines.before),
                context_after=cut_lines(chunks, *lines.after),
                why={name: round(value, 4) for name, value in file.features.items()},
                parts=_parts(file, ranked.weights) if request.explain else {},
                ranks=ranks.get(key, {}),
                copies=tuple(sorted({files[copy[0]].path for copy, first in copies.items() if first == key})),
                version=FileVersion(text.size_bytes, text.mtime_ns, text.content_hash) if text.content_hash else None,
            )
        )
    return hits


def _match_type(file: FileCandidate, chunk_no: int) -> str:
    keyword = any(chunk.chunk_no == chunk_no for chunk in file.keyword)
    vector = any(chunk.chunk_no == chunk_no for chunk in file.vector)
    if keyword and vector:
        return "both"
    if keyword:
        return "keyword"
    return "semantic" if vector else "symbol"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(max(0.0, value), 4)


# Verbatim text goes beyond what a question in other words can reach; settings first lose what theirs gives back.
_BEYOND = {"verbatim", "settings", "settings_match", "purpose"}
_SCORE_SCALE = sum(weight for name, weight in DEFAULT_WEIGHTS.items() if weight > 0 and name not in _BEYOND)


def _unit_score(score: float) -> float:
    """A file's score as a share of the best possible one, in 0..1; comparable within one answer."""
    return round(min(1.0, max(0.0, score / _SCORE_SCALE)), 4)


def _parts(file: FileCandidate, weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(part / _SCORE_SCALE, 4) for name, part in score_parts(file, weights).items()}
