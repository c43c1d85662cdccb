"""Functions by name, so that a command imports the modules that it needs and no others."""

from importlib import import_module
from typing import Any


def load(path: str) -> Any:
    """Return a function of the program by its `module.name`, below the package."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"cocosearch_py.{module}"), name)
