"""Folders outside the project: the user's data, the log, git's own ignore file, and where a command starts.

Everything comes from the environment that is passed in; nothing is created.
"""

import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from cocosearch_py.config.process import DATA_DIR, PROJECT_PATH
from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.errors import ConfigurationError, WorkspaceError

APP_NAME = "cocosearch-py"
LOG_FILE_NAME = "cocosearch-py.log"

# A real configuration file of git has a few KB.
_MAX_GIT_CONFIG_BYTES = 1 << 20

_CORE_SECTION = re.compile(r"^\s*\[\s*core\s*\]", re.IGNORECASE)
_ANY_SECTION = re.compile(r"^\s*\[")
_EXCLUDES_FILE = re.compile(r"^\s*(?:\[\s*core\s*\]\s*)?excludesfile\s*=\s*(.*)$", re.IGNORECASE)


def start_folder(environ: Mapping[str, str], given: Path | None = None) -> Path:
    """Return the folder to work on: the one given, else COCOSEARCH_PROJECT_PATH, else the working folder.

    Raises:
        WorkspaceError: the working folder is meant, or the folder is relative to it, and it is gone.
    """
    text = environ.get(PROJECT_PATH, "").strip()
    folder = given or (expand(text, environ) if text else None)
    if folder is not None and folder.is_absolute():
        return folder
    here = working_folder()
    return folder or here


def working_folder() -> Path:
    """Return the folder that the process works in; raises WorkspaceError if it is gone, as after a checkout."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise WorkspaceError("the current folder no longer exists", hint="change to a folder that exists") from error


def data_folder(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Return the user's data folder for the embedded database and logs, absolute; it may not exist yet.

    COCOSEARCH_DATA_DIR when set; else what the platform prescribes: XDG_DATA_HOME or ~/.local/share on Linux
    and other Unix systems, ~/Library/Application Support on macOS, LOCALAPPDATA on Windows.

    Raises:
        ConfigurationError: the path leads to something else than a folder, or cannot be followed.
    """
    folder = _data_folder(environ, platform)
    try:
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except FileNotFoundError:  # made when it is needed
        return folder
    except OSError as error:
        raise _no_data_folder(folder, error.strerror) from None
    if not is_folder:
        raise _no_data_folder(folder, "it is not a folder")
    return folder


def _no_data_folder(folder: Path, why: str | None) -> ConfigurationError:
    return ConfigurationError(
        f"the data folder {folder} cannot be used: {why}",
        hint=f"set {DATA_DIR} to another folder, or free this path",
    )


def _data_folder(environ: Mapping[str, str], platform: str) -> Path:
    given = environ.get(DATA_DIR, "").strip()
    if given:
        return expand(given, environ).absolute()
    home = home_folder(environ)
    if platform == "darwin":
        return home / "Library" / "Application Support" / APP_NAME
    if platform == "win32":
        local = environ.get("LOCALAPPDATA", "").strip()
        return (Path(local) if local else home / "AppData" / "Local") / APP_NAME
    return (_xdg_folder(environ, "XDG_DATA_HOME") or home / ".local" / "share") / APP_NAME


def log_file(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Return where the log goes when `logging.file` is on."""
    return data_folder(environ, platform=platform) / "logs" / LOG_FILE_NAME


def user_config_file(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path | None:
    """Return where the user's own configuration file is kept; None when the environment names no home folder.

    `cocosearch-py/config.yaml` in XDG_CONFIG_HOME, or in ~/.config on Linux and other Unix systems,
    ~/Library/Application Support on macOS, APPDATA on Windows. It may not exist.
    """
    folder = _xdg_folder(environ, "XDG_CONFIG_HOME")
    if folder is None and not (environ.get("HOME", "").strip() or environ.get("USERPROFILE", "").strip()):
        return None
    if folder is None and platform == "darwin":
        folder = home_folder(environ) / "Library" / "Application Support"
    elif folder is None and platform == "win32":
        roaming = environ.get("APPDATA", "").strip()
        folder = Path(roaming) if roaming else home_folder(environ) / "AppData" / "Roaming"
    return (folder or home_folder(environ) / ".config") / APP_NAME / "config.yaml"


def home_folder(environ: Mapping[str, str]) -> Path:
    """Return the user's home folder: HOME, USERPROFILE on Windows, else what the system says."""
    text = environ.get("HOME", "").strip() or environ.get("USERPROFILE", "").strip()
    return Path(text) if text else Path.home()


def git_ignore_file(environ: Mapping[str, str]) -> Path | None:
    """Return the user's own ignore file for git, or None when there is none.

    That is `core.excludesFile` of the user's git configuration, else `git/ignore` in XDG_CONFIG_HOME or
    ~/.config. Included configuration files are not followed.
    """
    home = home_folder(environ)
    config_home = _xdg_folder(environ, "XDG_CONFIG_HOME") or home / ".config"
    named = environ.get("GIT_CONFIG_GLOBAL", "").strip()
    configs = [Path(named)] if named else [config_home / "git" / "config", home / ".gitconfig"]
    ignore_file = config_home / "git" / "ignore"
    for config in configs:  # git lets the later file win
        text = _excludes_file(config)
        ignore_file = expand(text, environ) if text else ignore_file
    try:
        return ignore_file if ignore_file.is_file() else None
    except OSError:
        return None


def _excludes_file(config: Path) -> str:
    """Return the last `core.excludesFile` in a git configuration file, "" when there is none."""
    try:
        text = read_regular(config, _MAX_GIT_CONFIG_BYTES).decode("utf-8", errors="surrogateescape")
    except OSError:
        return ""
    found = ""
    in_core = False
    for line in text.splitlines():
        if _ANY_SECTION.match(line):
            in_core = _CORE_SECTION.match(line) is not None
        match = _EXCLUDES_FILE.match(line) if in_core else None
        if match:
            found = _config_value(match.group(1))
    return found


def _config_value(text: str) -> str:
    """Return a git configuration value without its quotes and trailing comment."""
    text = text.strip()
    if text.startswith('"'):
        return text[1:].partition('"')[0].replace("\\\\", "\\")
    return re.split(r"\s*[#;]", text, maxsplit=1)[0]


def expand(text: str, environ: Mapping[str, str]) -> Path:
    """Return a path with a leading "~" replaced by the home folder that `environ` names."""
    if text == "~" or text.startswith(("~/", "~\\")):
        return home_folder(environ) / text[2:]
    return Path(text)


def _xdg_folder(environ: Mapping[str, str], name: str) -> Path | None:
    text = environ.get(name, "").strip()
    return Path(text) if text.startswith("/") else None  # the specification has relative ones ignored
