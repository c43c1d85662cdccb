"""The environment of this process; the only place that reads it. Knows no settings: a server starts without them."""

import os
from collections.abc import Mapping

PROJECT_PATH = "COCOSEARCH_PROJECT_PATH"
DATA_DIR = "COCOSEARCH_DATA_DIR"


def process_environment() -> Mapping[str, str]:
    """Return a copy of this process's environment, for a front end to pass on."""
    return dict(os.environ)  # the one place that may


def github_token() -> str | None:
    """The token for GitHub's API: GITHUB_TOKEN, then GH_TOKEN."""
    return os.environ.get("GITHUB_TOKEN", "").strip() or os.environ.get("GH_TOKEN", "").strip() or None
