"""Keep the type of what stands before a used name, as far as its file says it.

Indexes have it when they are rebuilt.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_COMMENT = "type of that, as far as its file says it"


def upgrade() -> None:
    op.add_column("refs", sa.Column("receiver", sa.Text(), comment=_COMMENT), schema=_SCHEMA)
    for leaf in _tables("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{}.refs'::regclass"):
        op.execute(f"COMMENT ON COLUMN {leaf}.receiver IS '{_COMMENT}'")
    for build in _detached():
        op.execute(f"ALTER TABLE {build} ADD COLUMN receiver text")
        op.execute(f"COMMENT ON COLUMN {build}.receiver IS '{_COMMENT}'")


def downgrade() -> None:
    op.drop_column("refs", "receiver", schema=_SCHEMA)
    for build in _detached():
        op.execute(f"ALTER TABLE {build} DROP COLUMN receiver")


def _detached() -> list[str]:
    """Quoted names of the tables that unfinished builds have."""
    return _tables(
        "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = '{}'::regnamespace "
        "AND relkind = 'r' AND NOT relispartition AND relname ~ '^refs_[0-9]+$'"
    )


def _tables(query: str) -> list[str]:
    return [name for (name,) in op.get_bind().execute(sa.text(query.format(_SCHEMA)))]
