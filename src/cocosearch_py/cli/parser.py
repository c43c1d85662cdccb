"""The parser of the command line: the values of a command's parameters, by their declarations."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NoReturn, get_args, get_origin

from cocosearch_py.cli.commands import Subcommand
from cocosearch_py.cli.options import GLOBAL_PARAMETERS, HELP, position_of_command
from cocosearch_py.config.paths import APP_NAME
from cocosearch_py.errors import CocosearchError
from cocosearch_py.tools.declaration import Flag, Parameter

_END = "--"  # what follows is no option
_MAX_SHOWN_CHARS = 60


class UsageError(CocosearchError):
    """Arguments that no command takes."""

    error_type = "usage_error"
    exit_code = 2

    def __init__(self, message: str, *, hint: str = "", details: Mapping[str, Any] | None = None, of: str = "") -> None:
        """Make the error of a command: its hint ends with how to get the command's help."""
        see = f"see `{APP_NAME} {of} --help`" if of else f"see `{APP_NAME} --help`"
        super().__init__(message, hint=f"{hint} {see}".strip(), details=details)


def parse(command: Subcommand, arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return a value for each parameter, global options included; None if the help is asked for.

    Raises:
        UsageError: the command does not take these arguments.
    """
    parameters = [*GLOBAL_PARAMETERS, *command.parameters]
    if command.passes_on:
        at = position_of_command(arguments)
        if at is not None and arguments[at] not in (*HELP, _END):
            arguments = [*arguments[:at], _END, *arguments[at:]]
    typed, after = _divided(_with_values_attached(arguments, parameters))
    if not HELP.isdisjoint(typed):
        return None
    options, words = _options(command, parameters).parse_known_args(typed)
    for word in words:
        if word.startswith("-") and word != "-" and not any(map(str.isspace, word)):
            raise _unknown_option(command, parameters, word)
    given = vars(options) | _placed(command, [*words, *after])
    for parameter in parameters:
        if parameter.name not in given and is_required(parameter):
            what = "option" if parameter.flag is not None and parameter.flag.names else "argument"
            raise UsageError(f"missing {what}: {_spelled(parameter)}", of=command.name)
    return {parameter.name: given.get(parameter.name, parameter.untyped) for parameter in parameters}


def type_of(parameter: Parameter) -> Any:
    """Return the type of what is typed, without None."""
    return get_args(parameter.typed)[0] if isinstance(parameter.typed, UnionType) else parameter.typed


def kind_of(parameter: Parameter) -> Any:
    """Return the type of what is typed, without None and without what a list holds."""
    return get_origin(type_of(parameter)) or type_of(parameter)


def is_required(parameter: Parameter) -> bool:
    """Whether the command does not run without the parameter."""
    return parameter.untyped is None and not isinstance(parameter.typed, UnionType)


def spellings(parameter: Parameter, *, hidden: bool = False) -> list[str]:
    """Return the names of an option, those that turn it off included."""
    flag = parameter.flag or Flag()
    names = [*flag.names, *(flag.hidden_names if hidden else ())]
    return [name.partition("/")[0] for name in names] + [name.partition("/")[2] for name in names if "/" in name]


class _Options(argparse.ArgumentParser):
    """Reads options. What is left over are the words, and options that the command does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(prog=name, usage="", add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "), of=self.prog)


class _Take(argparse.Action):
    """Reads the value of an option; it is the last of a list if the option can be repeated."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        text = values if isinstance(values, str) else _END  # which argparse takes out of the values
        try:
            value = _reader(self.const)(text)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, str(error)) from None
        if kind_of(self.const) is list:
            value = [*getattr(namespace, self.dest, ()), value]
        setattr(namespace, self.dest, value)


def _options(command: Subcommand, parameters: Iterable[Parameter]) -> argparse.ArgumentParser:
    options = _Options(command.name)
    for parameter in parameters:
        flag = parameter.flag or Flag()
        for names in (flag.names, flag.hidden_names):
            on = [name.partition("/")[0] for name in names]
            off = [name.partition("/")[2] for name in names if "/" in name]
            if not on:
                continue
            if kind_of(parameter) is bool:
                options.add_argument(*on, dest=parameter.name, action="store_true")
            else:
                options.add_argument(*on, dest=parameter.name, action=_Take, const=parameter)
            if off:
                options.add_argument(*off, dest=parameter.name, action="store_false")
    return options


def _with_values_attached(arguments: Iterable[str], parameters: Iterable[Parameter]) -> list[str]:
    """Write `--name value` as `--name=value`, also for a short name: a value may begin with a dash."""
    long = {
        name: next(item for item in spellings(parameter, hidden=True) if item.startswith("--"))
        for parameter in parameters
        if kind_of(parameter) is not bool and parameter.flag is not None and parameter.flag.names
        for name in spellings(parameter, hidden=True)
    }
    attached: list[str] = []
    rest = iter(arguments)
    for item in rest:
        if item == _END:
            return [*attached, item, *rest]
        value = next(rest, None) if item in long else None
        attached.append(item if value is None else f"{long[item]}={value}")
    return attached


def _divided(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Divide the arguments at `--`."""
    end = arguments.index(_END) if _END in arguments else len(arguments)
    return arguments[:end], arguments[end + 1 :]


def _placed(command: Subcommand, words: list[str]) -> dict[str, Any]:
    """Give the words to the parameters that have no option, in order."""
    given: dict[str, Any] = {}
    for parameter in command.parameters:
        if not words or parameter.flag is None or parameter.flag.names:
            continue
        read = _reader(parameter)
        count = len(words) if kind_of(parameter) is list else 1
        try:
            values = [read(word) for word in words[:count]]
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"{_spelled(parameter)}: {error}", of=command.name) from None
        given[parameter.name] = values if kind_of(parameter) is list else values[0]
        words = words[count:]
    if words:
        raise UsageError(f"unexpected argument '{words[0][:_MAX_SHOWN_CHARS]}'", of=command.name)
    return given


def _reader(parameter: Parameter) -> Callable[[str], Any]:
    """Return the function that makes the value of a text; it raises ArgumentTypeError."""
    kind, flag = kind_of(parameter), parameter.flag or Flag()

    def read(text: str) -> Any:
        if kind in (int, float):
            return _number(kind, flag, text)
        if kind is Literal and text not in (choices := get_args(type_of(parameter))):
            raise argparse.ArgumentTypeError(f"'{text[:_MAX_SHOWN_CHARS]}' is none of {', '.join(choices)}")
        if flag.filled and not text.strip():
            raise argparse.ArgumentTypeError("the name is empty")
        return Path(text) if kind is Path else text

    return read


def _number(kind: type[int] | type[float], flag: Flag, text: str) -> float:
    try:
        number = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError(f"'{text[:_MAX_SHOWN_CHARS]}' is not {what}") from None
    least = float("-inf") if flag.minimum is None else flag.minimum
    most = float("inf") if flag.maximum is None else flag.maximum
    if least <= number <= most:
        return number
    if flag.maximum is None:
        raise argparse.ArgumentTypeError(f"{number} is less than {flag.minimum}, the minimum")
    raise argparse.ArgumentTypeError(f"{number} is not between {flag.minimum} and {flag.maximum}")


def _unknown_option(command: Subcommand, parameters: Iterable[Parameter], word: str) -> UsageError:
    name = word.partition("=")[0]
    names = [
        item
        for parameter in parameters
        if parameter.flag and not parameter.flag.hidden
        for item in spellings(parameter)
    ]
    longer = [item for item in names if len(name) > len("--") and item.startswith(name)]
    near = longer or get_close_matches(name, names, n=1)
    hint = f"did you mean {', '.join(f'`{item}`' for item in near)}?" if near else ""
    return UsageError(f"unknown option '{name[:_MAX_SHOWN_CHARS]}'", hint=hint, of=command.name)


def _spelled(parameter: Parameter) -> str:
    flag = parameter.flag or Flag()
    return "/".join(flag.names) or flag.metavar.strip("[].")
