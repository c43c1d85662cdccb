"""What files held before changes is compressed by Zstandard, which takes a third of the time; what was kept stays."""

from collections.abc import Sequence

from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_IMAGES = "cocosearch_py.change_images"
_TOLD = (
    ("before", "content before the change, by {}; null: there was no file"),
    ("inserted", "what is there instead, by {}; null: there is no file now"),
)


def upgrade() -> None:
    for column, comment in _TOLD:
        op.execute(f"COMMENT ON COLUMN {_IMAGES}.{column} IS '{comment.format('Zstandard or zlib')}'")


def downgrade() -> None:
    op.execute(f"DELETE FROM {_IMAGES} WHERE substr(before, 1, 1) <> '\\x78' OR substr(inserted, 1, 1) <> '\\x78'")
    for column, comment in _TOLD:
        op.execute(f"COMMENT ON COLUMN {_IMAGES}.{column} IS '{comment.format('zlib')}'")
