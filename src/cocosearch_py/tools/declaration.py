"""Declaration of a tool: its arguments for agents and on the command line, its answer, its place."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from cocosearch_py.model.answers import Bounds
from cocosearch_py.tools.answer import Fitted, Listed, shortened
from cocosearch_py.tools.sizes import DEFAULT, PATHS, Size, require_size

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus
    from cocosearch_py.tools.call import Call

A = TypeVar("A")  # arguments
R = TypeVar("R")  # report

TOOLSETS = ("search", "navigate", "graph", "quality", "index", "edit", "wiki")
EDIT = "edit"  # the toolset whose tools that write are in no other: who wants files written says so
SAME: Any = object()  # what the parameter itself has


class About(NamedTuple):
    """Description of a parameter for agents. A parameter without one is not offered to them."""

    text: str


class _Unlisted:
    """Type of UNLISTED."""


# Beside an About: the parameter is accepted and checked, but no list of tools shows it. Agents read every list, and
# most calls do without it.
UNLISTED = _Unlisted()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flag:
    """How a parameter is given on the command line. One without a flag cannot be given there.

    Attributes:
        names: spellings; none means that it is given by its place.
        hidden_names: further spellings, of other programs, that help does not show.
        hidden: whether help leaves it out.
        help: for people; the parameter's meaning unless it says something else.
        type, default: of what is typed, where they are not the parameter's.
        read: makes the parameter's value from what was typed.
        setting: dotted key of the setting that the flag overrides, and that holds without it.
        minimum, maximum: inclusive bounds of a number.
        filled: refuse an empty text, which would silently mean the default.
        starts: the folder whose configuration holds for the command.
        stands_for: name of the parameter that this is another way to give; `read` makes its value.
        several: name of the parameter that is given instead where more than one is typed; it has no flag of its own.
            An operation without that parameter takes one.
        piped: `-` means standard input, and `@FILE` the text of a file. A parameter without a default also reads
            standard input when nothing is typed.
    """

    names: tuple[str, ...] = ()
    hidden_names: tuple[str, ...] = ()
    hidden: bool = False
    help: str = ""
    metavar: str = ""
    type: Any = SAME
    default: Any = SAME
    read: Callable[[Any], Any] | None = None
    setting: str = ""
    minimum: float | None = None
    maximum: float | None = None
    filled: bool = False
    starts: bool = False
    stands_for: str = ""
    several: str = ""
    piped: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A field of an operation's arguments; `default` is MISSING where a value must be given.

    A number outside its `bounds` is refused, and any value larger than its `size`.
    """

    name: str
    type: Any
    default: Any
    about: str | None
    flag: Flag | None
    listed: bool = True
    bounds: Bounds | None = None
    size: Size = DEFAULT

    @property
    def typed(self) -> Any:
        """The type of what is typed on the command line."""
        return self.type if self.flag is None or self.flag.type is SAME else self.flag.type

    @property
    def untyped(self) -> Any:
        """Value on the command line when nothing is typed."""
        if self.flag is not None and self.flag.default is not SAME:
            return self.flag.default
        return None if self.default is MISSING else self.default


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Command(Generic[A, R]):
    """The command that does the same on the command line.

    Attributes:
        help: what it does, for people.
        shape: its JSON where that is not the tool's answer.
        exit_code: 0 unless it says otherwise.
        hidden_names: other names under which it answers.
    """

    name: str
    help: str
    shape: Callable[[R, A], Any] | None = None
    exit_code: Callable[[R, A], int] | None = None
    hidden_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alias:
    """The name of the same work in another program: called as it is there, never listed.

    Where it is the tool's own name, it stands for a call without any arguments.

    Attributes:
        program: whose name it is.
        parameters: its parameters that have another name here. Those of the operation are understood as well.
        means: what it asks for unless the call says otherwise; the other program's defaults among it.
        chosen_by: a parameter of its own and the value that means this operation, where several have the name.
        chosen_first: of these, the one that is meant when the call does not choose.
        adapt: makes the operation's arguments of those that still differ.
        dialect: where it differs in more than names, what is done instead: `module.NAME` of an `Operation` in
            `compat`, with parameters, ranges, defaults, answers and errors of its own.
    """

    name: str
    program: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    means: Mapping[str, Any] = field(default_factory=dict)
    chosen_by: tuple[str, str] | None = None
    chosen_first: bool = False
    adapt: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    dialect: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting(Generic[R]):
    """The report of a job that has to be waited for, `wait_s` at most.

    A caller who leaves stops the jobs of `stops`.
    """

    job: "JobStatus"
    wait_s: float
    then: "Callable[[JobStatus], R]"
    stops: "tuple[JobStatus, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operation(Generic[A, R]):
    """One thing that the product does.

    Attributes:
        name: of the tool; agents also read `title` and `about`.
        about: what it does, for agents; the docstring of `run` if empty.
        view: `module.function`, below our package, that shows its answer to people; without one it is shown as a table
            or a list of fields.
        lines: `module.function` that takes the lines of text from an answer, or None. They are printed into any output
            unless JSON is asked for.
        lines_are_data: whether a pipe gets control characters of these lines unchanged, as paths for other programs.
        arguments: a dataclass whose fields are the parameters.
        run: does the work; blocks. Or gives the job to wait for.
        shape: what is answered of a report; `answer` is the type of that, and gives the JSON Schema.
        command: on the command line; None where there is none.
        remarks: `module.function` that prints remarks on an answer on standard error, beside every output.
        toolset: in which agents find it; None where it is no tool.
        order: among the tools of the same toolset.
        listed: to agents of a server that names neither its toolset nor itself; they may call it in any case.
        verbatim: the schemas of its parameters are CocoSearch's, and lists show them as they are.
        about_indexes: without the name of an index, it is about the project of the caller.
        about_project: it is about the project of the caller in any case.
        names_index: the parameter that names the index.
        names_folder: the parameter that is a folder whose index is meant, relative to the caller's project.
        implied: by parameter, the values that others have if it is given and they are not: what needs no naming then.
        needs: the feature that the indexes must have been made with, symbol or graph; none if empty.
        writes, destroys: what it may change.
        minimal: in the smallest toolset.
        failure: what stands before the message of a failed call.
        error_is_text: `error` of a failed call is its message, as in CocoSearch; elsewhere it is true.
        failed: what a failed call answers, made of our description of the error; a text is sent as it is.
        aliases: names that other programs gave to it.
    """

    name: str
    title: str
    arguments: type[A]
    run: "Callable[[Call, A], R | Waiting[R]]"
    shape: Callable[[R, A], Any]
    answer: Any
    about: str = ""
    view: str = ""
    lines: str = ""
    lines_are_data: bool = False
    command: Command[A, R] | None = None
    remarks: str = ""
    toolset: str | None = None
    order: int = 0
    listed: bool = True
    verbatim: bool = False
    about_indexes: bool = False
    about_project: bool = False
    names_index: str = "index_name"
    names_folder: str = ""
    implied: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    needs: str = ""
    writes: bool = False
    destroys: bool = False
    minimal: bool = False
    failure: str = ""
    error_is_text: bool = False
    failed: Callable[[dict[str, Any]], Any] | None = None
    aliases: tuple[Alias, ...] = ()

    @property
    def description(self) -> str:
        """Description for agents."""
        return self.about or inspect.getdoc(self.run) or ""

    @property
    def edits(self) -> bool:
        """Whether it changes files of the project."""
        return self.writes and self.toolset == EDIT

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The fields of the arguments, in order."""
        return parameters_of(self.arguments)  # type: ignore[arg-type]  # a class is hashable

    def asked(self, values: Mapping[str, Any]) -> A:
        """Make the arguments from values by name. All front ends call this, so that every value is checked.

        Raises:
            ValidationError: a value is larger than its parameter's size, or is not text.
        """
        self.check_sizes(values)
        return self.arguments(**values)

    def check_sizes(self, values: Mapping[str, Any]) -> None:
        """Raise ValidationError if a value is larger than its parameter's size, or is not text. Types do not matter."""
        for one in self.parameters:
            if one.name in values:
                require_size(one.name, values[one.name], one.size)


