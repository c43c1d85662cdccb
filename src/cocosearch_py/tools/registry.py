"""All tools of the features, and those of other programs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import TOOLSETS, Operation, Waiting

_FEATURES = "cocosearch_py.features"
_COMPAT = "cocosearch_py.compat"


@cache
def all_operations() -> tuple[Operation[Any, Any], ...]:
    """By toolset, then in their order; those that are no tools come last."""
    features = [module.name for module in iter_modules(import_module(_FEATURES).__path__)]
    found = [tool for name in features for tool in import_module(f"{_FEATURES}.{name}.tools").TOOLS]
    return tuple(sorted(found, key=lambda one: (_toolset_rank(one), one.order, one.name)))


@cache
def dialect(name: str) -> Operation[Any, Any]:
    """Return the operation that an alias runs instead of its own; `name` as in `Alias.dialect`."""
    module, _, member = name.partition(".")
    found: Operation[Any, Any] = getattr(import_module(f"{_COMPAT}.{module}"), member)
    return found


def operation_named(name: str) -> Operation[Any, Any]:
    """Return the operation of this name."""
    return next(one for one in all_operations() if one.name == name)


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
