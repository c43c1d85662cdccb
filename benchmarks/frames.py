"""Stack traces through a repository's functions, as the runtimes of eight languages print them.

Three to five frames: one to three of the repository, around them those of standard libraries and other packages, some
of which are deeper. The right answer is the deepest frame of the repository.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from random import Random

from pastes import Case, Repository, Symbol, one_of_each

_FUNCTIONS = frozenset({"function", "method", "constructor"})
_STATEMENT = re.compile(r"(?!\s*(?:#|//|/?\*|--|\"\"\"|'''))\s*[\w@(].*\w")
_NUMBER = "@@"  # stands in a frame for its place, where the runtime prints that
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)
_NAMESPACE = re.compile(r"^\s*namespace\s+([\w.\\]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a function of the repository."""

    path: str
    line: int
    text: str  # of the line
    owner: str  # enclosing class or module; may be empty
    function: str
    space: str  # package or namespace that the file declares; may be empty
    root: str  # the checkout that the program ran from


def _python(frame: Frame) -> str:
    return f'  File "{frame.root}/{frame.path}", line {frame.line}, in {frame.function}\n    {frame.text}'


def _javascript(frame: Frame) -> str:
    named = f"{frame.owner}.{frame.function}" if frame.owner else frame.function
    return f"    at {named} ({frame.root}/{frame.path}:{frame.line}:{7 + frame.line % 20})"


def _java(frame: Frame) -> str:
    file = PurePosixPath(frame.path)
    around = f"{frame.space}." if frame.space else ""
    function = "<init>" if frame.function == frame.owner else frame.function
    return f"\tat {around}{frame.owner or file.stem}.{function}({file.name}:{frame.line})"


def _go(frame: Frame) -> str:
    package = PurePosixPath(frame.path).parent.name or frame.space
    return f"github.com/u/{package}.{frame.function}(...)\n\t{frame.root}/{frame.path}:{frame.line} +0x1d"


def _rust(frame: Frame) -> str:
    module = PurePosixPath(frame.path).stem
    return f"   {_NUMBER}: {module}::{frame.function}\n             at ./{frame.path}:{frame.line}:9"


def _csharp(frame: Frame) -> str:
    around = f"{frame.space}." if frame.space else ""
    function = ".ctor" if frame.function == frame.owner else frame.function
    return f"   at {around}{frame.owner}.{function}() in {frame.root}/{frame.path}:line {frame.line}"


def _ruby(frame: Frame) -> str:
    return f"{frame.root}/{frame.path}:{frame.line}:in `{frame.function}'"


def _php(frame: Frame) -> str:
    around = f"{frame.space}\\" if frame.space else ""
    return f"#{_NUMBER} {frame.root}/{frame.path}({frame.line}): {around}{frame.owner}->{frame.function}()"


@dataclass(frozen=True, slots=True)
class Form:
    """How a language's runtime prints a trace. `shallow` and `deep` are frames from outside the repository."""

    print: Callable[[Frame], str]
    head: str
    shallow: Sequence[str]
    deep: Sequence[str]
    deepest_last: bool = False
    foot: str = ""


