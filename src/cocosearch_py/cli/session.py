"""What one command works with: its options, the settings, the app, and where it writes."""

import json as json_format
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

import typer

from cocosearch_py.cli.options import GlobalOptions
from cocosearch_py.config.environment import process_environment
from cocosearch_py.config.paths import data_folder, git_ignore_file, home_folder, log_file, start_folder

if TYPE_CHECKING:  # each costs a tenth of a second that `--help` need not pay
    from rich.console import Console

    from cocosearch_py.app import App
    from cocosearch_py.config.load import LoadedSettings

PIPED_WIDTH_COLUMNS = 120  # of tables that go to a file or a program; a terminal tells its own width


class Session:
    """Context of one command; use as a context manager, which closes the app."""

    def __init__(self, options: GlobalOptions) -> None:
        self.asked_json = options.json
        self.json = options.json or (not options.pretty and not sys.stdout.isatty())
        self.quiet = options.quiet
        self.verbose = options.verbose
        self.environ = process_environment()
        self._options = options
        self._app: App | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._app is not None:
            self._app.close()

    @property
    def folder(self) -> Path:
        """Folder that a command without a path works on."""
        return start_folder(self.environ)

    @property
    def data_folder(self) -> Path:
        """Where the embedded database is kept."""
        return data_folder(self.environ)

    def load(self, overrides: Mapping[str, object] | None = None, *, start: Path | None = None) -> "LoadedSettings":
        """Resolve the settings, flags included, and show their warnings. Raises ConfigurationError."""
        from cocosearch_py.config.load import load_settings

        own = {"logging.level": self._options.log_level, "database.url": self._options.database_url}
        loaded = load_settings(
            start=start_folder(self.environ, start),
            environ=self.environ,
            overrides={**own, **(overrides or {})},
            config_file=self._options.config,
        )
        for warning in loaded.warnings:
            self.warn(warning)
        return loaded

    def open(self, loaded: "LoadedSettings") -> "App":
        """Make the app of these settings; closed with the session. Opens no database and no model yet."""
        from cocosearch_py.app import App
        from cocosearch_py.cli.logs import set_up_logging

        set_up_logging(loaded.settings.logging, log_file(self.environ))
        self._app = App(loaded.settings, self.data_folder, git_ignore_file(self.environ), home_folder(self.environ))
        return self._app

    def open_default(self) -> "App":
        """The app of the settings as they are for this folder."""
        return self.open(self.load())

    @cached_property
    def console(self) -> "Console":
        """Standard output for people."""
        return self._console(sys.stdout)

    @cached_property
    def error_console(self) -> "Console":
        """Standard error for people."""
        return self._console(sys.stderr)

    def emit(self, payload: Any) -> None:
        """Print one JSON document: indented on a terminal, one line for programs."""
        print_json(payload, sys.stdout, indent=2 if sys.stdout.isatty() else None)

    def say(self, text: str) -> None:
        """Print one line of plain text, whatever the output is."""
        typer.echo(text)

    def note(self, text: str) -> None:
        """Tell something on standard error, unless --quiet."""
        if not self.quiet:
            typer.echo(text, err=True)

    def warn(self, text: str) -> None:
        """Tell on standard error what may be wrong, unless --quiet."""
        self.note(f"warning: {text}")

    def _console(self, stream: TextIO) -> "Console":
        from rich.console import Console

        return Console(
            file=stream,
            no_color=self._options.no_color or None,
            highlight=False,
            width=None if stream.isatty() else PIPED_WIDTH_COLUMNS,
        )


def print_json(payload: Any, stream: TextIO, indent: int | None = None) -> None:
    """Write one JSON document and a newline; escaped where the stream cannot hold every character."""
    readable = (stream.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json_format.dumps(payload, ensure_ascii=not readable, indent=indent), file=stream)
