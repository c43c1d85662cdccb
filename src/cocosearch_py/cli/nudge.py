"""The hook that `init --hook` writes."""

import sys
from collections.abc import Sequence

from cocosearch_py.clients.nudge import MAX_INPUT_CHARS, reminder


def run(arguments: Sequence[str]) -> int:
    """Answer the hook's call on standard input; whatever goes wrong, the call goes on."""
    try:
        sys.stdout.write(reminder(sys.stdin.read(MAX_INPUT_CHARS + 1), "".join(arguments[:1])))
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):  # closed or missing streams, bytes that are no text
        pass
    return 0
