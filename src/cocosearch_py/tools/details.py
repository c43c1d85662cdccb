"""Details of a result beyond its text, if asked for: scores by leg, bytes, where to quote it from."""

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import Json

if TYPE_CHECKING:
    from cocosearch_py.model.search import Hit
    from cocosearch_py.tools.call import Call, Found

SHA_CHARS = 16
DETAILS = ("adjusted_score", "scores", "byte_span", "file_size", "citation")


class Quoted(NamedTuple):
    """A text of a file and where it begins there, in bytes."""

    path: str
    start_byte: int
    text: str

    @property
    def span(self) -> list[int]:
        """First byte, and the one after the last."""
        return [self.start_byte, self.start_byte + len(self.text.encode())]


def start_of(text: str, line: int) -> int:
    """The byte at which a line of a text begins; lines count from 1."""
    return sum(len(one.encode()) + 1 for one in text.split("\n")[: line - 1])


def leg_scores(hit: "Hit") -> Json:
    """The scores of a hit."""
    named = 1.0 if "exact_name" in hit.why else min(1.0, hit.why.get("definition", 0.0))
    return {"vector": hit.vector_score, "keyword": hit.keyword_score, "symbol": named, "graph": 0.0}


def citation(record: IndexRecord, quoted: Quoted) -> Json:
    """Where a text was quoted from."""
    return {
        "repo_root": record.root_path,
        "rev": record.git_commit,
        "path": quoted.path,
        "span": quoted.span,
        "content_sha": hashlib.sha256(quoted.text.encode()).hexdigest()[:SHA_CHARS],
    }


def hit_details(record: IndexRecord, hit: "Hit") -> Json:
    """Return the details of a hit."""
    quoted = Quoted(hit.file_path, hit.start_byte, hit.content)
    size = hit.version.size_bytes if hit.version else None
    return _details(record, hit.score, leg_scores(hit), quoted, size)


def joined_details(call: "Call", found: "Found", record: IndexRecord, item: Json) -> Json:
    """Return the details of a result that only imports join to the others."""
    path = str(item["file_path"]).removeprefix(record.root_path).lstrip("/")
    app = found.app
    source = call.look(app, record, lambda: app.navigation.text_of_file(path, None, None, record))
    quoted = Quoted(path, start_of(source.files[0].text if source.files else "", item["start_line"]), item["content"])
    version = source.versions.get(path)
    scores = {"vector": None, "keyword": None, "symbol": 0.0, "graph": item["score"]}
    return _details(record, item["score"], scores, quoted, version.size_bytes if version else None)


def _details(record: IndexRecord, score: float, scores: Json, quoted: Quoted, size_bytes: int | None) -> Json:
    return {
        "adjusted_score": score,
        "scores": scores,
        "byte_span": quoted.span,
        "file_size": size_bytes,
        "citation": citation(record, quoted),
    }
