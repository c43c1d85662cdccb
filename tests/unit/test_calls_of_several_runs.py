"""Calls that make several runs: questions, aborts and outcomes; no database."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from cocosearch_py.cli import call as cli_call
from cocosearch_py.cli.call import CommandCall
from cocosearch_py.errors import OperationCancelled, WideFolderError
from cocosearch_py.features.indexing.several import Several, run_each
from cocosearch_py.features.indexing.tools import index_exit_code
from cocosearch_py.tools.call import Call, Selection

nothing = cast("Any", None)


def command_call() -> CommandCall:
    return CommandCall(cast("Any", SimpleNamespace(quiet=True)), cast("Any", None), Selection())


def test_no_question_is_asked_amid_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise WideFolderError("large", hint="--yes")

    monkeypatch.setattr(CommandCall, "_run", run)
    monkeypatch.setattr(cli_call.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(cli_call, "confirmed", lambda _: pytest.fail("it asks"))
    with pytest.raises(WideFolderError):
        command_call().each(
            [lambda call: call.start_run(cast("Any", None), cast("Any", None), None, cast("Any", None))]
        )


def test_an_abort_of_a_list_does_not_deny_what_is_done() -> None:
    def abort(_: Call) -> None:
        raise KeyboardInterrupt

    with pytest.raises(OperationCancelled, match="finished folders are kept"):
        command_call().each([abort])


def test_a_cancelled_run_leaves_the_others_their_outcomes() -> None:
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
    results = [{"success": one.error is None, **(one.error or {})} for one in several.outcomes]
    assert index_exit_code({"success": False, "results": results}, nothing) == OperationCancelled.exit_code
