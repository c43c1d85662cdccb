"""Context of one command: its options, the settings, the app, and its output."""

import json as json_format
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.options import GlobalOptions
from cocosearch_py.cli.streams import put, put_data
from cocosearch_py.config.load import LoadedSettings, load_settings
from cocosearch_py.config.paths import data_folder, start_folder
from cocosearch_py.config.process import process_environment
from cocosearch_py.errors import CocosearchError, OperationCancelled, ValidationError
from cocosearch_py.model.terminal import visible_json
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.prose import wrapped
from cocosearch_py.tools.wording import in_commands

if TYPE_CHECKING:
    from rich.console import Console

NOTHING_LOST = "nothing saved was lost: run the same command again"  # hint after an interrupt
_USUAL_COLUMNS = 80
_UNBOUNDED_COLUMNS = 1_000_000  # where nothing has a width, nothing is cut or folded
_CONSOLE_LINES = 25  # nothing is laid out by height; rich takes a width from us only together with one


class Session:
    """Context of one command; use as a context manager, which closes what the command opened."""

    def __init__(self, options: GlobalOptions) -> None:
        self.asked_json = options.json
        self.roots = set[str]()  # folders of the indexes that the command has found
        self.one_line = False  # Whether each JSON document is one line: the command prints several.
        self.quiet = options.quiet
        self.verbose = options.verbose
        self.environ = process_environment()
        self.command = ""  # its first words, which advice is about
        self._options = options
        self.opened = ExitStack()
        self._output: str | None = None  # The setting `cli.output`; "" if the settings cannot be loaded.
        self._warned: set[str] = set()
        self._is_paging = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    @cached_property
    def json(self) -> bool:
        """Whether the output is JSON: by a flag, else by the setting, else because standard output is no terminal."""
        if self._options.json or self._options.pretty:
            return self._options.json
        if self._output is None:
            try:
                self.load()
            except CocosearchError:  # Commands that need the settings report it; the others work without them.
                self._output = ""
        return self._output == "json" or (self._output != "text" and not sys.stdout.isatty())

    @property
    def chose_configuration(self) -> bool:
        """Whether the user named the configuration file, with --config."""
        return self._options.config is not None

    @property
    def folder(self) -> Path:
        """Folder that a command without a path works on."""
        return start_folder(self.environ)

    @property
    def data_folder(self) -> Path:
        """Where the embedded database is kept."""
        return data_folder(self.environ)

    def load(self, overrides: Mapping[str, object] | None = None, *, start: Path | None = None) -> LoadedSettings:
        """Resolve the settings, flags included, and show their warnings, each once. Raises ConfigurationError."""
        own = {"logging.level": self._options.log_level, "database.url": self._options.database_url}
        loaded = load_settings(
            start=start_folder(self.environ, start),
            environ=self.environ,
            overrides={**own, **(overrides or {})},
            config_file=self._options.config,
        )
        self._output = loaded.settings.cli.output
        for warning in loaded.warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                self.warn(warning)
        return loaded

    @cached_property
    def console(self) -> "Console":
        """Standard output for people."""
        return self._console(sys.stdout)

    @cached_property
    def error_console(self) -> "Console":
        """Standard error for people."""
        return self._console(sys.stderr)

    @contextmanager
    def paged(self) -> Iterator[None]:
        """Collect the text for people that is printed meanwhile; a pager shows it if it is longer than the screen."""
        streams = (sys.stdin, sys.stdout)
        if self.json or self._options.no_pager or self._is_paging or not all(stream.isatty() for stream in streams):
            yield
            return
        self._is_paging = True
        try:
            with self.console.pager(load("cli.terminal.LongPager")(self.console, self.environ), styles=True):
                yield
        finally:
            self._is_paging = False

    def emit(self, payload: Any) -> None:
        """Print one JSON document: indented on a terminal, one item a line for programs."""
        if sys.stdout.isatty():
            put_data(as_json(payload, sys.stdout, indent=2), sys.stdout)
            return
        if not self._options.json and self._output != "json" and sys.stderr.isatty():
            self.note(f"JSON, since the output is a {_kind(sys.stdout)}; --pretty for text")
        put_data(as_json(payload, sys.stdout) if self.one_line else as_lines(payload, sys.stdout), sys.stdout)

    def near(self, path: str) -> str:
        """Return an absolute path as a person in the current folder would type it.

        That is relative to the folder of an index of this command, if it is inside.
        """
        root = next((root for root in self.roots if path.startswith(f"{root.rstrip('/')}/")), "")
        return local_path(root, path[len(root) :].lstrip("/") if root else path)

    def say(self, text: str) -> None:
        """Print one line of plain text, whatever the output is."""
        self._put(text, sys.stdout)

    def say_data(self, text: str) -> None:
        """Print one line that programs read, such as a path: unchanged unless the output is a terminal."""
        if self._is_paging:
            self._put(text, sys.stdout)
        else:
            put_data(text, sys.stdout)

    def note(self, text: str) -> None:
        """Print a sentence on standard error, unless --quiet."""
        if not self.quiet:
            self.complain(in_commands(text, self.command))

    def complain(self, text: str) -> None:
        """Print a sentence on standard error, wrapped if that is a terminal."""
        if sys.stderr.isatty():
            columns = self._columns(sys.stderr) or os.get_terminal_size(sys.stderr.fileno()).columns
            text = wrapped(text, columns or _USUAL_COLUMNS)
        self._put(text, sys.stderr)

    def warn(self, text: str) -> None:
        """Print a warning on standard error, unless --quiet."""
        self.note(f"warning: {text}")

    def _put(self, text: str, stream: TextIO) -> None:
        """Print one line; among the text for a pager where that is collected and the stream is a terminal."""
        if self._is_paging and stream.isatty():
            self.console.print(text, markup=False, soft_wrap=True)
        else:
            put(text, stream)

    def _console(self, stream: TextIO) -> "Console":
        width = self._columns(stream)
        console: Console = load("render.console.SafeConsole")(
            file=stream,
            no_color=self._options.no_color or None,
            highlight=False,
            width=width,
            height=None if width is None else _CONSOLE_LINES,
        )
        return console

    def _columns(self, stream: TextIO) -> int | None:
        """COLUMNS where it is a number, else the width of the terminal; None leaves that to rich, which follows it."""
        given = self.environ.get("COLUMNS", "")
        if given.isdecimal() and int(given) > 0:
            return int(given)
        if not stream.isatty():
            return _UNBOUNDED_COLUMNS
        # A terminal without abilities still has a width; rich takes 80 columns for it.
        dumb = self.environ.get("TERM", "").lower() in ("dumb", "unknown")
        return os.get_terminal_size(stream.fileno()).columns or None if dumb or given else None