def fields_of(arguments: Any) -> Iterable[Any]:
    """Return the fields of a class of arguments, in order; each has a `name` and a `default`."""
    if not issubclass(arguments, msgspec.Struct):
        return fields(arguments)
    return msgspec.structs.fields(arguments)


def with_values(asked: A, changes: Mapping[str, Any]) -> A:
    """Return the arguments with some values replaced."""
    if isinstance(asked, msgspec.Struct):
        return msgspec.structs.replace(asked, **changes)
    return replace(asked, **changes)  # type: ignore[type-var]  # a dataclass


@cache
def parameters_of(arguments: type) -> tuple[Parameter, ...]:
    """The fields of a dataclass of arguments, in order."""
    hints = get_type_hints(arguments, include_extras=True)
    found = []
    for one in fields_of(arguments):
        kind, extras = _parted(hints[one.name])
        about = next((item.text for item in extras if isinstance(item, About)), None)
        flag = next((item for item in extras if isinstance(item, Flag)), None)
        bounds = next((item for item in extras if isinstance(item, Bounds)), None)
        # Parameters of the command line alone are a person's own, and most name files of this machine.
        size = next((item for item in extras if isinstance(item, Size)), PATHS if about is None else DEFAULT)
        default = MISSING if one.default is msgspec.NODEFAULT else one.default
        found.append(Parameter(one.name, kind, default, about, flag, UNLISTED not in extras, bounds, size))
    return tuple(found)


