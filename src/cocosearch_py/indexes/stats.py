"""Figures of an index as `index_stats` reports them."""

from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg

from cocosearch_py.storage import stats as store
from cocosearch_py.storage.indexes import IndexRecord

STALE_DAYS = 7  # CocoSearch's threshold


@dataclass(frozen=True, slots=True)
class IndexStats:
    """One index in figures; lists only when asked for."""

    record: IndexRecord
    storage_bytes: int
    staleness_days: int
    is_stale: bool
    languages: tuple[store.LanguageCount, ...]
    symbols: dict[str, int]
    ledger: tuple[tuple[str, str | None, int], ...]
    warnings: tuple[str, ...]
    parse_failures: tuple[tuple[str, str, str, str | None], ...] | None = None
    left_out: tuple[tuple[str, str, str | None, str | None, int], ...] | None = None

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
        """The same by bytes outside error nodes: macros spoil many files but few bytes."""
        size = sum(language.size_bytes for language in self.languages)
        broken = sum(language.error_bytes for language in self.languages)
        return round(100.0 * (1 - broken / size), 2) if size else 100.0


def collect(
    conn: psycopg.Connection,
    record: IndexRecord,
    *,
    failures: bool = False,
    skipped: bool = False,
    stale_days: int = STALE_DAYS,
) -> IndexStats:
    """Count one index."""
    days = (datetime.now(UTC) - record.updated_at).days
    stale = days > stale_days
    warnings = []
    if stale:
        warnings.append(f"Index is stale ({days} days since last update)")
    if record.status == "interrupted":
        warnings.append("The last run was interrupted; run `cocosearch-py index` again to complete it")
    return IndexStats(
        record=record,
        storage_bytes=store.storage_bytes(conn, record.table_name),
        staleness_days=days,
        is_stale=stale,
        languages=tuple(store.count_languages(conn, record.table_name)),
        symbols=store.count_symbols(conn, record.table_name),
        ledger=tuple(store.count_ledger(conn, record.table_name)),
        warnings=tuple(warnings),
        parse_failures=tuple(store.parse_failures(conn, record.table_name)) if failures else None,
        left_out=tuple(store.left_out(conn, record.table_name)) if skipped else None,
    )
