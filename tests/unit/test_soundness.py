"""Parsing before and after an edit, in a process that may hang or die."""

import os
import signal

import pytest

from cocosearch_py.editing.soundness import Parsers, Version
from cocosearch_py.model.files import ParseStatus

SMALL = Version("a.py", "python", b"a = 1\n")
LARGE = Version("b.py", "python", b"b = 2\n" * 50_000)  # more than a pipe holds


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no signal stops a process")
def test_a_process_that_reads_nothing_keeps_nobody_waiting() -> None:
    parsers = Parsers(limit_s=0.2)
    try:
        (found,) = parsers.check([SMALL])
        assert found is not None
        assert found.status is ParseStatus.OK
        process = parsers._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        assert parsers.check([LARGE]) == [None]
        assert process.poll() is not None
        again = parsers.check([SMALL, Version("c.py", "python", b"c = (\n")])  # by another process
        assert [one is not None for one in again] == [True, True]
    finally:
        parsers.close()
