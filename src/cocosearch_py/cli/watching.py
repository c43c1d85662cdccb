"""`watch`, `index --watch`: runs until Ctrl-C or SIGTERM, each one line."""

import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cocosearch_py.cli.call import CommandCall, report_of, stopping
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import payload, warn_of
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.indexing.options import mode_of, options_of
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments, Indexed
from cocosearch_py.features.indexing.views import run_counts
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.watch import follow, run_patiently
from cocosearch_py.tools.declaration import Operation, with_values

_STOPPING = b"\nstopping (Ctrl-C again aborts the current run)\n"


def watch(session: Session, operation: Operation[Any, Any], asked: IndexCodebaseArguments, call: CommandCall) -> int:
    """Follow the folder until a signal ends that; what a run at hand has done is kept.

    Raises:
        CocosearchError: that of a run that would fail again.
    """
    if mode_of(asked) == "estimate":
        raise ValidationError("--watch and --dry-run cannot be combined", hint="give only one of them")
    if asked.rev:
        raise ValidationError("a commit never changes, so it cannot be watched", hint="leave out --watch or --rev")
    if asked.paths or asked.paths_from:
        raise ValidationError("one command can watch only one folder", hint="name one folder")
    folder = Path(call.folder_to_index(asked.path)).absolute()  # where it is now, wherever the working folder goes
    session.one_line = True
    plain = with_values(asked, {"path": str(folder), "watch": False})
    # Patterns of flags are in the settings, too, and those of the settings may change.
    again = with_values(plain, {"fresh": False, "include": None, "exclude": None})

    def first() -> None:
        _show(session, operation, report_of(operation, plain, call), asked)

    def later() -> None:
        done: Indexed = report_of(operation, again, call)
        if done.stats.files_added or done.stats.files_updated or done.stats.files_removed:
            _show(session, operation, done, asked)

    def options_now() -> IndexingOptions:
        call.renew_settings(folder)
        return options_of(call.app(folder), folder, again)

    with stopping(_STOPPING, signal.SIGTERM, quiet=session.quiet) as stopped:
        call.stopped = stopped
        stop = SimpleNamespace(is_set=stopped)
        run_patiently(first, stop, session.warn)  # before anything is watched: it asks whether the folder is meant
        debounce_ms = call.app(folder).settings.indexing.watch_debounce_ms
        call.go_on_by_itself()
        session.note(f"watching {folder.resolve()}; Ctrl-C stops")
        follow(folder, options_now, later, stop, session.warn, debounce_ms=debounce_ms)
    return 0


def _show(session: Session, operation: Operation[Any, Any], done: Any, asked: Any) -> None:
    answer = payload(operation, done, asked)
    if session.json:
        session.emit(answer)
        return
    counts, seconds = run_counts(answer["stats"]), answer["stats"]["seconds"]
    session.say(f"{time.strftime('%H:%M:%S')} {answer['index_name']}: {counts} in {seconds:.1f} s")
    warn_of(session, answer)
