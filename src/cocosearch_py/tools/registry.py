"""All tools: those of the features, and one in every module of `operations`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import TOOLSETS, Operation, Waiting

_FEATURES = "cocosearch_py.features"
_OPERATIONS = "cocosearch_py.operations"


@cache
def all_operations() -> tuple[Operation[Any, Any], ...]:
    """By toolset, then in their order; those that are no tools come last."""
    found = [tool for name in _members(_FEATURES) for tool in import_module(f"{name}.tools").TOOLS]
    found += [import_module(name).OPERATION for name in _members(_OPERATIONS)]
    return tuple(sorted(found, key=lambda one: (_toolset_rank(one), one.order, one.name)))


@cache
def dialect(name: str) -> Operation[Any, Any]:
    """Return the operation that an alias runs instead of its own; `name` as in `Alias.dialect`."""
    module, _, member = name.partition(".")
    found: Operation[Any, Any] = getattr(import_module(f"{_OPERATIONS}.dialects.{module}"), member)
    return found


def operation_named(name: str) -> Operation[Any, Any]:
    """Return the operation of this name."""
    return next(one for one in all_operations() if one.name == name)


def _members(package: str) -> list[str]:
    """The features of a package, or its operations."""
    is_package = package == _FEATURES
    modules = iter_modules(import_module(package).__path__)
    return [f"{package}.{module.name}" for module in modules if module.ispkg == is_package]


def _toolset_rank(operation: Operation[Any, Any]) -> int:
    return TOOLSETS.index(operation.toolset) if operation.toolset in TOOLSETS else len(TOOLSETS)


def answer_of(
    call: Call, name: str, arguments: Mapping[str, Any], reply: Callable[[Any], Any] = lambda answer: answer
) -> Any:
    """Return the JSON of another tool for the same caller; features reach each other in no other way.

    Args:
        reply: what to make of it. Where the tool waits for a job, a `Waiting` for that is returned.
    """
    operation = operation_named(name)
    asked = operation.asked(arguments)
    report = operation.run(call, asked)
    if isinstance(report, Waiting):
        return replace(report, then=lambda job: reply(operation.shape(report.then(job), asked)))
    return reply(operation.shape(report, asked))
