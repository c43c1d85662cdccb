"""Keep wikis: pages about repositories in every version, what they link to, and what went wrong before.

No table here belongs to an index: rebuilding or clearing one leaves them as they are.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_PAGE = f"FOREIGN KEY (wiki_id, page_id) REFERENCES {_SCHEMA}.wiki_pages (wiki_id, page_id) ON DELETE CASCADE"
_NOW = "timestamp with time zone DEFAULT now() NOT NULL"
_LATER = "timestamp with time zone"
# Table -> (comment, constraints, columns with their comments).
_TABLES = {
    "wikis": (
        "One row per wiki; a repository has one that is not archived.",
        "PRIMARY KEY (wiki_id)",
        (
            ("wiki_id", "bigint GENERATED ALWAYS AS IDENTITY NOT NULL", "number of the wiki"),
            (
                "repository",
                "text NOT NULL",
                "canonical absolute path of the repository that all its worktrees share, or of the folder",
            ),
            ("git_ref", "text", "commit from which on changes are to be looked at; null without git"),
            ("generation", "bigint DEFAULT 0 NOT NULL", "grows with everything that is written; caches key on it"),
            ("created_at", _NOW, "when it was made"),
            ("updated_at", _NOW, "when something was last written"),
            ("archived_at", _LATER, "when another took its place; null: it is the one of the repository"),
        ),
    ),
    "wiki_pages": (
        "One row per page of a wiki; the text is in wiki_versions.",
        f"PRIMARY KEY (wiki_id, page_id), FOREIGN KEY (wiki_id) REFERENCES {_SCHEMA}.wikis (wiki_id) ON DELETE CASCADE",
        (
            ("wiki_id", "bigint NOT NULL", "see wikis"),
            ("page_id", "text NOT NULL", "what links name it by"),
            ("version", "integer NOT NULL", "the latest in wiki_versions"),
            ("page_type", "text NOT NULL", "architecture, module, entity or topic"),
            ("headings", "jsonb DEFAULT '[]' NOT NULL", "headings of the latest version, in order"),
            ("created_at", _NOW, "when it was first written"),
        ),
    ),
    "wiki_versions": (
        "Every version of every page.",
        f"PRIMARY KEY (wiki_id, page_id, version), {_PAGE}",
        (
            ("wiki_id", "bigint NOT NULL", "see wikis"),
            ("page_id", "text NOT NULL", "see wiki_pages"),
            ("version", "integer NOT NULL", "counts from 1"),
            ("title", "text NOT NULL", "what people call the page"),
            ("content", "text NOT NULL", "Markdown"),
            (
                "sources",
                "jsonb DEFAULT '[]' NOT NULL",
                "files and symbols that it is about: path, symbol, hash, file_hash, size_bytes as they were then",
            ),
            ("author", "text NOT NULL", "who wrote it"),
            ("reason", "text NOT NULL", "written, compounded, restored or imported"),
            ("written_at", _NOW, "when"),
        ),
    ),
    "wiki_links": (
        "Links of the latest version of each page to others.",
        f"PRIMARY KEY (wiki_id, page_id, link_no), {_PAGE}",
        (
            ("wiki_id", "bigint NOT NULL", "see wikis"),
            ("page_id", "text NOT NULL", "the page that has the link"),
            ("link_no", "integer NOT NULL", "position in the page, from 1"),
            ("target", "text NOT NULL", "page that it names; there may be none"),
            ("heading", "text", "heading in that page; null: all of it"),
            ("line", "integer NOT NULL", "line of the page, from 1"),
        ),
    ),
    "wiki_failures": (
        "Attempts that failed, so that nobody repeats them.",
        f"PRIMARY KEY (wiki_id, page_id, failure_no), {_PAGE}",
        (
            ("wiki_id", "bigint NOT NULL", "see wikis"),
            ("page_id", "text NOT NULL", "page that they are kept with"),
            ("failure_no", "integer NOT NULL", "counts from 1 in each page"),
            ("symptom", "text NOT NULL", "what was observed"),
            ("attempted_fix", "text NOT NULL", "what was tried"),
            ("diagnosis", "text NOT NULL", "why that did not help"),
            ("actual_fix", "text", "what helped, if that is known"),
            ("source_files", "jsonb DEFAULT '[]' NOT NULL", "files that it is about"),
            ("author", "text NOT NULL", "who recorded it"),
            ("recorded_at", _NOW, "when"),
            ("resolved_at", _LATER, "when it was said to be dealt with; null: it is open"),
        ),
    ),
    "wiki_contradictions": (
        "What contradicts a page.",
        f"PRIMARY KEY (wiki_id, page_id, contradiction_no), {_PAGE}",
        (
            ("wiki_id", "bigint NOT NULL", "see wikis"),
            ("page_id", "text NOT NULL", "page that is contradicted"),
            ("contradiction_no", "integer NOT NULL", "counts from 1 in each page"),
            ("description", "text NOT NULL", "what does not agree"),
            ("source", "text", "where that is said; null: not told"),
            ("author", "text NOT NULL", "who recorded it"),
            ("recorded_at", _NOW, "when"),
            ("resolved_at", _LATER, "when it was said to be dealt with; null: it is open"),
        ),
    ),
}
_INDEXES = (
    "CREATE UNIQUE INDEX wikis_by_repository ON cocosearch_py.wikis (repository) WHERE archived_at IS NULL",
    "CREATE INDEX wiki_links_by_target ON cocosearch_py.wiki_links (wiki_id, target)",
)


def upgrade() -> None:
    for table, (comment, constraints, columns) in _TABLES.items():
        fields = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
        op.execute(f"CREATE TABLE {_SCHEMA}.{table} ({fields}, {constraints})")
        op.execute(f"COMMENT ON TABLE {_SCHEMA}.{table} IS '{comment}'")
        for name, _, text in columns:
            op.execute(f"COMMENT ON COLUMN {_SCHEMA}.{table}.{name} IS '{text}'")
    for statement in _INDEXES:
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table, schema=_SCHEMA)
