"""Remember what kind of content a file has: code, tests, documents, vendored, generated, ...

The classes of the files that are there stay unknown until the next run of their index.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_FILES = "cocosearch_py.files"
_CLASS_COMMENT = (
    "code, tests, docs, config, data, vendored, generated, lock, snapshot or issue_template; null until known"
)
# (comment below this revision, comment from it on)
_RULE_COMMENTS = (
    "the rule that matched, for example .gitignore:3: build/",
    "the rule that left it out or gave it its class: .gitignore:3: build/",
)


def upgrade() -> None:
    op.add_column(
        "files", sa.Column("content_class", sa.Text(), nullable=True, comment=_CLASS_COMMENT), schema="cocosearch_py"
    )
    for table in _files_and_leaves():
        op.execute(f"COMMENT ON COLUMN {table}.content_class IS '{_CLASS_COMMENT}'")
        op.execute(f"COMMENT ON COLUMN {table}.rule IS '{_RULE_COMMENTS[1]}'")


def downgrade() -> None:
    op.execute(f"UPDATE {_FILES} SET rule = NULL WHERE status = 'indexed' AND rule IS NOT NULL")
    op.drop_column("files", "content_class", schema="cocosearch_py")
    for table in _files_and_leaves():
        op.execute(f"COMMENT ON COLUMN {table}.rule IS '{_RULE_COMMENTS[0]}'")


def _files_and_leaves() -> list[str]:
    """Quoted names of the table and of its leaves, which do not inherit comments."""
    leaves = op.get_bind().execute(
        sa.text(f"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{_FILES}'::regclass ORDER BY 1")
    )
    return [_FILES, *(name for (name,) in leaves)]
