"""Common parts of detectors: excluded files, files that matter less, and calls that show more."""

import re
from fnmatch import fnmatchcase
from typing import Any

from cocosearch_py.features.audit.findings import NextStep, Scope

_SECONDARY = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|scripts?|tools?|benchmarks?|bench|docs?|docs_src|fixtures?|playground|www|"
    r"website|testing|test-utils|testdata)/",
    re.IGNORECASE,
)


def is_secondary(path: str, content_class: str) -> bool:
    """Whether a finding in a file matters less than one in the code of the product."""
    return content_class != "code" or _SECONDARY.search(path) is not None


def left_out(path: str, scope: Scope) -> bool:
    """Whether a setting says that a file is not looked at."""
    return any(fnmatchcase(path, one) or path.startswith(one.rstrip("/") + "/") for one in scope.ignored)


def index_step(tool: str, scope: Scope, **arguments: Any) -> NextStep:
    """A call about the index that is audited."""
    return NextStep(tool, {**arguments, "index_name": scope.record.name})


def read_step(scope: Scope, path: str, first: int, last: int) -> NextStep:
    """The call that reads lines of a file."""
    return index_step("read_code", scope, path=path, start_line=first, end_line=last)
