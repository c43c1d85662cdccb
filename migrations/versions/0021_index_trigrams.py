"""Find exact text by pg_trgm instead of lists of trigrams.

Large indexes get their GIN index with their next run that changes something. Where the server has no pg_trgm, or the
user may not create it, there is none.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_TABLES = ("grams", "posted_files")
CREATE_EXTENSION = """DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN NULL;
END $$"""


def upgrade() -> None:
    op.execute(CREATE_EXTENSION)
    for table in _TABLES:
        op.drop_table(table, schema=_SCHEMA)
        for build in _tables(f"relkind = 'r' AND relname ~ '^{table}_[0-9]+$'"):
            op.execute(f"DROP TABLE {build}")


def downgrade() -> None:
    for index in _tables(
        "relkind = 'i' AND oid IN (SELECT indexrelid FROM pg_index WHERE indclass[0] IN "
        "(SELECT oid FROM pg_opclass WHERE opcname = 'gin_trgm_ops'))"
    ):
        op.execute(f"DROP INDEX {index}")
    script = op.get_context().script
    assert script is not None
    script.get_revision("0008").module.upgrade()


def _tables(condition: str) -> list[str]:
    """Quoted names of tables or indexes of our schema."""
    query = f"SELECT oid::regclass::text FROM pg_class WHERE relnamespace = '{_SCHEMA}'::regnamespace AND {condition}"
    return [name for (name,) in op.get_bind().execute(sa.text(query))]
