"""Commands that a server elsewhere runs: what was typed as a call of its tool, and its answer as that of the command.

Paths are translated both ways by COCOSEARCH_PATH_PREFIX, `/home/me/src:/projects`: a folder here, and the same folder
as the server sees it.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.places import PATHS, absolute
from cocosearch_py.cli.questions import confirmed
from cocosearch_py.cli.remote import URL, RefusedCallError, Server, server_of
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import show_json, warn_of
from cocosearch_py.errors import ConfigurationError, OperationCancelled, ValidationError
from cocosearch_py.tools.declaration import Operation, Parameter

PREFIX = "COCOSEARCH_PATH_PREFIX"
_QUOTED = frozenset({"content", "context_before", "context_after", "text", "snippet", "doc", "signature"})
_WAIT_S = 30  # of one call of index_status
_FAILED = 1
_INDEXES = frozenset({"index_name", "index_names"})


class Paths:
    """A folder's path here and on the server; without a prefix the paths are equal."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read the prefix. Raises ConfigurationError."""
        text = environ.get(PREFIX, "").strip()
        here, _, there = text.rpartition(":")  # a drive of Windows has a colon of its own
        if text and not (here and there.startswith("/")):
            raise ConfigurationError(
                f"{PREFIX} does not name two folders",
                hint="write it as /home/me/src:/projects, this machine's folder first",
            )
        self._here, self._there = here.rstrip("/"), there.rstrip("/")
        self._mapped = bool(text)

    def there(self, folder: Path) -> str:
        """A folder of this machine as the server calls it.

        Raises:
            ConfigurationError: the prefix does not cover it.
        """
        if not self._mapped:
            return str(folder)
        try:
            below = folder.relative_to(self._here or "/").as_posix()
        except ValueError:
            raise ConfigurationError(
                f"{folder} is outside {self._here or '/'}, so the server has no such folder",
                hint=f"set {PREFIX} to a folder above it, or unset {URL}",
            ) from None
        return self._there if below == "." else f"{self._there}/{below}"

    def here(self, answer: Any, key: str = "") -> Any:
        """An answer of the server with the paths of this machine; what it quotes from files stays as it is."""
        if not self._mapped or key in _QUOTED:
            return answer
        if isinstance(answer, dict):
            return {name: self.here(value, name) for name, value in answer.items()}
        if isinstance(answer, list):
            return [self.here(one, key) for one in answer]
        return self._translated(answer) if isinstance(answer, str) else answer

    def _translated(self, text: str) -> str:
        """The text with every path of the server's that begins where a path can begin."""
        if text == self._there or text.startswith(f"{self._there}/"):
            return self._here + text[len(self._there) :]
        parts = text.split(f"{self._there}/")
        found = parts[0]
        for part in parts[1:]:
            begins = not found or found[-1] in " \t\n'\"`(=,:"
            found += f"{self._here if begins else self._there}/{part}"
        return found


def forward(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> int:
    """Have the server that the environment names do what a command does; print its answer, return the exit code."""
    server = server_of(session.environ)
    paths = Paths(session.environ)
    arguments = _arguments(session, operation, values, paths)
    if (operation.about_indexes or operation.about_project) and arguments.keys().isdisjoint(_INDEXES):
        named = session.environ.get("COCOSEARCH_INDEX_NAME", "").strip()
        if named and operation.about_indexes:
            arguments["index_name"] = named
        else:
            server = replace(server, project=paths.there(session.folder.resolve()))
    server.check()
    answer = paths.here(_asked(session, server, operation, arguments))
    if session.json:
        session.emit(answer)
    else:
        _show(session, operation, answer)
    if not isinstance(answer, dict):
        return 0
    if answer.get("state") == "cancelled" or answer.get("interrupted"):
        return OperationCancelled.exit_code
    return 0 if answer.get("success", True) and answer.get("state") != "failed" else _FAILED


def _show(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print an answer as here; one that has another form as what it is, as a server may be anything."""
    try:
        show_json(session, operation, answer)
        if operation.view:
            warn_of(session, answer)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        load("cli.views.generic.show_answer")(session.console, answer)


def _arguments(
    session: Session, operation: Operation[Any, Any], values: Mapping[str, Any], paths: Paths
) -> dict[str, Any]:
    """The tool's arguments: what was typed, and nothing else, so that the settings there hold.

    Raises:
        ValidationError: the command, or one of its flags, is about this machine.
    """
    command = operation.command.name if operation.command is not None else operation.name
    if operation.toolset is None:
        raise ValidationError(
            f"`{command}` cannot be forwarded: the server has no tool for it",
            hint=f"run it on the server's machine, or unset {URL}",
        )
    arguments: dict[str, Any] = {}
    for one in operation.parameters:
        if one.flag is None:
            continue
        if several := values.get(one.flag.several):
            folders = [paths.there((session.folder / item).resolve()) for item in several] if one.flag.starts else []
            arguments[one.flag.several] = folders or several
            continue
        if values[one.name] == one.untyped and not one.flag.starts:
            continue
        value = one.flag.read(values[one.name]) if one.flag.read else values[one.name]
        if one.flag.starts:
            arguments[one.name] = paths.there((session.folder / (value or "")).resolve())
        elif one.about is not None:
            arguments[one.name] = _there(_here(value, session.folder) if one.name in PATHS else value, paths)
        else:
            raise ValidationError(
                f"{_spelled(one)} of `{command}` cannot be forwarded to a server",
                hint=f"leave it out, or unset {URL}",
            )
    return arguments


def _here(value: Any, folder: Path) -> Any:
    return [absolute(text, folder) for text in value] if isinstance(value, list) else absolute(value, folder)


def _there(value: Any, paths: Paths) -> Any:
    if isinstance(value, list):
        return [_there(one, paths) for one in value]
    if isinstance(value, Path) or (isinstance(value, str) and value.startswith("/") and Path(value).exists()):
        return paths.there(Path(value))
    return value


def _spelled(one: Parameter) -> str:
    return one.flag.names[-1] if one.flag is not None and one.flag.names else one.name


def _asked(session: Session, server: Server, operation: Operation[Any, Any], arguments: dict[str, Any]) -> Any:
    """The answer of the tool; a run has ended, and what must be confirmed was."""
    try:
        answer = server.call(operation.name, arguments)
    except RefusedCallError as error:
        chosen = error.details.get("would_delete")
        if not isinstance(chosen, list) or not chosen or not sys.stdin.isatty():
            raise
        if not confirmed(f"Delete {', '.join(map(str, chosen))}?"):
            return {"success": False, "message": "nothing was deleted"}
        return server.call(operation.name, {**arguments, "confirm": True})
    job_id = answer.get("job_id") if isinstance(answer, dict) else None
    while job_id and isinstance(answer, dict) and answer.get("state") in ("queued", "running"):
        session.note(f"{answer.get('stage') or answer['state']}: {answer.get('progress', 0)} %")
        try:
            now = server.call("index_status", {"job_id": job_id, "wait_s": _WAIT_S})
        except KeyboardInterrupt:
            return server.call("cancel_indexing", {"job_id": job_id})
        answer = {**answer, **now} if isinstance(now, dict) else now
    return answer
