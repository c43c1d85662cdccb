"""All operations: every module beside this package declares one."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cocosearch_py import operations
from cocosearch_py.operations.common.declaration import TOOLSETS, Operation


@cache
def all_operations() -> tuple[Operation[Any, Any], ...]:
    """By toolset, then in their order; those that are no tools come last."""
    names = [module.name for module in iter_modules(operations.__path__) if not module.ispkg]
    found = [import_module(f"{operations.__name__}.{name}").OPERATION for name in names]
    return tuple(sorted(found, key=lambda one: (_toolset_rank(one), one.order, one.name)))


@cache
def dialect(name: str) -> Operation[Any, Any]:
    """What an alias does instead of its operation; `name` as in `Alias.dialect`."""
    module, _, member = name.partition(".")
    found: Operation[Any, Any] = getattr(import_module(f"{operations.__name__}.dialects.{module}"), member)
    return found


def _toolset_rank(operation: Operation[Any, Any]) -> int:
    return TOOLSETS.index(operation.toolset) if operation.toolset in TOOLSETS else len(TOOLSETS)
