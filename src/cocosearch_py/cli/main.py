"""Entry of the command line: runs the program and turns every failure into one message and an exit code."""

import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from cocosearch_py.cli.arguments import PROGRAM_OPTIONS, resolve
from cocosearch_py.cli.commands import ABOUT, subcommand
from cocosearch_py.cli.loading import load
from cocosearch_py.cli.options import GLOBAL_NAMES, HELP, GlobalOptions, has_flag
from cocosearch_py.cli.parser import parse
from cocosearch_py.cli.session import NOTHING_LOST, Session, as_json, in_session
from cocosearch_py.cli.streams import OutputLostError, put, put_data, set_up_streams, stop_waiting
from cocosearch_py.errors import AmbiguousError, CocosearchError, ConflictError, as_limit
from cocosearch_py.tools.wording import in_commands

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_SIGNAL = 128  # plus the number of the signal, as shells have it
EXIT_INTERRUPTED = EXIT_SIGNAL + signal.SIGINT
_ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_MAX_ERROR_CHARS = 1_000  # of an internal error, which may quote a file
_SOON_S = 0.01  # enough to leave what swallowed an exception; where not, it is lost and raised once more


class _Signalled(SystemExit):
    """A signal asked the process to end. An exit, so that everything is closed and worker processes end too."""


def run_command(arguments: Sequence[str]) -> int | None:
    """Run the command that the arguments name, or show the help; return the exit code, None for 0.

    Raises:
        CocosearchError: no command takes these arguments, or the command fails.
    """
    name, rest = resolve(arguments)
    if name in ABOUT:
        load("cli.help.show_command")(name, rest)
        return 0 if has_flag(rest, *HELP) else EXIT_USAGE
    if name in ("", *PROGRAM_OPTIONS):
        function, _ = PROGRAM_OPTIONS[name or "--help"]
        load(function)(rest)
        return 0
    command = subcommand(name)
    values = parse(command, rest)
    if values is None:
        load("cli.help.show_command")(name, rest)
        return 0
    options = GlobalOptions(**{option: values.pop(option) for option in GLOBAL_NAMES})
    return in_session(options, lambda session: command.run(session, values))


def run(arguments: Sequence[str] | None = None, work: Callable[[Sequence[str]], int | None] = run_command) -> NoReturn:
    """Run the command line and exit; never lets a traceback out unless -v asks for one."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    set_up_streams()
    for number in _ENDING_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores one, and means it
            signal.signal(number, _end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    sys.unraisablehook = _raise_again
    show = _Failure(given)
    code = _run(given, show, work)
    try:
        sys.stdout.flush()
    except OutputLostError as lost:
        code = _unwritten(show, lost, code)
    sys.exit(code)


def _run(arguments: list[str], show: "_Failure", work: Callable[[Sequence[str]], int | None]) -> int:
    try:
        return work(arguments) or 0
    except CocosearchError as error:
        details = error.details if isinstance(error, ConflictError | AmbiguousError) else None
        return show(error.message, error.error_type, error.hint, error.exit_code, details)
    except KeyboardInterrupt:
        return show("interrupted", "cancelled", NOTHING_LOST, EXIT_INTERRUPTED)
    except _Signalled as ended:
        number = int(str(ended.code)) - EXIT_SIGNAL
        return show(f"ended by {signal.Signals(number).name}", "cancelled", NOTHING_LOST, EXIT_SIGNAL + number)
    except OutputLostError as lost:
        return _unwritten(show, lost, 0)
    except Exception as error:  # noqa: BLE001  # the edge of the process
        return _internal(show, error, arguments)


def _unwritten(show: "_Failure", lost: OutputLostError, code: int) -> int:
    """The exit code when standard output takes no more.

    A reader such as `head` that has seen enough is no failure, so that pipelines may run under `pipefail`: the code is
    that of the command, and not that of SIGPIPE.
    """
    if isinstance(lost.__cause__, BrokenPipeError):
        return code
    return show(
        f"the output cannot be written: {lost}", "output_error", "free disk space, or write it elsewhere", EXIT_ERROR
    )


def _internal(show: "_Failure", error: Exception, arguments: list[str]) -> int:
    if has_flag(arguments, "-v", "--verbose"):
        traceback.print_exc()
    if limit := as_limit(error):
        return show(limit.message, limit.error_type, limit.hint, EXIT_ERROR)
    what = " ".join(f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARS].split())
    hint = "this is a bug: please report it, with the output of the same command with -v"
    return show(f"internal error: {what}", "internal_error", hint, EXIT_ERROR)


class _Failure:
    """Prints a failure to standard error, as JSON where the output is JSON."""

    def __init__(self, arguments: list[str]) -> None:
        self._options = GlobalOptions(
            json=has_flag(arguments, "--json"), pretty=has_flag(arguments, "--pretty"), quiet=True
        )
        self._command = " ".join([one for one in arguments if not one.startswith("-")][:2])

    def __call__(self, message: str, kind: str, hint: str, code: int, details: Mapping[str, Any] | None = None) -> int:
        message, hint = in_commands(message, self._command), in_commands(hint, self._command)
        session = Session(self._options)
        if session.json:
            told: dict[str, Any] = {"success": False, "error": message, "error_type": kind, "hint": hint}
            told |= {"details": details} if details else {}
            put_data(as_json(told, sys.stderr), sys.stderr)
            return code
        session.complain(f"error: {message}")
        for line in _diff(details or {}):
            put(f"  {line}", sys.stderr)
        if hint:
            session.complain(f"hint: {hint}")
        return code


def _diff(details: Mapping[str, Any]) -> list[str]:
    """Of a conflict, what the caller does not know yet."""
    if not details.get("diff"):
        return []
    told = details["diff"]
    return told.split("\n") if isinstance(told, str) else [str(line) for line in told]


def _end(number: int, _: object) -> NoReturn:
    stop_waiting()
    raise _Signalled(EXIT_SIGNAL + number)


def _interrupt(_number: int, _: object) -> NoReturn:
    stop_waiting()
    raise KeyboardInterrupt


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Let a signal end the run also when what its handler raised was lost: in a destructor, or amid a fork."""
    ended = lost.exc_value
    if not isinstance(ended, _Signalled | KeyboardInterrupt) or not hasattr(signal, "setitimer"):
        sys.__unraisablehook__(lost)
        return

    def end(_number: int, _: object) -> NoReturn:
        raise ended.with_traceback(None)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _SOON_S)
