"""`db`: address, schema and shell of the database."""

import os
import shutil
import sys
from typing import Annotated
from urllib.parse import quote

import typer

from cocosearch_py.cli.call import confirmed
from cocosearch_py.cli.command import command
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import CocosearchError, SafetyError

program = typer.Typer(help="Manage the database.", no_args_is_help=True)
_SEARCH_PATH = "-c search_path=cocosearch_py,public"
_EXIT_DECLINED = 1


@program.command("url")
@command
def url(
    session: Session,
    sqlalchemy: Annotated[bool, typer.Option("--sqlalchemy", help="Print it as a SQLAlchemy URL.")] = False,
    show_password: Annotated[bool, typer.Option("--show-password", help="Do not mask the password.")] = False,
) -> None:
    """Print the URL of the database; starts the embedded server so that the URL works."""
    from cocosearch_py.model.redaction import redact
    from cocosearch_py.storage.server import embedded

    app = session.open_default()
    server = app.database.server
    if server is None:
        address = app.database.dsn
    else:
        app.database.start()
        folder = quote(str(server.socket_dir), safe="/")
        address = f"postgresql://{embedded.SUPERUSER}@/{embedded.DATABASE_NAME}?host={folder}"
    if not show_password:
        address = redact(address)
    if sqlalchemy:
        address = "postgresql+psycopg://" + address.partition("://")[2]
    if session.asked_json:
        session.emit({"url": address, "embedded": server is not None})
    else:
        session.say_data(address)


@program.command("current")
@command
def current(session: Session) -> None:
    """Print the revision of the database schema, and the newest revision."""
    from cocosearch_py.storage.server.administration import database_facts

    facts = database_facts(session.open_default().database)
    if session.json:
        session.emit({"revision": facts.revision, "newest": facts.newest_revision})
        return
    newest = "the newest" if facts.revision == facts.newest_revision else f"newest is {facts.newest_revision}"
    session.say(f"{facts.revision or 'no schema'} ({newest})")


@program.command("upgrade")
@command
def upgrade(
    session: Session,
    revision: Annotated[
        str, typer.Argument(metavar="[REVISION]", help="Target revision (default: the newest).")
    ] = "head",
) -> None:
    """Upgrade the schema to the newest or the given revision."""
    from cocosearch_py.storage.server.administration import upgrade_schema

    _show_revision(session, upgrade_schema(session.open_default().database, revision))


@program.command("downgrade")
@command
def downgrade(
    session: Session,
    revision: Annotated[str, typer.Argument(metavar="REVISION", help="Target revision; `base` removes everything.")],
    force: Annotated[bool, typer.Option("-y", "--force", "--yes", help="Do not ask for confirmation.")] = False,
) -> int:
    """Downgrade the schema to an older revision; data that only newer revisions can hold is lost."""
    if not force:
        if not sys.stdin.isatty():
            raise SafetyError("refused to downgrade without confirmation: indexes may be lost", hint="add --force")
        if not confirmed(f"Downgrade to {revision}? Indexes may be lost."):
            session.note("nothing was changed")
            return _EXIT_DECLINED
    from cocosearch_py.storage.server.administration import downgrade_schema

    _show_revision(session, downgrade_schema(session.open_default().database, revision))
    return 0


@program.command("psql", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
@command
def psql(
    session: Session,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ARGUMENT]...", help="Arguments for psql, after `--`: -- -c 'SELECT 1'."),
    ] = None,
) -> None:
    """Open a psql shell on the database, with this program's schema first in its search path."""
    from cocosearch_py.storage.server import administration

    app = session.open_default()
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
    os.execve(found, [found, *(arguments or ())], {**session.environ, **environment, "PGOPTIONS": options})


@program.command("start")
@command
def start(session: Session) -> None:
    """Start the embedded server and upgrade its schema; it stops again when it is not in use."""
    app = session.open_default()
    app.database.start()
    _show_state(session, running=True, text=f"running: {app.database.description}")


@program.command("stop")
@command
def stop(session: Session) -> None:
    """Stop the embedded server and its workers now; the next command starts it again."""
    from cocosearch_py.storage.server.administration import stop_server

    app = session.open_default()
    if app.database.server is None:
        _show_state(session, running=True, text="the database is not the embedded server; nothing was stopped")
    else:
        _show_state(session, running=False, text="stopped" if stop_server(app.database) else "it was not running")


@program.command("remains")
@command
def remains(
    session: Session,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove databases whose data folder is gone, and no others.")
    ] = False,
) -> None:
    """List databases that root's embedded servers left in the system's folder after their data folders were removed."""
    from cocosearch_py.storage.server import homes

    rows = []
    for one in homes.find_remains():
        size_bytes = one.size_bytes()
        removed = remove and not one.kept_because and homes.remove(one)
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
