"""Functions by name, so that a command imports the modules that it needs and no others."""

from importlib import import_module
from typing import Any


def load(path: str) -> Any:
    """Return a function of this package by its `module.name`."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"cocosearch_py.cli.{module}"), name)
