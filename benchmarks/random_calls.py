"""Calls of every tool that only reads, with random arguments that make sense; the same ones for the same seed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, get_args, get_origin

from cocosearch_py.mcp.server import all_tools
from cocosearch_py.tools.declaration import Parameter
from cocosearch_py.tools.fitting import DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS

_OMITTED = frozenset({"cursor", "wait_s", "timeout_ms", "job_id", "weights", "index_names", "member", "steps"})
_ALWAYS = frozenset("query question targets name page path paths pipeline symbol type_name".split())
_LANGUAGES = ("python", "go", "typescript", "java,kotlin", "c", "rust")
_BEGINNINGS = ("text", "search", "symbols --match fuzzy", "callers")
_ENDINGS = ("", " | read", " | outline", " | impact", " | filter a | limit 5", " | sort | count")
_MOST_NUMBER = 120


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of the calls: indexes, lines of their files, paths in them, names that they define, pages of a wiki."""

    indexes: Sequence[str]
    texts: Sequence[str]
    paths: Sequence[str]
    names: Sequence[str]
    pages: Sequence[str] = ()


def random_calls(seed: int, vocabulary: Vocabulary) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tools with their arguments; `max_tokens` is among them more often than not where a tool has it."""
    chance = Random(seed)  # repeatable, not secret
    tools = [tool for tool in all_tools() if tool.toolset and not tool.writes]
    while True:
        tool = chance.choice(tools)
        arguments = {}
        for parameter in tool.parameters:
            likely = (
                1.0 if parameter.name in _ALWAYS else 0.7 if parameter.name in ("max_tokens", "index_name") else 0.25
            )
            if parameter.about is None or parameter.name in _OMITTED or chance.random() > likely:
                continue
            if (value := _value(chance, parameter, vocabulary)) is not None:
                arguments[parameter.name] = value
        if tool.about_indexes:
            arguments["index_name"] = chance.choice(vocabulary.indexes)
        yield tool.name, arguments


def bound_of(arguments: Mapping[str, Any]) -> int:
    """Tokens that an answer to such a call may have."""
    asked = arguments.get("max_tokens")
    return DEFAULT_MAX_TOKENS if asked is None else max(MIN_MAX_TOKENS, min(DEFAULT_MAX_TOKENS, asked))


def _value(chance: Random, parameter: Parameter, vocabulary: Vocabulary) -> Any:
    by_name: dict[str, Callable[[], Any]] = {
        "index_name": lambda: chance.choice(vocabulary.indexes),
        "max_tokens": lambda: int(MIN_MAX_TOKENS * 100 ** chance.random()),
        "query": lambda: _query(chance, vocabulary),
        "language": lambda: chance.choice(_LANGUAGES),
        "symbol_type": lambda: chance.choice(("function", "class", "method")),
        "symbol_name": lambda: chance.choice(vocabulary.names)[:3] + "*",
        "path_glob": lambda: "**/*" + chance.choice(vocabulary.paths)[-3:],
        "exclude": lambda: ["**/" + chance.choice(vocabulary.paths).rpartition("/")[2]],
        "content": lambda: None,
        "page": lambda: chance.choice(vocabulary.pages or vocabulary.names),
        "pipeline": lambda: (
            f'{chance.choice(_BEGINNINGS)} "{chance.choice(vocabulary.names)}"{chance.choice(_ENDINGS)}'
        ),
    }
    return by_name[parameter.name]() if parameter.name in by_name else _of_kind(chance, parameter, vocabulary)


def _of_kind(chance: Random, parameter: Parameter, vocabulary: Vocabulary) -> Any:
    """Value of the parameter's type: a path if its name says so, else a name that the index defines."""
    kinds = [
        kind
        for kind in (get_args(parameter.type) if get_origin(parameter.type) is not list else ()) or (parameter.type,)
    ]
    kind = chance.choice([kind for kind in kinds if kind is not type(None)])
    texts = vocabulary.paths if "path" in parameter.name or "file" in parameter.name else vocabulary.names
    if kind is bool:
        return chance.random() < 0.5
    if kind is int:
        return chance.randrange(_MOST_NUMBER)
    if kind is float:
        return chance.random()
    if kind is str:
        return chance.choice(texts)
    if get_origin(kind) is list:
        places = [*vocabulary.paths, *vocabulary.names]
        return chance.choices(places, k=chance.randrange(1, 20)) if get_args(kind) == (str,) else None
    return kind if isinstance(kind, str) else None  # a value of a Literal


def _query(chance: Random, vocabulary: Vocabulary) -> str:
    """Some words, a name, a line of code, or a long paste."""
    sizes = (1, 1, 2, 3, 5, 8, 200)
    texts = vocabulary.names if chance.random() < 0.4 else vocabulary.texts
    query = " ".join(chance.choices(texts, k=chance.choice(sizes)))[:15_000]
    return query.strip() or "retry"
