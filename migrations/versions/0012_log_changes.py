"""Log the changes of files, one log a folder; what files held before changes is kept beside it."""

from collections.abc import Sequence

from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_TIME = "timestamp with time zone DEFAULT now() NOT NULL"
# Table -> (comment, constraints, columns with their comments).
_TABLES = {
    "change_logs": (
        "One row per folder whose changes are logged; the log is no part of an index, and outlives all.",
        "PRIMARY KEY (root_path)",
        (
            ("root_path", "text NOT NULL", "canonical absolute path of the folder"),
            (
                "last_seq",
                "bigint NOT NULL",
                "of the last change; whoever adds one locks this row until it commits",
            ),
        ),
    ),
    "changes": (
        "One row per change of a file, made or seen; rows without seq are intents.",
        "PRIMARY KEY (change_id)",
        (
            ("change_id", "bigint GENERATED ALWAYS AS IDENTITY NOT NULL", "in order of intents"),
            ("root_path", "text NOT NULL", "folder; see change_logs"),
            ("seq", "bigint", "number in the log of the folder, in order of commits; null: about to be made"),
            ("path", "text NOT NULL", "file, relative to the folder"),
            (
                "op",
                "text NOT NULL",
                "create, replace, insert, delete, overwrite or undo; added, modified or deleted if only seen",
            ),
            (
                "source",
                "text NOT NULL",
                "agent: made through the program; watcher: seen on disk by a run or before an answer",
            ),
            ("author", "text DEFAULT '' NOT NULL", "client or command that made it"),
            ("hash_before", "text", "BLAKE2b-128 of the bytes on disk; null: no such file, or not read"),
            ("hash_after", "text", "the same after the change"),
            ("at", _TIME, "when it was written to the log; while it is about to be made, when that was said"),
            ("undoes", "bigint", "seq of the change that it takes back"),
            (
                "sure",
                "boolean DEFAULT true NOT NULL",
                "false: its process died, and the file had changed again when it was looked at",
            ),
            ("host", "text", "machine and account of an intent; null afterwards"),
            ("process", "text", "mark of the process of an intent; null afterwards"),
            ("token", "text", "part of the name of its temporary file; null afterwards"),
        ),
    ),
    "change_images": (
        "What files held before changes and after them, as long as that is kept.",
        f"PRIMARY KEY (change_id), FOREIGN KEY (change_id) REFERENCES {_SCHEMA}.changes (change_id) ON DELETE CASCADE",
        (
            ("change_id", "bigint NOT NULL", "see changes"),
            ("before", "bytea", "content before the change, by zlib; null: there was no file"),
            ("start_byte", "integer NOT NULL", "first byte of it that was replaced"),
            ("end_byte", "integer NOT NULL", "byte behind the last one that was replaced"),
            ("inserted", "bytea", "what is there instead, by zlib; null: there is no file now"),
            ("mode", "integer", "permission bits of the file"),
            ("kept_at", _TIME, "when it was written"),
        ),
    ),
}
_AFTERWARDS = (
    "CREATE UNIQUE INDEX changes_by_seq ON cocosearch_py.changes (root_path, seq)",
    "CREATE INDEX changes_by_path ON cocosearch_py.changes (root_path, path, change_id)",
    "CREATE INDEX changes_pending ON cocosearch_py.changes (root_path) WHERE seq IS NULL",
    # Compressed already.
    "ALTER TABLE cocosearch_py.change_images ALTER before SET STORAGE EXTERNAL, ALTER inserted SET STORAGE EXTERNAL",
)


def upgrade() -> None:
    for table, (comment, constraints, columns) in _TABLES.items():
        fields = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
        op.execute(f"CREATE TABLE {_SCHEMA}.{table} ({fields}, {constraints})")
        op.execute(f"COMMENT ON TABLE {_SCHEMA}.{table} IS '{comment}'")
        for name, _, text in columns:
            op.execute(f"COMMENT ON COLUMN {_SCHEMA}.{table}.{name} IS '{text}'")
    for statement in _AFTERWARDS:
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table, schema=_SCHEMA)
