"""References name what files export under another name, and imports the function that alone sees them.

Indexes have both when they are rebuilt.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0019"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_COMMENTS = (  # column, old comment, new comment
    (
        "kind",
        "call, type, inherit, read, computed: by a name made at run time; gives and holds tell types",
        "call, type, inherit, read, computed: by a name made at run time; gives and holds tell types; exports: a "
        "definition under another name or as the default",
    ),
    (
        "name",
        "the identifier alone: b of a.b(); … if it is computed; →b where a type is told",
        "identifier alone: b of a.b(); … if computed; →b for a declared type; ⇒ for an export",
    ),
    (
        "qualifier",
        "what stands before it: a of a.b(); empty for nothing, … for an expression",
        "what stands before it: a of a.b(); empty for nothing, … for an expression; of exports the exported name",
    ),
    (
        "receiver",
        "type of that, as far as its file says it, or how it is got: f(); of a computed name its text: visit_…",
        "type of that, as far as its file says it, or how it is got: f(); of a computed name its text: visit_…; of "
        "exports the local name",
    ),
)

# The table, its leaves and those of unfinished builds.
_COMMENT = """DO $$ DECLARE one regclass; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relnamespace = '{schema}'::regnamespace
        AND relkind = ANY('{{r,p}}') AND relname ~ '^refs(_[0-9]+|_shared)?$'
    LOOP EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', one, '{column}', '{comment}'); END LOOP;
END $$"""
_SYMBOL = "innermost function around it, which alone sees it; see symbols"


def upgrade() -> None:
    op.add_column("imports", sa.Column("symbol_no", sa.Integer(), comment=_SYMBOL), schema=_SCHEMA)
    for leaf in _tables("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{}.imports'::regclass"):
        op.execute(f"COMMENT ON COLUMN {leaf}.symbol_no IS '{_SYMBOL}'")
    for build in _detached():
        op.execute(f"ALTER TABLE {build} ADD COLUMN symbol_no integer")
        op.execute(f"COMMENT ON COLUMN {build}.symbol_no IS '{_SYMBOL}'")
    for column, _, now in _COMMENTS:
        op.execute(_COMMENT.format(schema=_SCHEMA, column=column, comment=now))


def downgrade() -> None:
    op.drop_column("imports", "symbol_no", schema=_SCHEMA)
    for build in _detached():
        op.execute(f"ALTER TABLE {build} DROP COLUMN symbol_no")
    for column, before, _ in _COMMENTS:
        op.execute(_COMMENT.format(schema=_SCHEMA, column=column, comment=before))
    op.execute(f"DELETE FROM {_SCHEMA}.refs WHERE kind = 'exports'")


def _detached() -> list[str]:
    """Quoted names of the tables that unfinished builds have."""
    return _tables(
        "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = '{}'::regnamespace "
        "AND relkind = 'r' AND NOT relispartition AND relname ~ '^imports_[0-9]+$'"
    )


def _tables(query: str) -> list[str]:
    return [name for (name,) in op.get_bind().execute(sa.text(query.format(_SCHEMA)))]
