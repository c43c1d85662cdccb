"""Calls of every tool that only reads, with random arguments that make sense; the same ones for the same seed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, get_args, get_origin

from cocosearch_py.mcp.server import all_tools
from cocosearch_py.operations.common.declaration import Parameter
from cocosearch_py.operations.common.fitting import DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS

_OMITTED = frozenset({"cursor", "wait_s", "timeout_ms", "job_id", "weights", "index_names", "member", "steps"})
_ALWAYS = frozenset("query question targets name page path paths pipeline symbol type_name".split())
_LANGUAGES = ("python", "go", "typescript", "java,kotlin", "c", "rust")
_BEGINNINGS = ("text", "search", "symbols --match fuzzy", "callers")
_ENDINGS = ("", " | read", " | outline", " | impact", " | filter a | limit 5", " | sort | count")
_MOST_NUMBER = 120


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the calls are about: indexes, words and lines of their files, paths in them, names that they define.

    `pages` are those of a wiki.
    """

    indexes: Sequence[str]
    texts: Sequence[str]
    paths: Sequence[str]
    names: Sequence[str]
    pages: Sequence[str] = ()


def random_calls(seed: int, vocabulary: Vocabulary) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tools with their arguments; `max_tokens` is among them more often than not where a tool has it."""
    chance = Random(seed)  # repeatable, not secret
    tools = [one for one in all_tools() if one.toolset and not one.writes]
    while True:
        tool = chance.choice(tools)
        arguments = {}
        for one in tool.parameters:
            likely = 1.0 if one.name in _ALWAYS else 0.7 if one.name in ("max_tokens", "index_name") else 0.25
            if one.about is None or one.name in _OMITTED or chance.random() > likely:
                continue
            if (value := _value(chance, one, vocabulary)) is not None:
                arguments[one.name] = value
        if tool.about_indexes:
            arguments["index_name"] = chance.choice(vocabulary.indexes)
        yield tool.name, arguments


def bound_of(arguments: Mapping[str, Any]) -> int:
    """Tokens that an answer to such a call may have."""
    asked = arguments.get("max_tokens")
    return DEFAULT_MAX_TOKENS if asked is None else max(MIN_MAX_TOKENS, min(DEFAULT_MAX_TOKENS, asked))


def _value(chance: Random, one: Parameter, vocabulary: Vocabulary) -> Any:
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
    return by_name[one.name]() if one.name in by_name else _of_kind(chance, one, vocabulary)


def _of_kind(chance: Random, one: Parameter, vocabulary: Vocabulary) -> Any:
    """A value of the parameter's type; a path for what is named after one, else a name that the index defines."""
    kinds = [kind for kind in (get_args(one.type) if get_origin(one.type) is not list else ()) or (one.type,)]
    kind = chance.choice([kind for kind in kinds if kind is not type(None)])
    texts = vocabulary.paths if "path" in one.name or "file" in one.name else vocabulary.names
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
    return kind if isinstance(kind, str) else None  # one of the values of a Literal


def _query(chance: Random, vocabulary: Vocabulary) -> str:
    """Some words, a name, a line of code, or a long paste."""
    sizes = (1, 1, 2, 3, 5, 8, 200)
    texts = vocabulary.names if chance.random() < 0.4 else vocabulary.texts
    query = " ".join(chance.choices(texts, k=chance.choice(sizes)))[:15_000]
    return query.strip() or "retry"