def in_session(options: GlobalOptions, work: Callable[[Session], int | None]) -> int | None:
    """Run one command and close what it opened; returns its exit code.

    Raises:
        ValidationError: options that contradict each other.
        OperationCancelled: Ctrl-C, in a command that does not handle it.
    """
    if options.json and options.pretty:
        raise ValidationError("--json and --pretty cannot be combined", hint="give only one of them")
    try:
        with Session(options) as session:
            return work(session)
    except KeyboardInterrupt:
        raise OperationCancelled("interrupted") from None


def as_lines(payload: Any, stream: TextIO) -> str:
    """Return one JSON document for `head` and `grep`: one item of the list a line, one key of the object a line.

    The items of the object's lists have a line each as well; whatever is further down shares its line.
    """
    if isinstance(payload, dict):
        members = [f"{as_json(str(key), stream)}: {_items(value, stream, '  ')}" for key, value in payload.items()]
        return _block("{", members, "}", "")
    return _items(payload, stream, "")


def _items(value: Any, stream: TextIO, indent: str) -> str:
    if not isinstance(value, list | tuple):
        return as_json(value, stream)
    return _block("[", [as_json(item, stream) for item in value], "]", indent)


def _block(start: str, lines: list[str], end: str, indent: str) -> str:
    if not lines:
        return start + end
    return start + "".join(f"\n{indent}  {line}," for line in lines)[:-1] + f"\n{indent}{end}"


def _kind(stream: TextIO) -> str:
    try:
        return "file" if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else "pipe"
    except OSError:
        return "pipe"


def as_json(payload: Any, stream: TextIO, indent: int | None = None) -> str:
    """The text of one JSON document; escaped where the stream cannot hold, or would hide, a character."""
    readable = (stream.encoding or "").lower().replace("-", "") == "utf8"
    text = json_format.dumps(payload, ensure_ascii=not readable, indent=indent)
    return visible_json(text) if stream.isatty() else text
