"""The version that is installed."""

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from cocosearch_py.cli.streams import put
from cocosearch_py.config.paths import APP_NAME


def installed_version() -> str | None:
    """Return the version; None in a checkout that is not installed."""
    try:
        return version(APP_NAME)
    except PackageNotFoundError:
        return None


def show(_arguments: Sequence[str]) -> None:
    """Print the version."""
    put(f"{APP_NAME} {installed_version() or '(not installed: run from a checkout)'}", sys.stdout)
