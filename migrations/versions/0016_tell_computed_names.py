"""Among references are names that are made at run time. Indexes have them when they are rebuilt."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_COMMENTS = (  # column, what it was, what it is
    ("kind", "call, type, inherit or read", "call, type, inherit, read, or computed: by a name made at run time"),
    ("name", "the identifier alone: b of a.b()", "the identifier alone: b of a.b(); … if it is computed"),
    (
        "receiver",
        "type of that, as far as its file says it",
        "type of that, as far as its file says it; of a computed name what is written: visit_…",
    ),
)


def upgrade() -> None:
    for column, _, comment in _COMMENTS:
        _tell(column, comment)


def downgrade() -> None:
    op.execute(f"DELETE FROM {_SCHEMA}.refs WHERE name = '…' AND kind = 'computed'")
    for column, comment, _ in _COMMENTS:
        _tell(column, comment)


def _tell(column: str, comment: str) -> None:
    for table in _tables():
        op.execute(f"COMMENT ON COLUMN {table}.{column} IS '{comment}'")


def _tables() -> list[str]:
    """Quoted names of the table, its leaves and those of unfinished builds."""
    query = (
        f"SELECT oid::regclass::text FROM pg_class WHERE relnamespace = '{_SCHEMA}'::regnamespace "
        "AND relkind IN ('r', 'p') AND relname ~ '^refs(_[0-9]+|_shared)?$'"
    )
    return [name for (name,) in op.get_bind().execute(sa.text(query))]
