"""Our entry in a client's configuration, and what becomes of one that is there already. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from cocosearch_py.clients.table import Client
from cocosearch_py.errors import ValidationError

Entry = dict[str, Any]

_URL_KEYS = ("url", "serverUrl", "httpUrl")
_URL_TYPES = frozenset({"http", "sse", "remote", "streamable-http", "streamableHttp"})
_SAYS_WHERE = frozenset({*_URL_KEYS, "type"})  # one that is left over would contradict ours
_LEFT_TO_USERS = frozenset({"enabled", "env_vars"})  # written once, then the user's
# Which database the indexes are in; without them a client that passes no others on would show another one, empty.
_PASSED_ON = ("COCOSEARCH_DATA_DIR", "COCOSEARCH_DATABASE_URL")


@dataclass(frozen=True, slots=True)
class Local:
    """The client starts the server itself: the program and its arguments before `mcp`.

    A project's file is shared with others and has `command`; the user's has `user_command`, with the full path:
    programs with windows are not started by a shell and have another PATH.
    """

    command: tuple[str, ...]
    user_command: tuple[str, ...]
    project: Path
    user_wide: bool = False


@dataclass(frozen=True, slots=True)
class Remote:
    """The server runs elsewhere. `token_variable` names the variable that has the token; the token is not written."""

    url: str
    token_variable: str | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """`entry` is what is to stand there; `differs` names the keys in which the existing entry is another."""

    entry: Entry
    differs: tuple[str, ...]


def server_url(text: str) -> str:
    """A server's URL, `/mcp` put in where it has no path.

    Raises:
        ValidationError: it is no http or https URL, or has a password in it, which would be written down.
    """
    try:
        parts = urlsplit(text)
        port_is_good = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_good = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_good or not text.isprintable():
        raise ValidationError("--http needs the URL of a server", hint="for example http://127.0.0.1:3000/mcp")
    if "@" in parts.netloc or " " in text:
        raise ValidationError(
            "the URL has a user, a password or a space in it",
            hint="keep the token in an environment variable and name the variable with --token-env",
        )
    return urlunsplit(parts._replace(path="/mcp")) if parts.path in ("", "/") else text


def make_entry(client: Client, how: Local | Remote) -> Entry:
    """The entry in the client's own form, keys in the order they are written.

    Raises:
        ValidationError: a URL, for a client whose configuration has no form for it.
    """
    return _remote(client, how) if isinstance(how, Remote) else _local(client, how)


def _local(client: Client, how: Local) -> Entry:
    argument = client.user_argument if how.user_wide else client.project_argument
    words = [
        *(how.user_command if how.user_wide else how.command),
        "mcp",
        argument.replace("{project}", str(how.project)),
    ]
    entry: Entry = {"type": client.local_type} if client.local_type else {}
    if client.one_command_list:
        return {**entry, "command": words, "enabled": True}
    entry |= {"command": words[0], "args": words[1:]}
    return {**entry, client.variables_key: list(_PASSED_ON)} if client.variables_key else entry


def _remote(client: Client, how: Remote) -> Entry:
    if client.url_key is None:
        raise ValidationError(
            f"{client.title} cannot have a server URL in its configuration file",
            hint=f"omit --http for {client.title}, or add the URL as a connector in its settings",
        )
    entry: Entry = {"type": client.url_type} if client.url_type else {}
    entry[client.url_key] = how.url
    if how.token_variable and client.toml:
        entry["bearer_token_env_var"] = how.token_variable
    elif how.token_variable:
        reference = client.variable.replace("NAME", how.token_variable)
        entry["headers"] = {"Authorization": f"Bearer {reference}"}
    return {**entry, "enabled": True} if client.one_command_list else entry


def merge_entry(existing: Mapping[str, Any] | None, wanted: Entry) -> Merged:
    """Put ours over an existing entry: keys that we do not write (environment, time limits …) stay the user's.

    Where the existing one reaches the server in the other way (started, or by URL), nothing of it is kept: clients
    refuse a mixture.
    """
    if existing is None:
        return Merged(wanted, ())
    if _is_remote(existing) != _is_remote(wanted):
        keys = dict.fromkeys([*existing, *wanted])
        return Merged(wanted, tuple(key for key in keys if existing.get(key) != wanted.get(key)))
    differs = tuple(key for key, value in wanted.items() if _differs(key, value, existing))
    kept = {key: value for key, value in wanted.items() if key not in _LEFT_TO_USERS or key not in existing}
    if not differs:
        return Merged(dict(existing), ())
    stays = {key: value for key, value in existing.items() if key in wanted or key not in _SAYS_WHERE}
    return Merged({**stays, **kept}, differs)


def _differs(key: str, value: object, existing: Mapping[str, Any]) -> bool:
    if key in _LEFT_TO_USERS:
        return False
    if key == "type" and value == "stdio" and key not in existing:
        return False  # what clients take a missing type for
    return bool(existing.get(key) != value)


def _is_remote(entry: Mapping[str, Any]) -> bool:
    return any(key in entry for key in _URL_KEYS) or entry.get("type") in _URL_TYPES