_PYTHON = Form(
    _python,
    "Traceback (most recent call last):",
    (
        '  File "/usr/lib/python3.11/runpy.py", line 198, in _run_module_as_main\n'
        "    return _run_code(code, main_globals, None,",
        '  File "/usr/lib/python3.11/threading.py", line 982, in run\n    self._target(*self._args, **self._kwargs)',
    ),
    (
        '  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n    obj, end = self.scan_once(s, idx)',
        '  File "/opt/venv/lib/python3.11/site-packages/yaml/scanner.py", line 60, in fetch\n    self.check_plain()',
    ),
    deepest_last=True,
    foot="ValueError: unexpected value",
)
_JAVASCRIPT = Form(
    _javascript,
    "TypeError: Cannot read properties of undefined (reading 'id')",
    ("    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",),
    (
        "    at JSON.parse (<anonymous>)",
        "    at Object.debug (/home/u/app/node_modules/debug/src/common.js:112:8)",
        "    at new Promise (<anonymous>)",
    ),
)
_JAVA = Form(
    _java,
    'Exception in thread "main" java.lang.IllegalStateException: unexpected state',
    ("\tat java.base/java.lang.Thread.run(Thread.java:840)",),
    (
        "\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)",
        "\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1596)",
    ),
)
_GO = Form(
    _go,
    "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:",
    ("runtime.main()\n\t/usr/local/go/src/runtime/proc.go:271 +0x29d",),
    ("panic({0x5b1f40?, 0x7c3e50?})\n\t/usr/local/go/src/runtime/panic.go:770 +0x132",),
)
_RUST = Form(
    _rust,
    "thread 'main' panicked: called `Option::unwrap()` on a `None` value\nstack backtrace:",
    (
        "   @@: std::rt::lang_start\n"
        "             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/rt.rs:195:17",
    ),
    (
        "   @@: core::option::unwrap_failed\n"
        "             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/option.rs:1972:5",
    ),
)
_CSHARP = Form(
    _csharp,
    "Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.",
    ("   at System.Threading.Tasks.Task.Execute()",),
    ("   at System.Collections.Generic.List`1.get_Item(Int32 index)", "   at System.String.Concat(String a, String b)"),
)
_RUBY = Form(
    _ruby,
    "undefined method `id' for nil:NilClass (NoMethodError)",
    ("/usr/lib/ruby/gems/3.2.0/gems/puma-6.4.2/lib/puma/thread_pool.rb:155:in `block in spawn_thread'",),
    ("/usr/lib/ruby/3.2.0/json/common.rb:216:in `parse'", "<internal:kernel>:187:in `loop'"),
)
_PHP = Form(
    _php,
    "PHP Fatal error:  Uncaught TypeError: unexpected value\nStack trace:",
    ("#@@ {main}",),
    (
        "#@@ [internal function]: array_map()",
        "#@@ /home/u/app/vendor/monolog/monolog/src/Monolog/Logger.php(390): Monolog\\Logger->addRecord()",
    ),
)
FORMS = {
    "python": _PYTHON,
    **dict.fromkeys(("javascript", "typescript", "tsx"), _JAVASCRIPT),
    **dict.fromkeys(("java", "kotlin", "scala"), _JAVA),
    "go": _GO,
    "rust": _RUST,
    "csharp": _CSHARP,
    "ruby": _RUBY,
    "php": _PHP,
}


def draw_frames(repository: Repository, per: int) -> Iterator[Case]:
    """Traces of which each has its deepest frame in another file."""
    names = Counter(PurePosixPath(path).name for path in repository.paths)
    functions: dict[str, list[Symbol]] = {}
    for symbol in repository.symbols:
        if symbol.kind in _FUNCTIONS and not symbol.function_depth and symbol.end_line > symbol.start_line:
            functions.setdefault(symbol.path, []).append(symbol)
    paths = [
        path
        for path in repository.sources
        if path in functions
        and (form := FORMS.get(repository.languages[path]))
        and (form is not _JAVA or names[PurePosixPath(path).name] == 1)  # its frames have no folders
    ]

    def draw(path: str) -> Case | None:
        language = repository.languages[path]
        chance = repository.chance("frame", path)
        others = [one for one in paths if one != path and repository.languages[one] == language]
        called = [path, *chance.sample(others, min(len(others), chance.randrange(3)))]
        frames = [_frame(repository, chance.choice(functions[one]), chance) for one in called]
        query = _trace(FORMS[language], frames, chance)
        return Case("frame", query, frozenset({path}), ((path, frames[0].line),))

    yield from one_of_each(repository, paths, "frame", per, draw)


def _frame(repository: Repository, symbol: Symbol, chance: Random) -> Frame:
    text = repository.texts[symbol.path]
    lines = text.split("\n")
    inside = range(symbol.start_line + 1, min(symbol.end_line, len(lines)) + 1)
    line = chance.choice([number for number in inside if _STATEMENT.match(lines[number - 1])] or [symbol.start_line])
    *owners, function = symbol.qualified_name.split(".")
    space = _PACKAGE.search(text) or _NAMESPACE.search(text)
    owner = owners[-1] if owners else ""
    root = f"/home/u/src/{repository.name}"
    return Frame(symbol.path, line, lines[line - 1].strip(), owner, function, space[1] if space else "", root)


def _trace(form: Form, frames: Sequence[Frame], chance: Random) -> str:
    """The trace of these frames, given the deepest first, with one to two frames from outside."""
    printed = [form.print(frame) for frame in frames]
    if chance.random() < 0.5:
        printed.insert(0, chance.choice(form.deep))
    printed.append(chance.choice(form.shallow))
    if len(printed) < 3:
        printed.insert(1 + (printed[0] in form.deep), chance.choice(form.deep))
    if form.deepest_last:
        printed.reverse()
    numbered = [text.replace(_NUMBER, str(place)) for place, text in enumerate(printed)]
    return "\n".join(filter(None, [form.head, *numbered, form.foot]))
