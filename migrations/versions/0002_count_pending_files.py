"""Remember how many files an interrupted run left for the next one."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "indexes",
        sa.Column(
            "pending_file_count",
            sa.Integer(),
            nullable=False,
            server_default="0",
            comment="files that an interrupted run left for the next one",
        ),
        schema="cocosearch_py",
    )


def downgrade() -> None:
    op.drop_column("indexes", "pending_file_count", schema="cocosearch_py")
