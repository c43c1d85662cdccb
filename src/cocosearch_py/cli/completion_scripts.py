"""Scripts by which shells ask the program for completions."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from cocosearch_py.cli.completion import VARIABLE
from cocosearch_py.cli.streams import put
from cocosearch_py.config.paths import APP_NAME, home_folder
from cocosearch_py.config.process import process_environment
from cocosearch_py.errors import ConfigurationError, ValidationError

_BASH = f"""\
_cocosearch_py_complete() {{
    local IFS=$'\\n'
    COMPREPLY=($({VARIABLE}=bash {APP_NAME} "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null))
}}
complete -o default -F _cocosearch_py_complete {APP_NAME}
"""
_ZSH = f"""\
#compdef {APP_NAME}
_cocosearch_py_complete() {{
    local reply
    local -a candidates
    reply="$({VARIABLE}=zsh {APP_NAME} "${{(@Q)words[2,CURRENT]}}" 2>/dev/null)"
    if [[ -n "$reply" ]]; then
        candidates=("${{(@f)reply}}")
        _describe '{APP_NAME}' candidates
    else
        _files
    fi
}}
if [[ "$zsh_eval_context[-1]" == loadautofunc ]]; then
    _cocosearch_py_complete "$@"
else
    compdef _cocosearch_py_complete {APP_NAME}
fi
"""
_FISH = f"""\
function __cocosearch_py_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l begun (commandline -ct)
    set -l candidates (env {VARIABLE}=fish {APP_NAME} $words "$begun" 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    else
        __fish_complete_path "$begun"
    end
end
complete --command {APP_NAME} --no-files --arguments '(__cocosearch_py_complete)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
# Where each script is written, below the home folder.
_FILES = {
    "bash": f".bash_completions/{APP_NAME}.sh",
    "zsh": f".zfunc/_{APP_NAME}",
    "fish": f".config/fish/completions/{APP_NAME}.fish",
}


def show(_arguments: Sequence[str]) -> None:
    """Print the script of the current shell."""
    put(_SCRIPTS[_shell(process_environment())].rstrip(), sys.stdout)


def install(_arguments: Sequence[str]) -> None:
    """Write the script of the current shell, and have the shell read it when it starts.

    Raises:
        ConfigurationError: a file cannot be written.
    """
    environ = process_environment()
    shell, home = _shell(environ), home_folder(environ)
    script = home / _FILES[shell]
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(_SCRIPTS[shell], encoding="utf-8")
        if shell == "bash":
            _add_lines(home / ".bashrc", f"source '{script}'")
        elif shell == "zsh":
            _add_lines(home / ".zshrc", f"fpath+=('{script.parent}')", "autoload -Uz compinit && compinit")
    except OSError as error:
        raise ConfigurationError(
            f"{error.filename or script} cannot be written: {error.strerror}",
            hint=f"`{APP_NAME} --show-completion` prints the script",
        ) from error
    put(f"{shell} completion is in {script}; it works in new terminals", sys.stdout)


def _shell(environ: Mapping[str, str]) -> str:
    """Return the shell that started the program, else the one that the user logs in with.

    Raises:
        ValidationError: it is none of those that have a script.
    """
    names = [process.name().removesuffix(".exe") for process in psutil.Process().parents()]
    for name in [*names, Path(environ.get("SHELL", "")).name]:
        if name in _SCRIPTS:
            return name
    raise ValidationError("there is no completion for this shell", hint=f"use {', '.join(_SCRIPTS)}")


def _add_lines(file: Path, *lines: str) -> None:
    """Add lines to the end of a file unless it has the first one."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if lines[0] in text:
        return
    start = "" if not text or text.endswith("\n") else "\n"
    with file.open("a", encoding="utf-8") as end:
        end.write(start + "".join(f"{line}\n" for line in lines))
