"""Give each index an id that stays, and keep what is cleared for a day."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB
from ulid import ULID

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_ULID = "ULID, by which programs know it; stays the same as long as the index is there"


def upgrade() -> None:
    op.add_column("indexes", sa.Column("ulid", sa.Text(), nullable=True, comment=_ULID), schema=_SCHEMA)
    bind = op.get_bind()
    for index_id, created_at in bind.execute(sa.text(f"SELECT index_id, created_at FROM {_SCHEMA}.indexes")).all():
        values = {"index_id": index_id, "ulid": str(ULID.from_datetime(created_at))}
        bind.execute(sa.text(f"UPDATE {_SCHEMA}.indexes SET ulid = :ulid WHERE index_id = :index_id"), values)
    op.alter_column("indexes", "ulid", nullable=False, existing_type=sa.Text(), schema=_SCHEMA)
    op.create_unique_constraint("indexes_ulid_key", "indexes", ["ulid"], schema=_SCHEMA)
    op.create_table(
        "identities",
        sa.Column("name", sa.Text(), nullable=False, comment="index that is to be made"),
        sa.Column("root_path", sa.Text(), nullable=False, comment="canonical absolute path of its folder"),
        sa.Column("ulid", sa.Text(), nullable=False, comment="what indexes.ulid will be"),
        sa.PrimaryKeyConstraint("name"),
        sa.UniqueConstraint("ulid"),
        schema=_SCHEMA,
        comment="Ids of indexes whose first run has not ended; the run that makes the index removes its row.",
    )
    op.create_table(
        "cleared",
        sa.Column(
            "index_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="number of its rows, which no index has now",
        ),
        sa.Column("name", sa.Text(), nullable=False, comment="what the index was called"),
        sa.Column("root_path", sa.Text(), nullable=False, comment="canonical absolute path of its folder"),
        sa.Column("ulid", sa.Text(), nullable=False, comment="ULID of the index"),
        sa.Column("chunk_count", sa.Integer(), nullable=False, comment="its chunks"),
        sa.Column("record", JSONB(), nullable=False, comment="its row of table indexes"),
        sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=False, comment="when it was cleared"),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False, comment="from then on it may be removed"),
        sa.PrimaryKeyConstraint("index_id"),
        schema=_SCHEMA,
        comment="Indexes that were cleared and can still be restored; nobody sees their rows.",
    )


def downgrade() -> None:
    bind = op.get_bind()
    numbers = [row[0] for row in bind.execute(sa.text(f"SELECT index_id FROM {_SCHEMA}.cleared"))]
    for table, shared in _fact_tables() if numbers else ():
        for number in numbers:
            op.execute(f"DROP TABLE IF EXISTS {_SCHEMA}.{table}_{number}")
        op.execute(f"DELETE FROM {shared} WHERE index_id IN ({', '.join(map(str, numbers))})")
    op.drop_table("cleared", schema=_SCHEMA)
    op.drop_table("identities", schema=_SCHEMA)
    op.drop_column("indexes", "ulid", schema=_SCHEMA)


def _fact_tables() -> list[tuple[str, str]]:
    """Names of the fact tables, each with that of the leaf that small indexes share."""
    query = f"SELECT relname FROM pg_class WHERE relnamespace = '{_SCHEMA}'::regnamespace AND relkind = 'p'"
    return [(name, f"{_SCHEMA}.{name}_shared") for (name,) in op.get_bind().execute(sa.text(query))]
