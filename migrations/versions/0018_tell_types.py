"""Among references is what functions give and attributes hold. Indexes have it when they are rebuilt."""

from collections.abc import Sequence

from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_COMMENTS = (  # column, what it was, what it is
    (
        "kind",
        "call, type, inherit, read, or computed: by a name made at run time",
        "call, type, inherit, read, computed: by a name made at run time; gives and holds tell types",
    ),
    (
        "name",
        "the identifier alone: b of a.b(); … if it is computed",
        "the identifier alone: b of a.b(); … if it is computed; →b where a type is told",
    ),
    (
        "receiver",
        "type of that, as far as its file says it; of a computed name what is written: visit_…",
        "type of that, as far as its file says it, or how it is got: f(); of a computed name its text: visit_…",
    ),
)


# The table, its leaves and those of unfinished builds.
_TELL = """DO $$ DECLARE one regclass; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relnamespace = '{schema}'::regnamespace
        AND relkind = ANY('{{r,p}}') AND relname ~ '^refs(_[0-9]+|_shared)?$'
    LOOP EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', one, '{column}', '{comment}'); END LOOP;
END $$"""


def upgrade() -> None:
    for column, _, now in _COMMENTS:
        op.execute(_TELL.format(schema=_SCHEMA, column=column, comment=now))


def downgrade() -> None:
    for column, before, _ in _COMMENTS:
        op.execute(_TELL.format(schema=_SCHEMA, column=column, comment=before))
    op.execute(f"DELETE FROM {_SCHEMA}.refs WHERE kind IN ('gives', 'holds')")
