"""Parsing before and after an edit, in a process that may hang or die."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack

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


@pytest.fixture
def many_open_files() -> Iterator[None]:
    """As many as a server with many connections has: new ones have descriptors above 1,023."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1_200:
        pytest.skip("the system does not allow so many open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1_200), hard))
    with ExitStack() as opened:
        descriptor = -1
        while descriptor < 1_024:
            descriptor = opened.enter_context(open(os.devnull)).fileno()
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_open_files")
def test_files_are_parsed_in_a_process_with_many_open_files() -> None:
    parsers = Parsers()
    try:
        (found,) = parsers.check([SMALL])
        assert found is not None
        assert found.status is ParseStatus.OK
    finally:
        parsers.close()