def _parted(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type, and what is annotated."""
    return (get_args(hint)[0], hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def tool(
    package: str,
    name: str,
    *,
    arguments: type[A],
    answer: Any,
    about: str = "",
    module: str = "service",
    shortens: Listed | None = None,
    view: str = "",
    lines: str = "",
    remarks: str = "",
    **placement: Any,
) -> Operation[A, Any]:
    """Declare a tool of a feature.

    The function that answers has the tool's name and stands in a module of the feature, with a docstring of its own
    if there is more to say than `about`. It is imported at the first call, so that a server lists all tools, and the
    command line its help, without the drivers and parsers that single calls need.

    Args:
        package: the feature's package.
        arguments, answer: types that the function takes and returns; an answer may be a union or a list of types.
        about: what it does, for agents; a command that is no tool has none.
        module: name of the module that holds the function.
        shortens: the list of the answer that is shortened first; see `shortened`.
        view: the function of the feature's `views.py` that shows the answer on a terminal; a table without one.
        lines: the function of `views.py` that takes text from the answer; see `Operation`.
        remarks: the function of `remarks.py` that remarks on the answer; see `Operation`.
        placement: see `Operation`.
    """

    def run(call: "Call", asked: A) -> Any:
        function: Callable[[Call, A], Any] = getattr(import_module(f"{package}.{module}"), name)
        return function(call, asked)

    def shape(answered: Any, asked: A) -> Any:
        if isinstance(answered, Fitted):
            return answered.fitted(asked)
        max_tokens: int | None = getattr(asked, "max_tokens", None)
        return shortened(answered, shortens, max_tokens, compact=getattr(asked, "compact", False))

    views = f"{package.partition('.')[2]}.views"
    return Operation(
        name=name,
        arguments=arguments,
        answer=answer,
        about=about,
        run=run,
        shape=shape,
        view=f"{views}.{view}" if view else "",
        lines=f"{views}.{lines}" if lines else "",
        remarks=f"{package.partition('.')[2]}.remarks.{remarks}" if remarks else "",
        **placement,
    )
