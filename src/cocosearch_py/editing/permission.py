"""Which files may be edited: by the rules of the project and of the user, whoever asks."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cocosearch_py.discovery.git import ignore_rules, run_git
from cocosearch_py.discovery.gitignore import PatternList, compile_patterns
from cocosearch_py.discovery.ignoring import IgnoreFiles, names_ignore_files
from cocosearch_py.discovery.repository import find_repository, read_small
from cocosearch_py.discovery.rules import (
    GIT_NAME,
    VERSION_CONTROL_FOLDERS,
    generated_folder_rule,
    is_git_name,
    plain_name,
    secret_rule,
)
from cocosearch_py.editing.protected import is_allowed, plain_path, starting_reason
from cocosearch_py.errors import SafetyError
from cocosearch_py.model.changes import is_temporary

_HEAD = "head"
_BESIDE_HEAD = frozenset({"objects", "refs", "commondir"})  # what a HEAD needs beside it to be a repository
_OF_GIT = (".gitconfig", ".config/git/attributes", ".config/git/config", ".hgrc")  # ends of paths
_NAMED = re.compile(rb"^\s*(hookspath|path)\s*=\s*\"?([^\"\r\n\0;#]+)", re.IGNORECASE | re.MULTILINE)
_MOST_CONFIG_BYTES = 1 << 20
_LOGINS = ".ssh"  # a folder: its files have no names that tell anything


@dataclass(frozen=True, slots=True)
class EditRules:
    """Rules for files that must not be edited.

    Attributes:
        protected: ends of paths of files that configure this program or its clients, in lower case.
        allowed: which files that start programs may be edited; see `protected.STARTING`.
        data_folder: where this program keeps its data.
        allow_ignored: whether files that git ignores may be edited.
        global_ignore_file: git's user-wide ignore file.
    """

    protected: tuple[str, ...] = ()
    allowed: PatternList = field(default_factory=lambda: compile_patterns((), ""))
    data_folder: Path | None = None
    allow_ignored: bool = False
    global_ignore_file: Path | None = None


def check_names(path: str, rules: EditRules) -> None:
    """Refuse what a path tells by its names alone, as it was given or as links lead.

    Raises:
        SafetyError: it is a version control system's own, a secret, or configures what starts programs.
    """
    plain = plain_path(path)
    names = plain.split("/")
    reason: str | None = None
    if any(map(is_git_name, names)) or VERSION_CONTROL_FOLDERS.intersection(names) or _ends(plain, _OF_GIT):
        reason = "it belongs to the version control system"
    elif names[-1] == _HEAD:
        reason = "a file of this name can turn its folder into a git repository"
    elif secret := secret_rule(names[-1]) or secret_rule(path.rpartition("/")[2]):
        reason = f"it is a secret ({secret})"
    elif _LOGINS in names[:-1]:
        reason = "it controls who may log in"
    elif _ends(plain, rules.protected):
        reason = "it configures this program, or commands that its clients start"
    elif is_temporary(path.rpartition("/")[2]):
        reason = "it belongs to another edit"
    if reason:
        raise SafetyError(f"{path} is not edited: {reason}", hint="only a person may change it, by other means")
    if (reason := starting_reason(path)) and not is_allowed(path, rules.allowed):
        raise SafetyError(
            f"{path} is not edited: {reason}",
            hint="only a person may allow that, with the setting edit.allowProtected",
        )


def _ends(path: str, ends: Iterable[str]) -> bool:
    return any(f"/{path}".endswith(f"/{end}") for end in ends)


def check_place(root: str, path: str, rules: EditRules) -> None:
    """Refuse what the folders around a file tell; `path` as `writing.real_place` gives it.

    Raises:
        SafetyError: it is this program's data, a repository's, or ignored.
    """
    top = Path(os.path.realpath(root))
    data = rules.data_folder
    if data is not None and (top / path).is_relative_to(os.path.realpath(data)):
        raise SafetyError(f"{path} is not edited: it is this program's own data", hint="leave it as it is")
    if _in_repository(top, path):
        raise SafetyError(f"{path} is not edited: it is inside a git repository's own files", hint="use git instead")
    if _is_named_by_git(top, path):
        raise SafetyError(
            f"{path} is not edited: the repository's git configuration reads hooks or settings from it",
            hint="only a person may change it, by other means",
        )
    if not rules.allow_ignored and (rule := ignored_by(top, path, rules.global_ignore_file)):
        raise SafetyError(
            f"{path} is not edited: it is ignored ({rule})",
            hint="only a person may allow that, with the setting edit.allowIgnored",
        )


def _in_repository(top: Path, path: str) -> bool:
    """Report whether a file is part of a repository, or would be: also of one that lacks something still.

    No edit writes a HEAD. So it is enough to look at folders that have one.
    """
    repository = find_repository((top / path).parent)
    if repository is not None:
        own = (repository.git_dir, repository.common_dir)
        if any((top / path).is_relative_to(os.path.realpath(one)) for one in own):
            return True
    for folder in _above(path):
        names = {plain_name(path[len(folder) :].lstrip("/").partition("/")[0])}
        has_head = False
        with suppress(OSError), os.scandir(top / folder) as scan:  # it may not be there yet
            for one in scan:
                names.add(name := plain_name(one.name))
                has_head = has_head or (name == _HEAD and not one.is_dir())
        if has_head and not _BESIDE_HEAD.isdisjoint(names):
            return True
    return False


def _is_named_by_git(top: Path, path: str) -> bool:
    """Report whether a repository's configuration names a file, or a folder above it, as hooks or further settings."""
    repository = find_repository((top / path).parent)
    if repository is None:
        return False
    config = repository.common_dir / "config"
    for name, value in _NAMED.findall(read_small(config, _MOST_CONFIG_BYTES) or b""):
        base = repository.root if name.lower() == b"hookspath" else config.parent
        if (top / path).is_relative_to(os.path.realpath(base / os.fsdecode(value.strip()))):
            return True
    return False


def ignored_by(root: Path, path: str, global_file: Path | None) -> str | None:
    """The rule that ignores a file, which need not exist; None if it is not ignored, or git tracks it all the same."""
    for name in path.split("/")[:-1]:
        if rule := generated_folder_rule(name):
            return rule
    start, rule = _judged(root, path, global_file)
    if rule is None and not names_ignore_files(root / start):
        return None
    inner = path[len(start) + 1 :] if start else path
    if find_repository(root / start) is None:
        return rule
    said = ignore_rules(root / start, [inner])
    return said.get(inner) or (rule if rule and not _is_tracked(root / start, inner) else None)


def _judged(root: Path, path: str, global_file: Path | None) -> tuple[str, str | None]:
    """The folder whose repository the file is in, relative to the root, and the rule of its ignore files."""
    start, source = "", IgnoreFiles.for_folder(root, "", global_file)
    for folder in reversed([*_above(path)]):
        if folder and os.path.lexists(root / folder / GIT_NAME):
            start, source = folder, IgnoreFiles.for_folder(root, folder, global_file)
        elif folder and isinstance(verdict := source.judge(folder, True), str):
            return start, verdict
        source = source.enter(folder, [".gitignore"])
    verdict = source.judge(path, False)
    return start, verdict if isinstance(verdict, str) else None


def _is_tracked(folder: Path, path: str) -> bool:
    return bool(run_git(folder, ["ls-files", "-z", "--", f":(literal){path}"]))


def _above(path: str) -> Iterator[str]:
    """The folders above a path, the nearest first; the root is ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
