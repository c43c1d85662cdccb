"""Questions to the person at the terminal."""

import sys

from cocosearch_py.cli.session import NOTHING_LOST
from cocosearch_py.cli.streams import put
from cocosearch_py.errors import OperationCancelled
from cocosearch_py.model.terminal import visible


def confirmed(question: str) -> bool:
    """Ask the person at the terminal, until the answer is yes or no; an empty line is no.

    Raises:
        OperationCancelled: there is no answer: Ctrl-C, or the end of the input.
    """
    while True:
        sys.stderr.write(f"{visible(question)} [y/N]: ")
        sys.stderr.flush()
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            line = ""
        if not line:
            put("", sys.stderr)
            raise OperationCancelled("interrupted", hint=NOTHING_LOST)
        answer = line.strip().lower()
        if answer in ("y", "yes", "n", "no", ""):
            return answer in ("y", "yes")
        put("answer yes or no", sys.stderr)
