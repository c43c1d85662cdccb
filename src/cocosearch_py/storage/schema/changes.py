"""The tables of the change log as Alembic sees them: a log a project, its changes, and what files held before them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

_NOW = text("now()")


def define(metadata: MetaData) -> None:
    """Add the tables `change_logs`, `changes` and `change_images`."""
    Table(
        "change_logs",
        metadata,
        Column("root_path", Text, primary_key=True, comment="canonical absolute path of the folder"),
        Column(
            "last_seq",
            BigInteger,
            nullable=False,
            comment="of the last change; whoever adds one locks this row until it commits",
        ),
        comment="One row per folder whose changes are logged; the log is no part of an index, and outlives all.",
    )
    changes = _define_changes(metadata)
    Table(
        "change_images",
        metadata,
        Column(
            "change_id",
            BigInteger,
            ForeignKey(changes.c.change_id, ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
            comment="see changes",
        ),
        Column(
            "before", LargeBinary, comment="content before the change, by Zstandard or zlib; null: there was no file"
        ),
        Column("start_byte", Integer, nullable=False, comment="first byte of it that was replaced"),
        Column("end_byte", Integer, nullable=False, comment="byte behind the last one that was replaced"),
        Column(
            "inserted", LargeBinary, comment="what is there instead, by Zstandard or zlib; null: there is no file now"
        ),
        Column("mode", Integer, comment="permission bits of the file"),
        _time("kept_at", "when it was written"),
        comment="What files held before changes and after them, as long as that is kept.",
    )


def _define_changes(metadata: MetaData) -> Table:
    changes = Table(
        "changes",
        metadata,
        Column("change_id", BigInteger, Identity(always=True), primary_key=True, comment="in order of intents"),
        Column("root_path", Text, nullable=False, comment="folder; see change_logs"),
        Column(
            "seq",
            BigInteger,
            comment="number in the log of the folder, in order of commits; null: about to be made",
        ),
        Column("path", Text, nullable=False, comment="file, relative to the folder"),
        Column(
            "op",
            Text,
            nullable=False,
            comment="create, replace, insert, delete, overwrite or undo; added, modified or deleted if only seen",
        ),
        Column(
            "source",
            Text,
            nullable=False,
            comment="agent: made through the program; watcher: seen on disk by a run or before an answer",
        ),
        Column("author", Text, nullable=False, server_default=text("''"), comment="client or command that made it"),
        Column("hash_before", Text, comment="BLAKE2b-128 of the bytes on disk; null: no such file, or not read"),
        Column("hash_after", Text, comment="the same after the change"),
        _time("at", "when it was written to the log; while it is about to be made, when that was said"),
        Column("undoes", BigInteger, comment="seq of the change that it takes back"),
        Column(
            "sure",
            Boolean,
            nullable=False,
            server_default=text("true"),
            comment="false: its process died, and the file had changed again when it was looked at",
        ),
        Column("host", Text, comment="machine and account of an intent; null afterwards"),
        Column("process", Text, comment="mark of the process of an intent; null afterwards"),
        Column("token", Text, comment="part of the name of its temporary file; null afterwards"),
        comment="One row per change of a file, made or seen; rows without seq are intents.",
    )
    Index("changes_by_seq", changes.c.root_path, changes.c.seq, unique=True)
    Index("changes_by_path", changes.c.root_path, changes.c.path, changes.c.change_id)
    Index("changes_pending", changes.c.root_path, postgresql_where=text("seq IS NULL"))
    return changes


def _time(name: str, comment: str) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=_NOW, comment=comment)
