"""References name what files export under another name. Indexes have these names when they are rebuilt."""

from collections.abc import Sequence

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
        "the identifier alone: b of a.b(); … if it is computed; →b where a type is told; ⇒ of exports",
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


def upgrade() -> None:
    for column, _, now in _COMMENTS:
        op.execute(_COMMENT.format(schema=_SCHEMA, column=column, comment=now))


def downgrade() -> None:
    for column, before, _ in _COMMENTS:
        op.execute(_COMMENT.format(schema=_SCHEMA, column=column, comment=before))
    op.execute(f"DELETE FROM {_SCHEMA}.refs WHERE kind = 'exports'")
