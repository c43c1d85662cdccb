"""Checks of everything that a search or an index run needs, each with its remedy. Changes nothing."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cocosearch_py.app import App
from cocosearch_py.cli.opening import open_app
from cocosearch_py.cli.session import Session
from cocosearch_py.discovery.git import git_program, run_git
from cocosearch_py.errors import CocosearchError
from cocosearch_py.languages import LANGUAGES, symbols_query
from cocosearch_py.parsing.parsers import has_grammar
from cocosearch_py.storage.server.administration import database_facts
from cocosearch_py.storage.server.homes import Remains, find_remains

_LEAST_FREE_BYTES = 500 * 1024 * 1024  # below this, runs fail midway
_SOUND_PGVECTOR = (0, 8, 4)


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome of one check. `remedy` is empty when all is fine; one that is `ok` and has a remedy is a warning."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def examine(session: Session) -> list[Check]:
    """Run all checks in order; a failed one never keeps the others from running."""
    checks = []
    try:
        loaded = session.load()
        app = open_app(session, loaded)
        read = ", ".join(str(file) for file in loaded.files) or "defaults, no file"
        checks.append(Check("configuration", True, read))
    except CocosearchError as error:
        checks.append(_failed("configuration", error))
    else:
        checks += _database(app)
        checks.append(_guarded("embedding model", lambda: _model(app)))
    checks.append(_guarded("grammars", _grammars))
    checks.append(_guarded("disk", lambda: _free_space(session.data_folder)))
    checks += remains_check(find_remains())
    checks.append(_git())
    return checks


def _database(app: App) -> Iterator[Check]:
    try:
        facts = database_facts(app.database)
    except CocosearchError as error:
        yield _failed("database", error)
        return
    yield Check("database", True, f"PostgreSQL {facts.server_version}, {facts.place}")
    yield pgvector_check(facts.pgvector_version, fits=facts.pgvector_fits)
    yield pg_trgm_check(facts.pg_trgm_version)
    current = facts.revision in (None, facts.newest_revision)  # without a schema, the first use makes it
    yield Check(
        "schema",
        current,
        f"revision {facts.revision or 'none'}" + ("" if current else f"; this program needs {facts.newest_revision}"),
        "" if current else "run `cocosearch-py db upgrade`",
    )
    if facts.revision == facts.newest_revision:
        yield from _unreadable(app)


def _unreadable(app: App) -> Iterator[Check]:
    """A failure for each index whose row cannot be read; nothing if there are none."""
    try:
        found = app.catalog.list_unreadable()
    except CocosearchError as error:
        yield _failed("indexes", error)
        return
    for index in found:
        remedy = f"`cocosearch-py clear '{index.name}'` removes it; then index {index.root_path} again"
        yield Check("indexes", False, f"index '{index.name}' cannot be read: {index.reason}", remedy)


def pgvector_check(version: str | None, *, fits: bool) -> Check:
    """Fails without a version that fits; one with known faults is fine, and has a remedy all the same."""
    remedy = "install a newer pgvector, then run ALTER EXTENSION vector UPDATE"
    if version is None or not fits:
        return Check("pgvector", False, version or "not installed in this database", remedy)
    if tuple(int(part) for part in version.split(".") if part.isdigit()) < _SOUND_PGVECTOR:
        sound = ".".join(map(str, _SOUND_PGVECTOR))
        told = f"{version}, older than {sound}: faults that corrupt memory and indexes were fixed in 0.8.2 to {sound}"
        return Check("pgvector", True, told, remedy)
    return Check("pgvector", True, version)


def pg_trgm_check(version: str | None) -> Check:
    """Return a warning if the extension is missing: exact text is found without it, but slower."""
    if version is not None:
        return Check("pg_trgm", True, version)
    told = "not installed in this database; exact text in large indexes is found slowly"
    return Check("pg_trgm", True, told, "as owner of the database run CREATE EXTENSION pg_trgm, then index again")


def _model(app: App) -> Check:
    model = app.embedder
    length = len(model.embed_query("open file"))
    return Check("embedding model", length == model.dimension, f"{model.name}, {length} values")


def _grammars() -> Check:
    loaded = [name for name in LANGUAGES if has_grammar(name)]
    missing = [
        name for name in LANGUAGES if symbols_query(name) and LANGUAGES[name].grammar is not None and name not in loaded
    ]
    if missing:
        return Check("grammars", False, f"cannot be loaded: {', '.join(missing)}", "reinstall cocosearch-py")
    return Check("grammars", True, f"grammars for {len(loaded)} languages")


def _free_space(folder: Path) -> Check:
    existing = next(part for part in (folder, *folder.parents) if part.exists())
    free = shutil.disk_usage(existing).free
    enough = free >= _LEAST_FREE_BYTES
    told = f"{free / 1024**3:.1f} GiB free at {folder}"
    return Check("disk", enough, told, "" if enough else "free some space, or set COCOSEARCH_DATA_DIR")


def remains_check(found: list[Remains]) -> list[Check]:
    """A warning of databases that outlived their data folders; nothing if there are none."""
    if not found:
        return []
    free = sum(not one.kept_because for one in found)
    told = f"{len(found)} in {found[0].home.parent} whose data folder is gone or unknown; {free} can be removed"
    return [Check("old databases", True, told, "`cocosearch-py db remains` lists them; --remove deletes them")]


def _git() -> Check:
    """Git finds ignored files; without it our own rules do, so its absence is no failure."""
    program = git_program()
    if program is None:
        return Check("git", True, "not found; ignore files work without it")
    version = run_git(Path(program).parent, ["--version"])
    if version is None:
        return Check("git", False, f"{program} fails to run", "repair or remove this git")
    return Check("git", True, version.decode(errors="replace").strip())


def _guarded(name: str, run: Callable[[], Check]) -> Check:
    try:
        return run()
    except CocosearchError as error:
        return _failed(name, error)


def _failed(name: str, error: CocosearchError) -> Check:
    return Check(name, False, error.message, error.hint)
