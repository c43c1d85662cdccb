"""Which files may be edited: by the rules of the project and of the user, whoever asks."""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.discovery.git import ignore_rules, run_git
from cocosearch_py.discovery.ignoring import IgnoreFiles
from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.discovery.repository import find_repository
from cocosearch_py.discovery.rules import GIT_NAME, VERSION_CONTROL_FOLDERS, generated_folder_rule, secret_rule
from cocosearch_py.errors import SafetyError
from cocosearch_py.model.changes import is_temporary

_OF_GIT = ("HEAD", "objects", "refs")  # what a folder has that is a repository without a work tree
_LOGINS = ".ssh"  # a folder: its files have no names that tell anything
_MOST_CONFIG_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class EditRules:
    """What must not be edited.

    Attributes:
        protected: ends of paths of files that configure this program or start others, in lower case.
        data_folder: where this program keeps its data.
        allow_ignored: whether files that git ignores may be edited.
        global_ignore_file: git's user-wide ignore file.
    """

    protected: tuple[str, ...] = ()
    data_folder: Path | None = None
    allow_ignored: bool = False
    global_ignore_file: Path | None = None


def check_names(path: str, rules: EditRules) -> None:
    """Refuse what a path tells by its names alone, as it was given or as links lead.

    Raises:
        SafetyError: it is a version control system's own, a secret, or configures what starts programs.
    """
    names = path.split("/")
    reason = ""
    if any(name.lower() in VERSION_CONTROL_FOLDERS or name.lower() == GIT_NAME for name in names):
        reason = "it is the version control system's own"
    elif secret := secret_rule(names[-1]):
        reason = f"it is a secret ({secret})"
    elif any(name.lower() == _LOGINS for name in names[:-1]):
        reason = "it says who may log in, and where"
    elif any(f"/{path}".lower().endswith(f"/{end}") for end in rules.protected):
        reason = "it configures this program, or what clients of it start"
    elif is_temporary(names[-1]):
        reason = "it belongs to another edit"
    if reason:
        raise SafetyError(f"{path} is not edited: {reason}", hint="only a person may change it, by other means")


def check_place(root: str, path: str, rules: EditRules) -> None:
    """Refuse what the folders around a file tell; `path` as `writing.real_place` gives it.

    Raises:
        SafetyError: it is this program's data, a repository's, or ignored.
    """
    top = Path(os.path.realpath(root))
    data = rules.data_folder
    if data is not None and (top / path).is_relative_to(os.path.realpath(data)):
        raise SafetyError(f"{path} is not edited: it is this program's own data", hint="leave it as it is")
    for folder in _above(path):
        if all(os.path.lexists(top / folder / name) for name in _OF_GIT):
            raise SafetyError(f"{path} is not edited: it is in a repository of git", hint="use git instead")
    if not rules.allow_ignored and (rule := ignored_by(top, path, rules.global_ignore_file)):
        raise SafetyError(
            f"{path} is not edited: it is ignored ({rule})",
            hint="only a person may allow that, with the setting edit.allowIgnored",
        )


def ignored_by(root: Path, path: str, global_file: Path | None) -> str | None:
    """The rule that ignores a file, which need not exist; None if it is not ignored, or git tracks it all the same."""
    for name in path.split("/")[:-1]:
        if rule := generated_folder_rule(name):
            return rule
    start, rule = _judged(root, path, global_file)
    if rule is None and not _names_ignore_files(root / start):
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


def _names_ignore_files(folder: Path) -> bool:
    """Whether a repository's own configuration may name further ignore files, which only git reads."""
    repository = find_repository(folder)
    if repository is None:
        return False
    for config in (repository.common_dir / "config", repository.git_dir / "config.worktree"):
        try:
            text = read_regular(config, _MOST_CONFIG_BYTES).lower()
        except OSError as error:
            if error.errno == errno.EFBIG:
                return True
            continue
        if b"excludesfile" in text or b"include" in text:
            return True
    return False


def _above(path: str) -> Iterator[str]:
    """The folders above a path, the nearest first; the root is ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
