"""Runs that wait for one another, and who waits for them; no database."""

import _thread
import signal
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cocosearch_py.cli import call as cli_call
from cocosearch_py.cli.call import CommandCall
from cocosearch_py.errors import OperationCancelled, WideFolderError
from cocosearch_py.indexing import overlap
from cocosearch_py.indexing.overlap import Overlap, Turn
from cocosearch_py.indexing.progress import PARSE, Progress
from cocosearch_py.indexing.several import in_turns
from cocosearch_py.jobs.recorder import Recorder
from cocosearch_py.tools.call import Call, Selection
from cocosearch_py.tools.ran import exit_code
from cocosearch_py.tools.several import Several, run_each

PATIENCE_S = 120.0  # of a busy machine, after which a test fails


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Short waits, and an interrupt is raised in the main thread."""
    monkeypatch.setattr(overlap, "_SLICE_S", 0.01)
    monkeypatch.setattr(overlap, "_ABORT_S", 0.01)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_who_waits_for_another_run_can_be_stopped(quick: None) -> None:
    both = Overlap()
    assert both.take_worker(1)
    assert not both.wait_for_worker(1, lambda: False)
    first = both.begin(is_last=False)
    first.hand_on()
    second = both.begin(is_last=True)
    with first.of_index(1, lambda: False), pytest.raises(OperationCancelled), second.of_index(1, lambda: False):
        pass
    first.meet([(1, 10)], lambda: False)
    asked = iter((True, True, False))
    second.meet([(1, 10)], lambda: next(asked))
    assert next(asked, None) is None


def test_who_aborts_does_not_wait_for_a_thread_that_does_not_look(quick: None) -> None:
    release, ended = threading.Event(), threading.Event()

    def work(_: Turn) -> None:
        _thread.interrupt_main()
        release.wait(PATIENCE_S)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        in_turns([work], lambda: True)
    assert not ended.is_set()
    release.set()
    assert ended.wait(PATIENCE_S)


@pytest.mark.parametrize("may_overlap", [False, True])
def test_the_last_turn_knows_that_it_is(may_overlap: bool) -> None:
    def work(turn: Turn) -> tuple[bool, bool]:
        turn.hand_on()
        return turn.is_alone, turn.is_last

    alone = not may_overlap
    assert in_turns([work] * 3, lambda: may_overlap) == [(alone, False), (alone, False), (alone, True)]


def test_waiting_for_another_run_is_progress() -> None:
    recorder = Recorder(cast("Any", None), "id", 1, "one", limit_s=1.0)
    recorder._threaded = True  # as amid other threads; it is not started here
    recorder.tell(Progress(PARSE))
    recorder._moved_s = 0.0
    recorder.tell(Progress(PARSE))
    assert recorder._moved_s == 0.0
    recorder.tell(Progress(PARSE, waits=True))
    assert recorder._moved_s > 0.0


def test_no_question_is_asked_amid_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise WideFolderError("large", hint="--yes")

    call = CommandCall(cast("Any", None), cast("Any", None), Selection())
    call._turn = Turn()
    monkeypatch.setattr(CommandCall, "_run", run)
    monkeypatch.setattr(cli_call.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(cli_call, "confirmed", lambda _: pytest.fail("it asks"))
    with pytest.raises(WideFolderError):
        call.start_run(cast("Any", None), cast("Any", None), None, cast("Any", None))


def test_an_abort_of_a_list_does_not_deny_what_is_done() -> None:
    def in_turns(_: object) -> None:
        raise KeyboardInterrupt

    call = CommandCall(
        cast("Any", SimpleNamespace(quiet=True)), cast("Any", SimpleNamespace(in_turns=in_turns)), Selection()
    )
    with pytest.raises(OperationCancelled, match="finished folders are kept"):
        call.each([lambda _: None])


def test_one_that_is_cancelled_leaves_the_others_their_outcomes() -> None:
    def begin(_: Call, path: str) -> str:
        if path == "two":
            raise OperationCancelled("stopped")
        return f"{path} is indexed"

    call: Any = SimpleNamespace(is_stopped=False, described=lambda error: Call.described(call, error))
    call.each = lambda works: [work(call) for work in works]
    several: Any = run_each(call, ["one", "two", "three"], begin, 0.0)
    assert isinstance(several, Several)
    assert [one.report for one in several.outcomes] == ["one is indexed", None, "three is indexed"]
    assert not several.is_whole
    assert exit_code(several, None) == OperationCancelled.exit_code
