"""Every parameter of every operation has a bound, which every front end checks."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.search import MAX_QUERY_CHARS
from cocosearch_py.storage.queries.globs import glob_pattern, names_pattern, paths_pattern
from cocosearch_py.tools.declaration import Operation, Parameter
from cocosearch_py.tools.registry import all_operations, dialect
from cocosearch_py.tools.sizes import DEFAULT, PATHS, QUERY, Size, require_size

SOURCE = Path(__file__).parents[2] / "src" / "cocosearch_py"


def every_operation() -> Iterator[Operation[Any, Any]]:
    for operation in all_operations():
        yield operation
        yield from (dialect(alias.dialect) for alias in operation.aliases if alias.dialect)


PARAMETERS = [
    pytest.param(operation, one, id=f"{operation.name}-{one.name}")
    for operation in every_operation()
    for one in operation.parameters
]


def kinds_of(one: Parameter) -> list[Any]:
    return [one.type] if get_origin(one.type) in (list, dict, None) else list(get_args(one.type))


@pytest.mark.parametrize(("operation", "one"), PARAMETERS)
def test_every_parameter_refuses_a_value_beyond_its_bound(operation: Operation[Any, Any], one: Parameter) -> None:
    too_large: list[Any] = []
    for kind in kinds_of(one):
        if kind is str:
            too_large += ["x" * (one.size.chars + 1), "x\0", "x\ud800" if not one.size.names_file else "x\0"]
        elif get_origin(kind) is list:
            too_large += [["x"] * (one.size.items + 1), ["x" * (one.size.chars + 1)]]
        elif get_origin(kind) is dict:
            too_large += [{str(at): 1 for at in range(one.size.items + 1)}, {"x" * (one.size.chars + 1): 1}]
    for value in too_large:
        with pytest.raises(ValidationError, match=rf"^{one.name} (has|contains) ") as raised:
            operation.asked({one.name: value})
        assert raised.value.hint


def test_a_bound_is_told_with_the_size_that_was_given() -> None:
    with pytest.raises(ValidationError, match="path_glob has 2,001 characters, at most 2,000 are allowed"):
        require_size("path_glob", "x" * 2_001, DEFAULT)
    with pytest.raises(ValidationError, match="names has 101 items, at most 100 are allowed"):
        require_size("names", ["x"] * 101, DEFAULT)
    with pytest.raises(ValidationError, match="names has more than 20,000 characters in total"):
        require_size("names", ["x" * 2_000] * 11, DEFAULT)


def test_deep_values_are_refused() -> None:
    value: Any = "x"
    for _ in range(10_000):
        value = {"a": [value]}
    with pytest.raises(ValidationError, match="weights is nested deeper than 8 levels"):
        require_size("weights", value, DEFAULT)


def test_values_at_their_bounds_pass() -> None:
    require_size("query", "x" * 2_000, DEFAULT)
    require_size("names", ["x" * 200] * 100, DEFAULT)
    require_size("numbers", [1, 2.5, None, True, float("nan"), {"a": [{"b": ["é🐍"]}]}], DEFAULT)
    require_size("path", "name\udcff", PATHS)
    require_size("small", "xx", Size(chars=2, total=2))
    assert QUERY.chars == MAX_QUERY_CHARS


def test_arguments_are_made_in_one_place() -> None:
    """A front end that called the class of the arguments itself would check no bound."""
    made = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "arguments"
    ]
    assert made == ["tools/declaration.py"]


@pytest.mark.parametrize(
    ("globs", "told"),
    [
        (["a" * 501], "501 characters in a glob, at most 500"),
        (["a" * 400] * 8, "3,200 characters in all globs, at most 3,000"),
        (["{a,b}" * 11], "11 braces in a glob, at most 10"),
    ],
)
def test_expensive_globs_are_refused_wherever_they_come_from(globs: list[str], told: str) -> None:
    for pattern_of in (paths_pattern, names_pattern):
        with pytest.raises(ValidationError, match=told):
            pattern_of(globs)


def test_the_largest_globs_are_taken() -> None:
    for pattern_of in (paths_pattern, names_pattern):
        assert pattern_of(["a" * 500] * 6)
        assert pattern_of(["{a,b}" * 10])


@pytest.mark.parametrize(
    ("glob", "same"), [("**/" * 100 + "a", "**/a"), ("*" * 101, "**"), ("a/" + "**/" * 50 + "**", "a/**/**")]
)
def test_runs_of_stars_are_compiled_once(glob: str, same: str) -> None:
    assert glob_pattern(glob) == glob_pattern(same)
