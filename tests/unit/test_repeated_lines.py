"""A repeated log line is written once and counted."""

import io
import logging
from collections.abc import Iterator

import pytest

from cocosearch_py.server import repeated_lines
from cocosearch_py.server.repeated_lines import RepeatCounter


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def counter(stream: io.StringIO) -> RepeatCounter:
    target = logging.StreamHandler(stream)
    target.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    return RepeatCounter([target])


@pytest.fixture
def log(counter: RepeatCounter) -> Iterator[logging.Logger]:
    logger = logging.Logger("of this test")
    logger.addHandler(counter)
    yield logger
    counter.close()


def test_a_repeated_line_is_written_once_with_its_count(
    log: logging.Logger, counter: RepeatCounter, stream: io.StringIO
) -> None:
    for _ in range(1_235):
        log.warning("refused %s at 100 %%", "a client")
    log.error("something else")
    assert stream.getvalue() == "WARNING refused a client at 100 %\nERROR something else\n"
    counter.close()
    assert stream.getvalue().endswith("else\nWARNING refused a client at 100 % (repeated 1,234 times)\n")


def test_a_count_is_written_before_the_next_line_when_its_time_is_up(
    log: logging.Logger, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        log.warning("again")
    monkeypatch.setattr(repeated_lines, "WINDOW_S", -1.0)
    log.warning("again")
    assert stream.getvalue().splitlines() == ["WARNING again", "WARNING again (repeated 2 times)", "WARNING again"]


def test_lines_with_other_texts_levels_or_exceptions_are_written(log: logging.Logger, stream: io.StringIO) -> None:
    for error in (ValueError("a"), ValueError("b"), KeyError("c")):
        try:
            raise error
        except (ValueError, KeyError):
            log.exception("failed")
    log.warning("failed")
    log.warning("failed %s", 1)
    log.warning("failed %s", 2)
    lines = [line for line in stream.getvalue().splitlines() if line.startswith(("ERROR", "WARNING"))]
    assert lines == ["ERROR failed", "ERROR failed", "WARNING failed", "WARNING failed 1", "WARNING failed 2"]
    assert "ValueError: a" in stream.getvalue()
    assert "ValueError: b" not in stream.getvalue()


def test_the_number_of_remembered_lines_is_bounded(log: logging.Logger, counter: RepeatCounter) -> None:
    for number in range(5_000):
        log.warning("line %d", number)
    assert len(counter._lines) <= 1_000
