"""`db`: address, schema and shell of the database."""

import os
import shutil
import sys
from urllib.parse import quote

from cocosearch_py.cli.opening import open_app
from cocosearch_py.cli.program import (
    DowngradeArguments,
    PassedArguments,
    RemainsArguments,
    UpgradeArguments,
    UrlArguments,
)
from cocosearch_py.cli.questions import confirmed
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import CocosearchError, SafetyError
from cocosearch_py.model.redaction import redact
from cocosearch_py.storage.server import administration, embedded, homes

_SEARCH_PATH = "-c search_path=cocosearch_py,public"
_EXIT_DECLINED = 1


def url(session: Session, asked: UrlArguments) -> None:
    """Print the URL of the database; starts the embedded server so that the URL works."""
    app = open_app(session)
    server = app.database.server
    if server is None:
        address = app.database.dsn
    else:
        app.database.start()
        folder = quote(str(server.socket_dir), safe="/")
        address = f"postgresql://{embedded.SUPERUSER}@/{embedded.DATABASE_NAME}?host={folder}"
    if not asked.show_password:
        address = redact(address)
    if asked.sqlalchemy:
        address = "postgresql+psycopg://" + address.partition("://")[2]
    if session.asked_json:
        session.emit({"url": address, "embedded": server is not None})
    else:
        session.say_data(address)


def current(session: Session) -> None:
    """Print the revision of the database schema, and the newest revision."""
    facts = administration.database_facts(open_app(session).database)
    if session.json:
        session.emit({"revision": facts.revision, "newest": facts.newest_revision})
        return
    newest = "the newest" if facts.revision == facts.newest_revision else f"newest is {facts.newest_revision}"
    session.say(f"{facts.revision or 'no schema'} ({newest})")


def upgrade(session: Session, asked: UpgradeArguments) -> None:
    """Upgrade the schema to the newest or the given revision."""
    _show_revision(session, administration.upgrade_schema(open_app(session).database, asked.revision))


def downgrade(session: Session, asked: DowngradeArguments) -> int:
    """Downgrade the schema to an older revision; data that only newer revisions can hold is lost."""
    if not asked.force:
        if not sys.stdin.isatty():
            raise SafetyError("refused to downgrade without confirmation: indexes may be lost", hint="add --force")
        if not confirmed(f"Downgrade to {asked.revision}? Indexes may be lost."):
            session.note("nothing was changed")
            return _EXIT_DECLINED
    _show_revision(session, administration.downgrade_schema(open_app(session).database, asked.revision))
    return 0


def psql(session: Session, asked: PassedArguments) -> None:
    """Open a psql shell on the database, with this program's schema first in its search path."""
    app = open_app(session)
    program_file, environment = administration.psql(app.database)
    options = " ".join(filter(None, [session.environ.get("PGOPTIONS", ""), _SEARCH_PATH]))
    found = shutil.which(program_file)
    if found is None:
        raise CocosearchError(
            "the program psql is not installed",
            hint="install PostgreSQL's client programs, or use another client with `cocosearch-py db url`",
        )
    app.close()
    sys.stdout.flush()
    os.execve(found, [found, *(asked.arguments or ())], {**session.environ, **environment, "PGOPTIONS": options})


def start(session: Session) -> None:
    """Start the embedded server and upgrade its schema; it stops again when it is not in use."""
    app = open_app(session)
    app.database.start()
    _show_state(session, running=True, text=f"running: {app.database.description}")


def stop(session: Session) -> None:
    """Stop the embedded server and its workers now; the next command starts it again."""
    app = open_app(session)
    if app.database.server is None:
        _show_state(session, running=True, text="the database is not the embedded server; nothing was stopped")
    else:
        _show_state(
            session, running=False, text="stopped" if administration.stop_server(app.database) else "it was not running"
        )


def remains(session: Session, asked: RemainsArguments) -> None:
    """List databases that root's embedded servers left in the system's folder after their data folders were removed."""
    rows = []
    for one in homes.find_remains():
        size_bytes = one.size_bytes()
        removed = asked.remove and not one.kept_because and homes.remove(one)
        rows.append(
            {
                "path": str(one.home),
                "data_folder": one.data_folder,
                "bytes": size_bytes,
                "kept_because": one.kept_because or None,
                "removed": removed,
            }
        )
    if session.json:
        session.emit(rows)
        return
    for row in rows:
        state = "removed" if row["removed"] else row["kept_because"] or "its data folder is gone: --remove removes it"
        session.say(f"{row['path']} ({row['data_folder'] or 'unknown'}), {row['bytes']:,} bytes: {state}")
    if not rows:
        session.say("no databases without a data folder were found")


def _show_revision(session: Session, revision: str | None) -> None:
    if session.json:
        session.emit({"revision": revision})
    else:
        session.say(revision or "no schema")


def _show_state(session: Session, *, running: bool, text: str) -> None:
    if session.json:
        session.emit({"running": running, "message": text})
    else:
        session.say(text)
