"""Text from outside cannot act on a terminal, whatever wrote it there."""

import io
import json
import logging
import re
import sys
import unicodedata

import pytest
from rich.markup import escape
from rich.progress import Progress
from rich.syntax import Syntax
from rich.text import Text

from cocosearch_py.cli.streams import put
from cocosearch_py.model.terminal import TerminalStream, visible, visible_json
from cocosearch_py.render.console import SafeConsole

HOSTILE = "\x1b[8m\x9b8m\x7f\r\u202e\u2066\u200f\u061c\u200b\ufeff\U000e0041"
ESCAPED = r"\x1b[8m\x9b8m\x7f\x0d\u202e\u2066\u200f\u061c\u200b\ufeff\U000e0041"


def test_hidden_characters_become_escapes_and_others_stay() -> None:
    assert visible(HOSTILE) == ESCAPED
    plain = "def f():\n\treturn 'Straße 価格 ❤️ — \\x1b'"
    assert visible(plain) == plain


def test_all_control_and_format_characters_are_hidden() -> None:
    kinds = {"Cc", "Cf", "Zl", "Zp"}
    shown = [one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(one) in kinds]
    assert [one for one in shown if visible(one) == one] == ["\t", "\n"]


def test_json_keeps_its_values() -> None:
    text = visible_json(json.dumps({"name": HOSTILE}, ensure_ascii=False, indent=2))
    assert json.loads(text) == {"name": HOSTILE}
    assert visible(text) == text


@pytest.fixture
def stream() -> TerminalStream:
    return TerminalStream(io.BytesIO(), "utf-8", write_through=True)


def written(stream: TerminalStream) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def test_a_stream_escapes_what_any_library_writes(stream: TerminalStream) -> None:
    print(HOSTILE, file=stream)
    stream.writelines([HOSTILE, "\n"])
    handler = logging.StreamHandler(stream)
    handler.handle(logging.makeLogRecord({"msg": HOSTILE}))
    assert written(stream) == f"{ESCAPED}\n" * 3


def test_a_console_escapes_text_and_keeps_its_own_styles(stream: TerminalStream) -> None:
    console = SafeConsole(file=stream, force_terminal=True, color_system="standard", width=200)
    console.print(Text("a" + HOSTILE, style="red"), f"[bold]{escape(HOSTILE)}[/]", soft_wrap=True)
    console.print(Syntax("x = 1  # " + HOSTILE, "python", word_wrap=False))
    console.print("[link=https://example.org]text[/link]")
    shown = written(stream)
    assert "\x1b[31ma\\x1b[8m" in shown
    assert "\x1b[8m" not in shown
    unstyled = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert visible(unstyled) == unstyled


def test_a_line_during_a_progress_bar_brings_no_styles_of_its_own(
    stream: TerminalStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(console=SafeConsole(file=stream, force_terminal=True), auto_refresh=False):
        put(HOSTILE, sys.stderr)
    assert r"\x1b[8m\x9b8m" in written(stream)
    assert "\x1b[8m" not in written(stream)
