"""Plan of `init`: reads the files and computes their new texts; writes nothing until `apply`."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from cocosearch_py.clients import files, jsontext, tomltext
from cocosearch_py.clients.entry import Local, Remote, make_entry, merge_entry
from cocosearch_py.clients.hook import with_hook
from cocosearch_py.clients.rules import CURSOR_HEAD, with_block
from cocosearch_py.clients.table import Client, Homes, Place, folder_of
from cocosearch_py.errors import ConfigurationError, SafetyError, ValidationError
from cocosearch_py.model.redaction import redact_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Choices of the user."""

    project: Path
    homes: Homes
    name: str
    how: Local | Remote
    user_wide: bool
    force: bool = False
    rules: bool = False
    toolsets: tuple[str, ...] = ()  # that the settings name
    hook: str | None = None  # its command; see hook.hook_command


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file. `before` None means that it does not exist; `path` has its links resolved."""

    client: str
    kind: Literal["server", "rules", "hook"]
    path: Path
    before: str | None
    after: str
    private: bool

    @property
    def action(self) -> str:
        """`created`, `updated` or `unchanged`."""
        if self.before is None:
            return "created"
        return "unchanged" if self.before == self.after else "updated"


def plan(clients: Iterable[Client], wish: Wish) -> list[Change]:
    """Every change, servers before rules before hooks, a file that several share once per kind.

    Raises:
        SafetyError: an entry of our name is another one, or a link leads out.
        ConfigurationError: a file cannot be read or edited safely.
        ValidationError: a client cannot do what is asked.
    """
    chosen = list(clients)
    changes = [_server(client, wish) for client in chosen]
    if wish.rules:
        for client in chosen:
            place = client.user_rules if wish.user_wide or client.project_file is None else client.project_rules
            change = _rules(client, place, wish) if place is not None else None
            if change is not None and all(change.path != other.path for other in changes):
                changes.append(change)
    if wish.hook is not None:
        changes += _hooks(chosen, wish, wish.hook)
    return changes


def apply(changes: Iterable[Change]) -> None:
    """Write what differs."""
    for change in changes:
        if change.before != change.after:
            files.write(change.path, change.after, before=change.before, private=change.private)


def diff(change: Change, shown: str) -> str:
    """A unified diff for reading: values that look like secrets are masked, so it is no patch."""
    before = (change.before or "").replace("\r\n", "\n").splitlines(keepends=True)
    after = change.after.replace("\r\n", "\n").splitlines(keepends=True)
    old = "/dev/null" if change.before is None else shown
    lines = difflib.unified_diff(before, after, old, shown)
    return "".join(line if line.endswith("\n") else line + "\n" for line in map(redact_line, lines))


def _server(client: Client, wish: Wish) -> Change:
    user_wide = wish.user_wide or client.project_file is None
    place = client.user_file if user_wide or client.project_file is None else client.project_file
    path = _resolve(place, wish)
    _refuse_other_spelling(client, path)
    before = files.read(path)
    how = replace(wish.how, user_wide=user_wide) if isinstance(wish.how, Local) else wish.how
    wanted = make_entry(client, how)
    text = before or ""
    document = tomltext.parse(text, str(path)) if client.toml else jsontext.parse(text, str(path))
    merged = merge_entry(_existing(document, client, wish.name, path), wanted)
    if merged.differs and not wish.force:
        raise SafetyError(
            f"{path} already has another entry '{wish.name}'; it differs in: {', '.join(merged.differs)}",
            hint="replace it with --force (see it first with --dry-run --force), or choose another --name",
        )
    if _existing(document, client, wish.name, path) is not None and not merged.differs:
        after = text
    elif client.toml:
        after = tomltext.set_table(text, client.section, wish.name, merged.entry)
    else:
        after = jsontext.set_member(text, client.section, wish.name, merged.entry)
    return Change(client=client.key, kind="server", path=path, before=before, after=after, private=user_wide)


def _existing(document: Mapping[str, object], client: Client, name: str, path: Path) -> Mapping[str, object] | None:
    section = document.get(client.section, {})
    entry = section.get(name) if isinstance(section, dict) else None
    if not isinstance(section, dict) or (entry is not None and not isinstance(entry, dict)):
        what = client.section if not isinstance(section, dict) else f"{client.section}.{name}"
        raise ConfigurationError(f"'{what}' in {path} is not an object", hint="fix the file; nothing was written")
    return entry


def _refuse_other_spelling(client: Client, path: Path) -> None:
    for name in client.other_spellings:
        other = path.with_name(name)
        if other.exists() and not path.exists():
            raise ConfigurationError(
                f"{client.title} reads {other} here, a file with comments, which an edit could destroy",
                hint="add the entry by hand (see docs/clients.md)",
            )


def _rules(client: Client, place: Place, wish: Wish) -> Change:
    path = _resolve(place, wish)
    before = files.read(path)
    head = CURSOR_HEAD if before is None and path.suffix == ".mdc" else ""
    after = with_block(head if before is None else before, wish.name, str(path), wish.toolsets)
    private = place.base != "project"
    return Change(client=client.key, kind="rules", path=path, before=before, after=after, private=private)


def _hooks(clients: Iterable[Client], wish: Wish, command: str) -> list[Change]:
    changes = []
    for client in clients:
        place = client.user_hooks if wish.user_wide else client.project_hooks
        if place is None:
            continue
        path = _resolve(place, wish)
        before = files.read(path)
        after = with_hook(before or "", command, str(path), force=wish.force)
        private = wish.user_wide
        changes.append(Change(client=client.key, kind="hook", path=path, before=before, after=after, private=private))
    if not changes:
        raise ValidationError("none of these clients has supported hooks", hint="leave --hook out, or add --claude")
    return changes


def _resolve(place: Place, wish: Wish) -> Path:
    """The real file; user-wide ones may be links within the home folder, as keepers of dotfiles make them."""
    folder = folder_of(place.base, wish.project, wish.homes)
    home = wish.homes.home
    if place.base != "project" and folder.is_relative_to(home):
        return files.real_file(home, str(folder.relative_to(home) / place.path))
    return files.real_file(folder, place.path)
