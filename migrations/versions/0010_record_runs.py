"""Keep the runs of indexing, so that every process knows of all of them, and the queue of those that wait.

The queue is that of the library procrastinate, in a schema of its own: the tables are the library's, and its statements
make them. A test compares them with those that this revision was written for.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_QUEUE = "cocosearch_jobs"
# Table -> (comment, constraints, columns with their comments).
_TABLES = {
    "runs": (
        "One row per run of indexing that began or waits to begin; old ones are removed.",
        "PRIMARY KEY (run_id)",
        (
            ("run_id", "text NOT NULL", "made at random; what people give to commands"),
            (
                "job_id",
                "bigint",
                "job of the queue in schema cocosearch_jobs; null: a command or server does it itself",
            ),
            ("index_name", "text NOT NULL", "index that is made or brought up to date; it may not be there yet"),
            ("root_path", "text NOT NULL", "canonical absolute path of the folder"),
            ("host", "text NOT NULL", "machine and account on which the path means that folder"),
            ("state", "text NOT NULL", "queued, running, completed, failed or cancelled"),
            ("stage", "text DEFAULT '' NOT NULL", "acquire, parse, embed, graph or finalize; empty before it begins"),
            ("request", "jsonb NOT NULL", "options and settings of the run, without secrets"),
            ("attempt", "integer DEFAULT 0 NOT NULL", "how often it was begun; only the latest may commit"),
            ("deaths", "integer DEFAULT 0 NOT NULL", "processes in a row that ended at the same place of it"),
            ("death_files", "jsonb DEFAULT '[]' NOT NULL", "files that all of these had in hand"),
            (
                "in_hand",
                "jsonb DEFAULT '[]' NOT NULL",
                "files that are being read or written now, relative to the folder",
            ),
            ("files_done", "integer DEFAULT 0 NOT NULL", "files of files_total that are written"),
            ("files_total", "integer DEFAULT 0 NOT NULL", "files that are to be read; 0 until that is known"),
            ("bytes_done", "bigint DEFAULT 0 NOT NULL", "their size as far as they are written"),
            ("bytes_total", "bigint DEFAULT 0 NOT NULL", "their size"),
            ("progress", "integer DEFAULT 0 NOT NULL", "percent, by bytes; never falls"),
            ("cancel_requested", "boolean DEFAULT false NOT NULL", "somebody asked it to stop"),
            ("result", "jsonb", "what it did, when it has ended"),
            ("error", "jsonb", "why it failed"),
            ("created_at", "timestamp with time zone DEFAULT now() NOT NULL", "when it was asked for"),
            ("started_at", "timestamp with time zone", "when it first began"),
            ("process", "text DEFAULT '' NOT NULL", "mark of the process that does it"),
            ("heartbeat_at", "timestamp with time zone", "when its process last said that it lives"),
            ("ended_at", "timestamp with time zone", "when it ended"),
        ),
    ),
    "run_events": (
        "What happened to runs: the log that people read.",
        f"PRIMARY KEY (event_id), FOREIGN KEY (run_id) REFERENCES {_SCHEMA}.runs (run_id) ON DELETE CASCADE",
        (
            ("event_id", "bigint GENERATED ALWAYS AS IDENTITY NOT NULL", "in order of time"),
            ("run_id", "text NOT NULL", "see runs"),
            ("at", "timestamp with time zone DEFAULT now() NOT NULL", "when"),
            ("kind", "text NOT NULL", "queued, begun, stage, warning, rescued or the state in which it ended"),
            ("message", "text DEFAULT '' NOT NULL", "the same for people"),
        ),
    ),
    "workers": (
        "Processes that work on queued runs; one that says nothing for long is gone.",
        "PRIMARY KEY (worker_id)",
        (
            ("worker_id", "text NOT NULL", "made at random"),
            ("host", "text NOT NULL", "whose runs it works on; see runs"),
            ("process", "text NOT NULL", "mark of the process"),
            ("started_at", "timestamp with time zone DEFAULT now() NOT NULL", "when it began"),
            ("heartbeat_at", "timestamp with time zone DEFAULT now() NOT NULL", "when it last said that it lives"),
        ),
    ),
}
_INDEXES = (
    "CREATE INDEX runs_by_index ON cocosearch_py.runs (index_name, created_at)",
    "CREATE INDEX runs_unfinished ON cocosearch_py.runs (index_name) WHERE state IN ('queued', 'running')",
    "CREATE INDEX run_events_by_run ON cocosearch_py.run_events (run_id)",
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
    _make_queue()


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table, schema=_SCHEMA)
    op.execute(f"DROP SCHEMA {_QUEUE} CASCADE")


def _make_queue() -> None:
    """Run the library's statements, which name no schema."""
    connection = op.get_bind().connection.driver_connection
    assert connection is not None
    package = find_spec("procrastinate")  # importing it takes a quarter of a second
    assert package is not None and package.origin is not None
    statements = (Path(package.origin).parent / "sql" / "schema.sql").read_text(encoding="utf-8")
    connection.execute(f"CREATE SCHEMA {_QUEUE}")
    before = connection.execute("SELECT current_setting('search_path')").fetchone()[0]
    connection.execute(f"SET LOCAL search_path = {_QUEUE}")
    connection.execute(statements)
    connection.execute("SELECT set_config('search_path', %s, true)", [before])
