"""The editor of the person at the terminal, at a line of a file."""

import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.terminal import run_program
from cocosearch_py.errors import ConfigurationError, NotFoundError
from cocosearch_py.tools.answers import Json

_USUAL = ("nano", "vim", "vi")  # where neither VISUAL nor EDITOR is set
# How editors take a file and a line.
_FORMS: Mapping[tuple[str, ...], str] = {
    ("vi", "vim", "nvim", "gvim", "view", "nano", "emacs", "emacsclient", "micro", "kak"): "+{line} {path}",
    ("code", "code-insiders", "codium", "cursor", "windsurf"): "--goto {path}:{line}",
    ("subl", "zed", "hx", "helix"): "{path}:{line}",
    ("idea", "pycharm", "webstorm", "goland", "clion", "phpstorm", "rubymine", "rider"): "--line {line} {path}",
}
_NO_EDITOR = "set VISUAL or EDITOR to open it, for example `export EDITOR=vim`"


def open_found(session: Session, answer: Json, line: int | None = None) -> int:
    """Open the first part of an answer of `read`, at this line or its own first one; returns the exit code.

    Without an editor or a terminal, the place is printed.

    Raises:
        NotFoundError: the file is not on disk.
        ConfigurationError: the editor cannot be started.
    """
    part = answer["symbols"][0] if "symbols" in answer else answer
    path, line = part["file_path"], line or part["start_line"]
    if not Path(path).is_file():
        raise NotFoundError(f"{path} is not on disk", hint="`cocosearch-py read` prints it as it was indexed")
    if session.json:
        session.emit({"file_path": path, "line": line})
        return 0
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    command = editor_command(session.environ, path, line) if is_terminal else []
    if not command:
        session.say(f"{path}:{line}")
        if is_terminal:
            session.note(_NO_EDITOR)
        return 0
    try:
        return run_program(command, session.environ)
    except OSError as error:
        raise ConfigurationError(
            f"the editor `{command[0]}` cannot be started: {error.strerror}",
            hint="set VISUAL or EDITOR to the command of your editor",
        ) from error


def editor_command(environ: Mapping[str, str], path: str, line: int) -> list[str]:
    """Return the command that opens a file at a line; empty where there is no editor."""
    named = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "").strip()
    editor = shlex.split(named) if named else [name for name in _USUAL if shutil.which(name)][:1]
    if not editor:
        return []
    name = Path(editor[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    form = next((form for names, form in _FORMS.items() if name in names), "{path}")
    return [*editor, *(part.format(path=path, line=line) for part in form.split())]
