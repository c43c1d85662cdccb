"""Which configuration files the user stands behind, and the list of trusted folders in the user's own file."""

import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cocosearch_py.config.paths import expand
from cocosearch_py.config.settings import TRUST_KEY
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.model.private import replace_text

if TYPE_CHECKING:
    import yaml

BELOW = "/*"  # at the end of an entry: every folder below, as git's safe.directory has it
EVERYWHERE = "*"


def is_trusted(file: Path, entries: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether the user trusts a configuration file, by the folder in which it is found.

    Paths are compared with their links resolved. An entry stands for that folder alone and whoever writes in it;
    one that ends in "/*" for all folders below it, and "*" for all there are, but only for files of the user or root.
    """
    folder = Path(os.path.realpath(file.parent))
    for entry in entries:
        if entry == EVERYWHERE or entry.endswith(BELOW):
            top = Path(resolved(entry, environ).removesuffix(BELOW) or "/")
            if (entry == EVERYWHERE or top in folder.parents) and is_own(file):
                return True
        elif folder == Path(resolved(entry, environ)):
            return True
    return False


def resolved(entry: str, environ: Mapping[str, str]) -> str:
    """Return an entry with "~" and links replaced; the ending "/*" stays."""
    if entry == EVERYWHERE:
        return entry
    base, below = (entry.removesuffix(BELOW) or "/", BELOW) if entry.endswith(BELOW) else (entry, "")
    folder = os.path.realpath(expand(base, environ))
    return folder.rstrip("/") + below if below else folder


def is_own(file: Path) -> bool:
    """Whether a file, and the link to it, belongs to this user or to root, and not everybody can write it."""
    if not hasattr(os, "geteuid"):  # Windows: whoever may write in the user's folders is the user
        return True
    try:
        states = (file.lstat(), file.stat())
    except OSError:
        return False
    owned = all(state.st_uid in (0, os.geteuid()) for state in states)
    return owned and not states[1].st_mode & stat.S_IWOTH


def read_trusted(file: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the trusted folders of the user's own configuration file. Raises ConfigurationError."""
    from cocosearch_py.config.yamlfile import Standing, read_yaml_file  # PyYAML, for two commands

    if not file.exists():
        return ()
    return cast(tuple[str, ...], read_yaml_file(file, environ, Standing.USER).values.get(TRUST_KEY, ()))


def write_trusted(file: Path, entries: Sequence[str]) -> None:
    """Make `entries` the trusted folders in the user's own configuration file; the rest of it stays as it is.

    Raises:
        ConfigurationError: the file cannot be written, or not without rewriting what the user wrote.
    """
    target = Path(os.path.realpath(file))  # a link into a folder of dotfiles stays one
    try:
        text = target.read_bytes().decode("utf-8") if target.exists() else ""
        changed = _with_entries(text, entries, file)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_text(target, changed)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigurationError(
            f"{file} cannot be changed: {reason}", hint="check its folder and permissions"
        ) from error


def _with_entries(text: str, entries: Sequence[str], file: Path) -> str:
    import yaml  # 20 ms, for one command

    block = ["trust:\n", "  folders:\n", *(f"    - {json.dumps(entry, ensure_ascii=False)}\n" for entry in entries)]
    block = block if entries else []
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    lines = text.splitlines(keepends=True)
    if isinstance(root, yaml.MappingNode) and not root.flow_style:
        for key, value in root.value:
            if key.value == "trust":
                lines[key.start_mark.line : _last_line(key, value) + 1] = block
                return "".join(lines)
    elif root is not None and not (isinstance(root, yaml.ScalarNode) and root.tag.endswith(":null")):
        raise ConfigurationError(
            f"{file} has the list in a form that cannot be edited without losing its formatting",
            hint=f"add it by hand: trust: {{folders: {json.dumps(list(entries))}}}",
        )
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return "".join([*lines, *block])


def _last_line(key: "yaml.Node", value: "yaml.Node") -> int:
    """Return the last line of an entry (from 0); the end that YAML tells of a block is where the next one begins."""
    if isinstance(value.value, list) and value.value and not getattr(value, "flow_style", False):
        last = value.value[-1]
        return _last_line(*last) if isinstance(last, tuple) else _last_line(last, last)
    empty = value.start_mark.index == value.end_mark.index
    return int((key if empty else value).end_mark.line)
