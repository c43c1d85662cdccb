"""Splices keep every byte outside of what they replace, whatever the endings and the encoding."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.editing.splicing import After, Anchor, Exact, Form, Lines, form_of, line_count, rewrite, splice
from cocosearch_py.errors import AmbiguousError, NotFoundError, SafetyError, ValidationError

FORMS = [
    Form("utf-8"), Form("utf-8", codecs.BOM_UTF8), Form("latin-1"), Form("cp1252"),
    Form("utf-16-le"), Form("utf-16-le", codecs.BOM_UTF16_LE), Form("utf-16-be", codecs.BOM_UTF16_BE),
    Form("utf-32-le", codecs.BOM_UTF32_LE), Form("utf-32-be", codecs.BOM_UTF32_BE),
]  # fmt: skip
# Characters whose bytes in UTF-16 and UTF-32 hold those of line endings, and that all the encodings have or lack.
texts = st.text(st.sampled_from("ab é\tÿ"), max_size=6)
wide_texts = st.text(st.sampled_from("ab é\tÿ\u0a0a\u0d0a\u0a0d😀"), max_size=6)
endings = st.sampled_from(["\n", "\r\n"])


@st.composite
def files(draw: st.DrawFn) -> tuple[Form, list[str], list[str]]:
    """A form, lines, and what ends each; the last may be ended or not."""
    form = draw(st.sampled_from(FORMS))
    some = texts if form.encoding in ("latin-1", "cp1252") else wide_texts
    lines = draw(st.lists(some, min_size=1, max_size=8))
    ends = [draw(endings) for _ in lines]
    if lines[-1] and draw(st.booleans()):
        ends[-1] = ""
    return form, lines, ends


def joined(form: Form, lines: list[str], ends: list[str]) -> bytes:
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return form.mark + text.encode(form.encoding)


@given(files(), st.data())
def test_lines_are_replaced_and_the_others_stay(file: tuple[Form, list[str], list[str]], data: st.DataObject) -> None:
    form, lines, ends = file
    whole = joined(form, lines, ends)
    assert line_count(whole, form) == len(lines)
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    new = data.draw(st.lists(texts, min_size=1, max_size=4).filter(lambda drawn: bool(drawn[-1])))
    spliced = splice(whole, form, Lines(first, last), "\n".join(new))
    before = joined(form, lines[: first - 1], ends[: first - 1])
    after = joined(form, lines[last:], ends[last:])[len(form.mark) :]
    assert spliced.startswith(before)
    assert spliced.endswith(after)
    middle = spliced[len(before) : len(spliced) - len(after)].decode(form.encoding)
    assert middle.replace("\r\n", "\n") == "\n".join(new) + ("\n" if ends[last - 1] else "")
    near = {end for end in ends if end} or {"\n"}
    assert middle.count("\r\n") == middle.count("\n") or near != {"\r\n"}
    assert "\r\n" not in middle or "\r\n" in near
    again = splice(whole, form, Lines(first, last), "\n".join(lines[first - 1 : last]) + "\n")
    assert again == whole or len(set(ends)) > 1


@given(files(), st.data())
def test_what_is_inserted_can_be_deleted(file: tuple[Form, list[str], list[str]], data: st.DataObject) -> None:
    form, lines, ends = file
    whole = joined(form, lines, ends)
    line = data.draw(st.integers(0, len(lines)))
    new = data.draw(st.lists(texts, min_size=1, max_size=3))
    spliced = splice(whole, form, After(line), "\n".join(new) + "\n")
    assert line_count(spliced, form) in (len(lines) + len(new), len(lines) + len(new) - 1)  # the last may be empty
    if ends[min(line, len(lines)) - 1] or line < len(lines):
        assert splice(spliced, form, Lines(line + 1, line + len(new)), "") == whole
    else:
        assert spliced.startswith(whole)
        assert not spliced.endswith(form.encode("\n")) or not new[-1]


@given(files(), st.data())
def test_a_text_is_found_where_it_stands_just_once(
    file: tuple[Form, list[str], list[str]], data: st.DataObject
) -> None:
    form, lines, ends = file
    whole = joined(form, lines, ends)
    text = "".join(line + ("\n" if end else "") for line, end in zip(lines, ends, strict=True))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    wanted = text[start:end]
    count = sum(text.startswith(wanted, at) for at in range(len(text)))
    if count > 1:
        with pytest.raises(AmbiguousError) as raised:
            splice(whole, form, Exact(wanted), "x")
        starts = [at for at in range(len(text)) if text.startswith(wanted, at)]
        assert raised.value.details["lines"] == [text.count("\n", 0, at) + 1 for at in starts]
        return
    assert splice(whole, form, Exact(wanted), wanted) == whole or len(set(ends)) > 1
    decoded = splice(whole, form, Exact(wanted), "Q\nQ")[len(form.mark) :].decode(form.encoding)
    assert decoded.replace("\r\n", "\n") == text[:start] + "Q\nQ" + text[end:]


def test_anchors_stand_for_their_lines() -> None:
    form, data = Form("utf-8"), b"one\r\ntwo three\r\nfour"
    assert splice(data, form, Anchor("three"), "new") == b"one\r\ntwo three\r\nnew\r\nfour"
    assert splice(data, form, Anchor("three", is_before=True), "new\n") == b"one\r\nnew\r\ntwo three\r\nfour"
    assert splice(data, form, Anchor("four"), "new") == b"one\r\ntwo three\r\nfour\r\nnew"
    assert splice(data, form, Anchor("one\ntwo"), "a\nb") == b"one\r\ntwo three\r\na\r\nb\r\nfour"


def test_a_file_without_lines_and_one_of_returns_alone() -> None:
    assert splice(b"", Form("utf-8"), After(0), "a\nb") == b"a\nb\n"
    assert splice(codecs.BOM_UTF16_LE, form_of("a", codecs.BOM_UTF16_LE), After(0), "é") == "\ufeffé\n".encode(
        "utf-16-le"
    )
    assert splice(b"a\rb\rc\r", Form("utf-8"), Exact("b\n"), "x\ny\n") == b"a\rx\ry\rc\r"
    assert splice(b"a\rb", Form("utf-8"), After(1), "c") == b"a\rb\rc"


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    french = "# été\n".encode("latin-1")
    assert form_of("a.py", french).encoding == "latin-1"
    assert splice(french, form_of("a.py", french), After(1), "# à") == french + "# à\n".encode("latin-1")
    for text in ("# €", "# 日"):
        with pytest.raises(ValidationError, match=r"U\+"):
            splice(french, form_of("a.py", french), After(1), text)
    quoted = "# “été”\n".encode("cp1252")
    assert splice(quoted, form_of("a.py", quoted), After(1), "# €") == quoted + "# €\n".encode("cp1252")
    with pytest.raises(ValidationError, match="null"):
        splice(french, form_of("a.py", french), After(1), "\0")


def test_what_is_no_text_is_not_edited() -> None:
    for data in (b"\x89PNG\r\n", b"a\0\0\0b" * 99, codecs.BOM_UTF16_LE + b"a\0b", b"-----BEGIN RSA PRIVATE KEY-----\n"):
        with pytest.raises(SafetyError):
            form_of("a.txt", data)


@pytest.mark.parametrize("address", [Lines(0, 1), Lines(2, 1), Lines(1, 4), After(-1), After(4), Exact("")])
def test_addresses_that_cannot_be(address: Lines | After | Exact) -> None:
    with pytest.raises(ValidationError):
        splice(b"a\nb\nc\n", Form("utf-8"), address, "x")


def test_a_text_that_stands_nowhere() -> None:
    with pytest.raises(NotFoundError):
        splice(b"a\n", Form("latin-1"), Exact("€"), "x")


def test_a_mark_is_no_part_of_the_first_line() -> None:
    marked = codecs.BOM_UTF8 + b"a\nb\n"
    for address in (Lines(1, 1), Exact("a"), Exact("\ufeffa")):
        assert splice(marked, form_of("a", marked), address, "\ufeffc") == codecs.BOM_UTF8 + b"c\nb\n"
    assert splice(b"a\nb\n", Form("utf-8"), Lines(1, 1), "\ufeffc") == codecs.BOM_UTF8 + b"c\nb\n"


def test_a_new_whole_text_is_written_as_the_old_one_was() -> None:
    old = "a\r\nb\r\n".encode("utf-16")
    assert rewrite(old, form_of("a", old), "x\ny").decode("utf-16") == "x\r\ny"
    assert rewrite(b"\xef\xbb\xbfa\n", form_of("a", b"\xef\xbb\xbfa\n"), "\ufeffb\n") == b"\xef\xbb\xbfb\n"
    assert rewrite(b"a\r\nb\n", Form("utf-8"), "x\ny\n") == b"x\ny\n"
