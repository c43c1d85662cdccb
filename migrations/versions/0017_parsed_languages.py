"""The health of parses is null for languages without a grammar: their files are not parsed, and nothing is wrong."""

from collections.abc import Sequence

from alembic import op

revision: str = "0017"
down_revision: str | None = "0016"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_VIEW = """
CREATE OR REPLACE VIEW cocosearch_py.language_overview AS
SELECT i.name, f.language_id, count(*) AS files, sum(f.line_count)::bigint AS lines,
       sum(f.chunk_count)::bigint AS chunks, {} AS parse_ok_pct, {} AS error_bytes_pct
FROM cocosearch_py.files f JOIN cocosearch_py.indexes i USING (index_id)
WHERE f.status = 'indexed'
GROUP BY i.name, f.language_id
"""
_OF_ALL = (
    "round(100.0 * count(*) FILTER (WHERE f.parse_status = 'ok') / count(*), 1)",
    "round(100.0 * sum(f.parse_error_bytes) / greatest(sum(f.size_bytes), 1), 3)",
)
_IS_PARSED = "FILTER (WHERE f.parse_status <> 'no_grammar')"
_OF_PARSED = (
    f"round(100.0 * count(*) FILTER (WHERE f.parse_status = 'ok') / nullif(count(*) {_IS_PARSED}, 0), 1)",
    f"round(100.0 * sum(f.parse_error_bytes) {_IS_PARSED} / greatest(sum(f.size_bytes) {_IS_PARSED}, 1), 3)",
)


def upgrade() -> None:
    op.execute(_VIEW.format(*_OF_PARSED))


def downgrade() -> None:
    op.execute(_VIEW.format(*_OF_ALL))
