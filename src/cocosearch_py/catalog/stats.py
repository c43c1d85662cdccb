"""Figures of an index as `index_stats` reports them."""

from dataclasses import dataclass

from cocosearch_py.catalog.freshness import STALE_DAYS, age_days, staleness
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import stats as store


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """Choice of figures and lists."""

    failures: bool = False  # list files that did not parse cleanly
    skipped: bool = False  # list files that are not indexed
    stale_days: int = STALE_DAYS
    links: bool = False  # count references and dependencies
    words: bool = False  # count different words


@dataclass(frozen=True, slots=True)
class IndexStats:
    """One index in figures; lists only when asked for."""

    record: IndexRecord
    storage_bytes: int
    staleness_days: int
    is_stale: bool
    languages: tuple[store.LanguageCount, ...]
    symbols: dict[str, int]
    classes: tuple[tuple[str | None, int, int, int, int], ...]  # see `count_classes`
    ledger: tuple[tuple[str, str | None, int], ...]
    warnings: tuple[str, ...]
    edges: int  # imports that lead to a file of the index
    vectors: int
    parse_failures: tuple[tuple[str, str, str, str | None], ...] | None = None
    left_out: tuple[tuple[str, str, str | None, str | None, int], ...] | None = None
    links: tuple[int, int] | None = None  # references, and dependencies between files
    words: int | None = None

    @property
    def files_ok(self) -> int:
        return sum(language.ok for language in self.languages)

    @property
    def parse_health_pct(self) -> float:
        """Share of files parsed without an error, of those that have a grammar; 100 when there is none."""
        parsed = sum(language.files - language.no_grammar for language in self.languages)
        return round(100.0 * self.files_ok / parsed, 1) if parsed else 100.0

    @property
    def parse_health_bytes_pct(self) -> float:
        """Share of bytes outside error nodes: macros spoil many files but few bytes."""
        size = sum(language.size_bytes for language in self.languages)
        broken = sum(language.error_bytes for language in self.languages)
        return round(100.0 * (1 - broken / size), 2) if size else 100.0


def collect(conn: Connection, record: IndexRecord, request: StatsRequest, warnings: tuple[str, ...]) -> IndexStats:
    """Count one index; `warnings` name its known problems."""
    edges, vectors = store.count_rows(conn, record.index_id, ("dependencies", "vectors"))
    return IndexStats(
        record=record,
        storage_bytes=store.storage_bytes(conn, record.index_id),
        staleness_days=age_days(record),
        is_stale=staleness(record, request.stale_days) is not None,
        languages=tuple(store.count_languages(conn, record.index_id)),
        symbols=store.count_symbols(conn, record.index_id),
        classes=tuple(store.count_classes(conn, record.index_id)),
        ledger=tuple(store.count_ledger(conn, record.index_id)),
        warnings=warnings,
        edges=edges,
        vectors=vectors,
        parse_failures=tuple(store.parse_failures(conn, record.index_id)) if request.failures else None,
        left_out=tuple(store.left_out(conn, record.index_id)) if request.skipped else None,
        links=store.count_links(conn, record.index_id) if request.links else None,
        words=store.count_rows(conn, record.index_id, ("lexemes",))[0] if request.words else None,
    )
