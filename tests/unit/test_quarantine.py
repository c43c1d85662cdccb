"""Quarantined tests run and are counted; an entry that is out of date fails the run."""

from datetime import date, timedelta

import pytest

FLAKY = """
import pytest

@pytest.mark.parametrize("number", [1, 2])
def test_flaky(number):
    assert number == 1
"""
NAME = "test_some.py::test_flaky"


def run(pytester: pytest.Pytester, *entries: str, tests: str = FLAKY) -> pytest.RunResult:
    pytester.makepyfile(test_some=tests)
    pytester.mkdir("tests").joinpath("quarantine.toml").write_text("\n".join(entries), encoding="utf-8")
    return pytester.runpytest_inprocess("-p", "tests.quarantine", "-p", "no:cacheprovider")


def entry(name: str = NAME, until: date = date.max) -> str:
    return f'["{name}"]\nsymptom = "fails on every second run"\nuntil = {until}\n'


def test_a_failing_test_fails_the_run(pytester: pytest.Pytester) -> None:
    done = run(pytester)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines("Quarantined tests: 0 ran, 0 failed.")


def test_a_quarantined_test_runs_and_does_not_fail_the_run(pytester: pytest.Pytester) -> None:
    done = run(pytester, entry())
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines("Quarantined tests: 2 ran, 1 failed.")


def test_a_test_in_a_class_may_be_quarantined(pytester: pytest.Pytester) -> None:
    tests = "class TestSome:\n    def test_flaky(self):\n        assert False\n"
    done = run(pytester, entry("test_some.py::TestSome::test_flaky"), tests=tests)
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines("Quarantined tests: 1 ran, 1 failed.")


def test_other_tests_still_fail_the_run(pytester: pytest.Pytester) -> None:
    done = run(pytester, entry(), tests=f"{FLAKY}\ndef test_flaky_too():\n    assert False\n")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.assert_outcomes(failed=1, xfailed=1, xpassed=1)


def test_an_entry_holds_until_the_end_of_its_day(pytester: pytest.Pytester) -> None:
    assert run(pytester, entry(until=date.today())).ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (entry(until=date.today() - timedelta(days=1)), "*time of test_some.py::test_flaky is up*"),
        (entry("test_some.py::test_flak"), "*test_some.py::test_flak does not exist*"),
        (entry("test_gone.py::test_flaky"), "*test_gone.py::test_flaky does not exist*"),
        (f'["{NAME}"]\nsymptom = "hangs"\n', "*needs a symptom and a day*"),
        (f'["{NAME}"]\nuntil = 2999-01-01\n', "*needs a symptom and a day*"),
        (f'["{NAME}"]\nsymptom = "hangs"\nuntil = "soon"\n', "*needs a symptom and a day*"),
    ],
)
def test_an_outdated_or_incomplete_entry_fails_the_run(pytester: pytest.Pytester, written: str, message: str) -> None:
    done = run(pytester, written)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(message)
