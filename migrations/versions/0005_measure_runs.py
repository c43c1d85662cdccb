"""Remember how fast the runs of an index are on this machine."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "indexes",
        sa.Column(
            "bytes_per_second",
            sa.Double(),
            nullable=True,
            comment="source bytes per second of the last run that read enough to tell; else null",
        ),
        schema="cocosearch_py",
    )


def downgrade() -> None:
    op.drop_column("indexes", "bytes_per_second", schema="cocosearch_py")
