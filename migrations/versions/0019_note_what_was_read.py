"""Remember up to when an index, or a build, has what the system changed."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_COMMENTS = {
    "indexes": "it has what the system changed up to then: start of the last run that looked at all files; else null",
    "builds": "its files are as they were then, or later: start of the last run that went on with it",
}


def upgrade() -> None:
    for table, comment in _COMMENTS.items():
        column = sa.Column("read_at", sa.DateTime(timezone=True), nullable=True, comment=comment)
        op.add_column(table, column, schema="cocosearch_py")


def downgrade() -> None:
    for table in _COMMENTS:
        op.drop_column(table, "read_at", schema="cocosearch_py")
