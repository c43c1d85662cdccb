"""Entry of the command line: runs the program and turns every failure into one message and an exit code."""

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import typer

from cocosearch_py.cli.arguments import has_flag, with_default_command
from cocosearch_py.cli.program import program
from cocosearch_py.cli.session import print_json
from cocosearch_py.errors import CocosearchError

PROGRAM_NAME = "cocosearch-py"
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
_ISSUES = "https://pypi.org/project/cocosearch-py/"

# The argument parser's own errors; it exports only the leaves of their tree.
_UsageError: Any = typer.BadParameter.__mro__[1]


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; never lets a traceback out unless -v asks for one."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show must not end a run
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(_flushed(_run(given)))


def _run(arguments: list[str]) -> int:
    show = _Failure(arguments)
    try:
        parser = typer.main.get_command(program)
        code = parser(with_default_command(arguments, tuple(getattr(parser, "commands", ()))), **_HOW)
    except CocosearchError as error:
        return show(error.message, error.error_type, error.hint, error.exit_code)
    except _UsageError as error:
        return _usage(show, error)
    except (KeyboardInterrupt, typer.Abort):
        return show("interrupted", "cancelled", "", EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001  # the edge of the process
        if has_flag(arguments, "-v", "--verbose"):
            traceback.print_exc()
        what = " ".join(f"{type(error).__name__}: {error}".split())
        hint = f"this is a fault of the program: report it with the output of the same command with -v ({_ISSUES})"
        return show(f"internal error: {what}", "internal_error", hint, EXIT_ERROR)
    return code if isinstance(code, int) else 0


_HOW = {"prog_name": PROGRAM_NAME, "standalone_mode": False}


class _Failure:
    """Prints a failure to standard error, as JSON where the output is JSON."""

    def __init__(self, arguments: list[str]) -> None:
        wants_people = has_flag(arguments, "--pretty") or sys.stdout.isatty()
        self._json = has_flag(arguments, "--json") or not wants_people

    def __call__(self, message: str, kind: str, hint: str, code: int) -> int:
        if self._json:
            print_json({"success": False, "error": message, "error_type": kind, "hint": hint}, sys.stderr)
            return code
        typer.echo(f"error: {message}", err=True)
        if hint:
            typer.echo(f"hint: {hint}", err=True)
        return code


def _usage(show: _Failure, error: Any) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else PROGRAM_NAME
    return show(error.format_message(), "usage_error", f"see `{path} --help`", EXIT_USAGE)


def _terminate(number: int, _: object) -> NoReturn:
    """Leave by SystemExit, so that worker processes are ended too."""
    raise SystemExit(128 + number)


def _flushed(code: int) -> int:
    """Write out what is buffered; a reader that has gone away is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
