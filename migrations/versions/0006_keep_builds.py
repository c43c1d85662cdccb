"""Remember builds that were interrupted, so that the next run goes on with what they have committed."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"


def upgrade() -> None:
    op.create_table(
        "builds",
        sa.Column(
            "index_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="number of its rows, which no index has; attached to no table unless they are in the shared leaves",
        ),
        sa.Column("name", sa.Text(), nullable=False, comment="index that it is to become"),
        sa.Column("root_path", sa.Text(), nullable=False, comment="canonical absolute path of the folder"),
        sa.Column("shape", JSONB(), nullable=False, comment="what a run must have in common with it to go on with it"),
        sa.Column("file_count", sa.Integer(), nullable=False, comment="files that have their rows"),
        sa.Column("pending_file_count", sa.Integer(), nullable=False, comment="files that were still to be read"),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False, comment="when it was last committed"),
        sa.PrimaryKeyConstraint("index_id"),
        sa.UniqueConstraint("name"),
        schema=_SCHEMA,
        comment="Unfinished builds of indexes; the next run of the index goes on with one, and removes its row.",
    )


def downgrade() -> None:
    numbers = [row[0] for row in op.get_bind().execute(sa.text(f"SELECT index_id FROM {_SCHEMA}.builds"))]
    for parent, own in _tables(numbers):
        if own:
            op.execute(f"DROP TABLE {own}")
        elif numbers:
            op.execute(f"DELETE FROM {parent} WHERE index_id IN ({', '.join(map(str, numbers))})")
    op.drop_table("builds", schema=_SCHEMA)


def _tables(numbers: list[int]) -> list[tuple[str, str | None]]:
    """Quoted names of the fact tables, each with None, then with each table that a build has beside it."""
    query = (
        "SELECT p.oid::regclass::text, NULL FROM pg_class p "
        f"WHERE p.relnamespace = '{_SCHEMA}'::regnamespace AND p.relkind = 'p' UNION ALL "
        "SELECT p.oid::regclass::text, c.oid::regclass::text FROM pg_class p, pg_class c "
        f"WHERE p.relnamespace = '{_SCHEMA}'::regnamespace AND p.relkind = 'p' "
        "AND c.relnamespace = p.relnamespace AND c.relkind = 'r' AND NOT c.relispartition "
        "AND c.relname = ANY(SELECT p.relname || '_' || number FROM unnest(CAST(:numbers AS int[])) number)"
    )
    return [(parent, own) for parent, own in op.get_bind().execute(sa.text(query), {"numbers": numbers})]
