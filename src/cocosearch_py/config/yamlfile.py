"""One configuration file: YAML to checked values, each with its line, every mistake with line and column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import cast

import yaml

from cocosearch_py.config.keys import setting_rules
from cocosearch_py.config.names import nearest
from cocosearch_py.config.rules import Kind, Rule, WrongValueError, check, parse
from cocosearch_py.config.settings import IGNORED_SECTIONS, TOLERATED_SECTIONS, TRUST_KEY
from cocosearch_py.discovery.regular_files import open_regular
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.model.redaction import MASK

MAX_FILE_BYTES = 64 * 1024  # a configuration file has a few hundred bytes, and YAML takes 10 s for a megabyte
_MAX_DEPTH = 20  # of lists and mappings in each other; settings need three
_MAX_ALIASES = 100  # each may stand for a value as long as the file
_MAX_PROBLEMS = 20  # that a message lists
_MAX_PROBLEM_CHARS = 300  # of one problem, which may quote the file

NO_VARIABLES = "environment variables may be secret; only files that you trust can use them"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class FromFile:
    """Settings found in one file: dotted key to checked value, and to its line (1-based).

    `refused` has, for each key that the file may not set, why; its value equals nothing where it was not worked out.
    `masked` has the text of values with variables in them, what the environment gave hidden.
    """

    path: Path
    values: Mapping[str, object]
    lines: Mapping[str, int]
    refused: Mapping[str, tuple[object, str]]
    warnings: tuple[str, ...]
    masked: Mapping[str, str]


class Standing(StrEnum):
    """Author of a file, which decides the settings that it may change."""

    USER = "the user: everything"
    TRUSTED = "a project that the user trusts: everything but whom to trust"
    UNKNOWN = "somebody: what concerns the project alone, and nothing of the environment"


def read_yaml_file(path: Path, environ: Mapping[str, str], standing: Standing) -> FromFile:
    """Read a configuration file, with `${VAR}` and `${VAR:-default}` in its values replaced from `environ`.

    A value with a variable in it is read as text from the environment is: "${SIZE}" may give an integer. In a file
    of unknown standing no variable is looked at: neither its value nor whether it is set shows in the settings.

    Raises:
        ConfigurationError: the file cannot be read, is not YAML, or has unknown keys, wrong values or
            variables that are not set; the first of those in one message, each as "file:line:column: what".
    """
    root = _compose(path, standing)
    reader = _Reader(path, environ, standing)
    reader.read_root(root)
    if reader.problems:
        if more := reader.problem_count - len(reader.problems):
            reader.problems.append(f"... and {more:,} more")
        raise ConfigurationError("\n".join(reader.problems), hint=f"edit {path}; docs/configuration.md lists every key")
    return FromFile(path, reader.values, reader.lines, reader.refused, tuple(reader.warnings), reader.masked)


class _Loader(yaml.SafeLoader):
    """Loader that refuses deep nesting and many aliases."""

    depth = 0
    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.depth += 1
        self.aliases += self.check_event(yaml.AliasEvent)
        if self.depth > _MAX_DEPTH or self.aliases > _MAX_ALIASES:
            what = "nested too deeply" if self.depth > _MAX_DEPTH else "too many aliases"
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, what, mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _compose(path: Path, standing: Standing) -> yaml.Node | None:
    text = _read_text(path, standing)
    try:
        return yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        what = ", ".join(part for part in (error.context, error.problem) if part)[:_MAX_PROBLEM_CHARS]
        raise ConfigurationError(f"{path}{place}: not valid YAML: {what}", hint="fix the syntax there") from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = f"{before.count(chr(10)) + 1}:{error.position - before.rfind(chr(10))}"
        raise ConfigurationError(
            f"{path}:{place}: not valid YAML: {error.reason}", hint="remove the character there"
        ) from error


def _read_text(path: Path, standing: Standing) -> str:
    try:
        # The user may name a pipe, as `--config <(command)` does.
        with path.open("rb") if standing is Standing.USER else open_regular(path) as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its permissions"
        ) from error
    if len(content) > MAX_FILE_BYTES:
        raise ConfigurationError(
            f"{path} is larger than {MAX_FILE_BYTES // 1024} KiB", hint="check that this is a configuration file"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(f"{path}:{line}: not UTF-8 text", hint="save the file as UTF-8") from error


@dataclass(slots=True)
class _Reader:
    """Walks the nodes of one file and gathers values, lines and problems."""

    path: Path
    environ: Mapping[str, str]
    standing: Standing
    refused: dict[str, tuple[object, str]] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    masked: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    problem_count: int = 0

    def read_root(self, root: yaml.Node | None) -> None:
        if root is None or _is_null(root):
            return
        if not isinstance(root, yaml.MappingNode):
            self.problem(root, "expected keys and values at the top level")
            return
        sections = {key.partition(".")[0] for key in setting_rules() if "." in key}
        for name, key_node, node in self.entries(root):
            if name in sections:
                self.read_section(name, node)
            elif name in IGNORED_SECTIONS:
                self.warnings.append(f"{self.path.name}:{_line(key_node)}: {name} is ignored: not supported here")
            elif name not in TOLERATED_SECTIONS:
                self.read_setting(name, key_node, node)

    def read_section(self, section: str, node: yaml.Node) -> None:
        if _is_null(node):  # a section whose keys are all commented out
            return
        if not isinstance(node, yaml.MappingNode):
            self.problem(node, f"{section}: expected keys and values below it")
            return
        for name, key_node, value_node in self.entries(node):
            self.read_setting(f"{section}.{name}", key_node, value_node)

    def entries(self, node: yaml.MappingNode) -> list[tuple[str, yaml.Node, yaml.Node]]:
        """Return name, key node and value node of each entry; doubled keys are problems."""
        entries: dict[str, tuple[str, yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.problem(key_node, "expected a name as the key")
            elif key_node.value in entries:
                self.problem(key_node, f"the key '{key_node.value}' appears twice")
            else:
                entries[key_node.value] = (key_node.value, key_node, value_node)
        return list(entries.values())

    def read_setting(self, key: str, key_node: yaml.Node, node: yaml.Node) -> None:
        rules = setting_rules()
        if key not in rules:
            self.problem(key_node, f"unknown key '{key}'{self.suggestion(key)}")
            return
        self.lines[key] = _line(key_node)
        try:
            if self.standing is Standing.UNKNOWN and _has_variable(node):
                self.refused[key] = object(), NO_VARIABLES
                return
            value = self.value(rules[key], node)
            if not self.may_set(key, rules[key]):
                self.refused[key] = value, rules[key].user_only
            else:
                self.values[key] = value
                if isinstance(node, yaml.ScalarNode) and _has_variable(node):
                    self.masked[key] = self.substitute(node.value, masked=True)
        except WrongValueError as error:
            self.problem(node, f"{key}: {error}")
        except _MissingVariableError as error:
            self.problem(node, f"{key}: the environment variable {error} is not set")

    def suggestion(self, key: str) -> str:
        """Name the nearest key; empty when no message has room for it, since each costs a millisecond."""
        if len(self.problems) == _MAX_PROBLEMS:
            return ""
        rules = setting_rules()
        near = nearest(key, [*rules, *sorted({name.partition(".")[0] for name in rules})])
        return f"; did you mean '{near}'?" if near else ""

    def may_set(self, key: str, rule: Rule) -> bool:
        if self.standing is Standing.TRUSTED:
            return key != TRUST_KEY
        return self.standing is Standing.USER or not rule.user_only

    def value(self, rule: Rule, node: yaml.Node) -> object:
        if isinstance(node, yaml.ScalarNode) and _VARIABLE.search(node.value):
            return parse(rule, self.substitute(node.value))
        return check(rule, self.plain(rule, node))

    def plain(self, rule: Rule, node: yaml.Node) -> object:
        """Return what a node stands for: a list or mapping where the rule wants one, or a scalar."""
        if isinstance(node, yaml.SequenceNode) and rule.kind is Kind.STRINGS:
            return [self.scalar(item) for item in node.value]
        if isinstance(node, yaml.MappingNode) and rule.kind in (Kind.NUMBER_MAP, Kind.STRING_MAP):
            return {name: self.scalar(item) for name, _, item in self.entries(node)}
        return self.scalar(node)

    def scalar(self, node: yaml.Node) -> object:
        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        if not isinstance(node, yaml.ScalarNode):
            return {}
        if _VARIABLE.search(node.value):
            return self.substitute(node.value)
        try:
            return cast(object, yaml.SafeLoader("").construct_object(node))
        except (yaml.YAMLError, ValueError):  # an unknown tag, or a date that is none
            return node.value

    def substitute(self, text: str, *, masked: bool = False) -> str:
        def replacement(match: re.Match[str]) -> str:
            name, default = match.group(1), match.group(2)
            found = self.environ.get(name)
            if not found and default is not None:
                return default
            if found is None:
                raise _MissingVariableError(name)
            return MASK if masked else found

        return _VARIABLE.sub(replacement, text)

    def problem(self, node: yaml.Node, what: str) -> None:
        self.problem_count += 1
        if len(self.problems) < _MAX_PROBLEMS:
            mark = node.start_mark
            what = what if len(what) <= _MAX_PROBLEM_CHARS else f"{what[:_MAX_PROBLEM_CHARS]}..."
            self.problems.append(f"{self.path}:{mark.line + 1}:{mark.column + 1}: {what}")


class _MissingVariableError(Exception):
    """The text is the name of a variable that a file needs."""


def _has_variable(node: yaml.Node) -> bool:
    """Whether a variable would be replaced in this value; that is done one level deep."""
    inner = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if isinstance(node, yaml.MappingNode):
        inner = [value for _, value in node.value]
    return any(isinstance(item, yaml.ScalarNode) and _VARIABLE.search(item.value) for item in inner)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
