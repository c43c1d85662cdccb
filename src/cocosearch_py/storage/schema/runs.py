"""The tables of runs as Alembic sees them: what was asked for, what became of it, who works on it."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

_NOW, _NONE, _EMPTY = text("now()"), text("'[]'"), text("''")


def define(metadata: MetaData) -> None:
    """Add the tables `runs`, `run_events` and `workers`."""
    _define_events(_define_runs(metadata))
    _define_workers(metadata)


def _define_runs(metadata: MetaData) -> Table:
    runs = Table(
        "runs",
        metadata,
        Column("run_id", Text, primary_key=True, comment="made at random; what people give to commands"),
        Column(
            "job_id",
            BigInteger,
            comment="job of the queue in schema cocosearch_jobs; null: a command or server does it itself",
        ),
        Column(
            "index_name",
            Text,
            nullable=False,
            comment="index that is made or brought up to date; it may not be there yet",
        ),
        Column("root_path", Text, nullable=False, comment="canonical absolute path of the folder"),
        Column("host", Text, nullable=False, comment="machine and account on which the path means that folder"),
        Column("state", Text, nullable=False, comment="queued, running, completed, failed or cancelled"),
        Column(
            "stage",
            Text,
            nullable=False,
            server_default=_EMPTY,
            comment="acquire, parse, embed, graph or finalize; empty before it begins",
        ),
        Column("request", JSONB, nullable=False, comment="options and settings of the run, without secrets"),
        _count("attempt", "how often it was begun; only the latest may commit"),
        _count("deaths", "processes in a row that ended at the same place of it"),
        _files("death_files", "files that all of these had in hand"),
        _files("in_hand", "files that are being read or written now, relative to the folder"),
        _count("files_done", "files of files_total that are written"),
        _count("files_total", "files that are to be read; 0 until that is known"),
        _count("bytes_done", "their size as far as they are written", big=True),
        _count("bytes_total", "their size", big=True),
        _count("progress", "percent, by bytes; never falls"),
        Column(
            "cancel_requested",
            Boolean,
            nullable=False,
            server_default=text("false"),
            comment="somebody asked it to stop",
        ),
        Column("result", JSONB, comment="what it did, when it has ended"),
        Column("error", JSONB, comment="why it failed"),
        _time("created_at", "when it was asked for", now=True),
        _time("started_at", "when it first began"),
        Column("process", Text, nullable=False, server_default=_EMPTY, comment="mark of the process that does it"),
        _time("heartbeat_at", "when its process last said that it lives"),
        _time("ended_at", "when it ended"),
        comment="One row per run of indexing that began or waits to begin; old ones are removed.",
    )
    Index("runs_by_index", runs.c.index_name, runs.c.created_at)
    Index("runs_unfinished", runs.c.index_name, postgresql_where=text("state IN ('queued', 'running')"))
    return runs


def _define_events(runs: Table) -> None:
    events = Table(
        "run_events",
        runs.metadata,
        Column("event_id", BigInteger, Identity(always=True), primary_key=True, comment="in order of time"),
        Column("run_id", Text, ForeignKey(runs.c.run_id, ondelete="CASCADE"), nullable=False, comment="see runs"),
        _time("at", "when", now=True),
        Column(
            "kind",
            Text,
            nullable=False,
            comment="queued, begun, stage, warning, rescued or the state in which it ended",
        ),
        Column("message", Text, nullable=False, server_default=_EMPTY, comment="the same for people"),
        comment="What happened to runs: the log that people read.",
    )
    Index("run_events_by_run", events.c.run_id)


def _define_workers(metadata: MetaData) -> None:
    Table(
        "workers",
        metadata,
        Column("worker_id", Text, primary_key=True, comment="made at random"),
        Column("host", Text, nullable=False, comment="whose runs it works on; see runs"),
        Column("process", Text, nullable=False, comment="mark of the process"),
        _time("started_at", "when it began", now=True),
        _time("heartbeat_at", "when it last said that it lives", now=True),
        comment="Processes that work on queued runs; one that says nothing for long is gone.",
    )


def _count(name: str, comment: str, *, big: bool = False) -> Column[int]:
    return Column(name, BigInteger if big else Integer, nullable=False, server_default=text("0"), comment=comment)


def _files(name: str, comment: str) -> Column[object]:
    return Column(name, JSONB, nullable=False, server_default=_NONE, comment=comment)


def _time(name: str, comment: str, *, now: bool = False) -> Column[object]:
    kind = DateTime(timezone=True)
    if now:
        return Column(name, kind, nullable=False, server_default=_NOW, comment=comment)
    return Column(name, kind, comment=comment)
