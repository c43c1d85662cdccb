"""Pages of wikis can be removed and renamed, and are found by the texts of links to them.

Versions of such pages stay, and an old id leads to the new one. Links of pages that were written before this have no
text until the page is written again.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_PAGES = "cocosearch_py.wiki_pages"
_LINKS = "cocosearch_py.wiki_links"
_REASON = "COMMENT ON COLUMN cocosearch_py.wiki_versions.reason IS"


def upgrade() -> None:
    op.execute(f"ALTER TABLE {_PAGES} ADD removed_at timestamp with time zone, ADD moved_to text")
    op.execute(f"COMMENT ON COLUMN {_PAGES}.removed_at IS 'when it was removed or renamed; null: it is there'")
    op.execute(f"COMMENT ON COLUMN {_PAGES}.moved_to IS 'page that the id of a removed one leads to; null: none'")
    op.execute(f"{_REASON} 'written, compounded, restored, imported or renamed'")
    op.execute(f"ALTER TABLE {_LINKS} ADD label text")
    op.execute(f"COMMENT ON COLUMN {_LINKS}.label IS 'text that is shown for the link; null: none of its own'")


def downgrade() -> None:
    op.execute(f"ALTER TABLE {_LINKS} DROP label")
    op.execute(f"DELETE FROM {_PAGES} WHERE removed_at IS NOT NULL")
    op.execute(f"ALTER TABLE {_PAGES} DROP removed_at, DROP moved_to")
    op.execute(f"{_REASON} 'written, compounded, restored or imported'")
