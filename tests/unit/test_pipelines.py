"""Pipelines as text: words, steps, and which steps fit together."""

import random
import shlex

import pytest

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.pipeline.chain import MAX_STEPS, parse
from cocosearch_py.features.pipeline.lexer import lex
from cocosearch_py.features.pipeline.streams import WORK
from cocosearch_py.features.pipeline.verbs import NAMES, VERBS, Kind
from cocosearch_py.tools.registry import dialect


def words(text: str) -> list[list[str]]:
    return [[word.text for word in step] for step in lex(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("search a b | limit 3", [["search", "a", "b"], ["limit", "3"]]),
        ("text 'a | b'|count", [["text", "a | b"], ["count"]]),
        ('text "a | b" \n| count', [["text", "a | b"], ["count"]]),
        (r"text a\|b", [["text", "a|b"]]),
        (r"text --regex \w+\(\d", [["text", "--regex", r"\w+\(\d"]]),
        (r'text "say \"hi\" \\ \d"', [["text", r'say "hi" \ \d']]),
        (r"text 'a\'", [["text", "a\\"]]),
        ("text pre' 'post''", [["text", "pre post"]]),
        ("text ''", [["text", ""]]),
        ("a||b|", [["a"], [], ["b"], []]),
        ("text C:\\dir\\", [["text", "C:\\dir\\"]]),
        ("", [[]]),
    ],
)
def test_words(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


def test_words_are_those_of_a_shell() -> None:
    chance = random.Random(14)
    for _ in range(2_000):
        text = "".join(chance.choice("ab \t\"'|") for _ in range(chance.randrange(1, 14)))
        shell = shlex.shlex(text, posix=True, punctuation_chars="|")
        shell.whitespace_split, shell.commenters, shell.escape = True, "", ""
        try:
            expected = [word for token in shell for word in ([token] if token.strip("|") or not token else list(token))]
        except ValueError:
            with pytest.raises(ValidationError, match="is not closed"):
                lex(text)
            continue
        if '"|' in text or "'|" in text or '|"' in text or "|'" in text:
            continue  # shlex does not tell a quoted | from one that separates
        ours = [word for step in words(text) for word in ["|", *step]][1:]
        assert ours == expected, text


def test_options_are_told_from_text() -> None:
    step = parse('text "--regex" --word --language=go --language python', None)[0]
    assert step.subject == "--regex"
    assert step.options == {"word": "", "language": "go,python"}
    assert parse("text -- --word a", None)[0].subject == "--word a"
    assert parse(None, ["path-search cart", "LIMIT 2"])[1].name == "limit"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "no steps", "find GLOB"),
        ("  |  ", "no steps", "search QUERY"),
        ("find a || count", "step 2 is empty", "quote"),
        ("fnd a", "unknown step 'fnd'", "did you mean find"),
        ("search a | rm -rf /", "unknown step 'rm'", "known: find, fuzzy"),
        ("text 'a", "quote at column 6 is not closed", "quotes"),
        ("limit 3", "step 1, limit, cannot start", "symbols NAME"),
        ("count", "cannot start", "a chain starts with"),
        ("find a | search b", "search, starts a chain", "files can be followed by filter [TEXT], outline"),
        ("find a | count | limit 1", "the step before it gives a number", "no step can follow a number"),
        (
            "find a | read | outline",
            "outline, takes results inside files; the step before it gives texts",
            "texts can be followed by limit",
        ),
        ("text a | callers", "callers, takes symbols; the step before it gives lines", "lines can be followed by"),
        ("find", "find, needs GLOB", "write find GLOB"),
        ("find a | outline b", "not an argument: 'b'", "write outline alone"),
        ("find a | count all", "not an argument: 'all'", "write count alone"),
        ("find a | limit 0", "limit, is '0'", "from 1 to 10,000"),
        ("find a | limit ten", "limit, is 'ten'", "from 1"),
        ("find a | limit 99999", "limit, is '99999'", "10,000"),
        ("find a | filter", "filter, needs an argument", "--path-glob"),
        ("find a | filter --kind class", "cannot choose a kind", "--language"),
        ("text a | sort score", "cannot sort lines by 'score'", "known: path"),
        ("text a --regexp", "has no option --regexp", "--regex, --word"),
        ("text a --language", "--language needs a value", "LANG"),
        ("text a --regex=x", "--regex takes no value", "alone"),
        ("symbols a --match like", "--match is 'like'", "fuzzy"),
        ("deps a --depth 99", "--depth is '99'", "from 1 to 20"),
        ("find a" + " | sort" * MAX_STEPS, "21 steps are too many", "20"),
        ("text " + "a" * 10_001, "longer than 10,000", "shorter"),
    ],
)
def test_a_chain_that_does_not_fit_is_refused_with_what_fits(text: str, message: str, hint: str) -> None:
    with pytest.raises(ValidationError) as raised:
        parse(text, None)
    assert message in raised.value.message
    assert hint in (raised.value.hint or "")


def test_steps_in_a_list_are_one_each() -> None:
    with pytest.raises(ValidationError, match=r"step 2 has a \| outside"):
        parse(None, ["find a", "sort | limit 2"])
    assert parse(None, ["text 'a|b'"])[0].subject == "a|b"
    for both in ((None, None), ("find a", ["find a"])):
        with pytest.raises(ValidationError, match="either as pipeline or as steps"):
            parse(*both)
    with pytest.raises(ValidationError, match="no steps"):
        parse(None, [])


def test_a_limit_bounds_what_gives_it_one_item_for_each() -> None:
    def wanted(text: str) -> list[int | None]:
        return [step.wanted for step in parse(text, None)]

    assert wanted("text a | limit 5 | read | limit 2") == [2, 2, 2, None]
    assert wanted("text a | filter b | limit") == [None, 10, None]
    assert wanted("text a | limit 50 | sort") == [50, None, None]


def test_every_step_has_its_work_and_none_writes() -> None:
    assert set(WORK) == set(VERBS) == set(NAMES.values())
    assert all(one.gives or one.takes for one in VERBS.values())
    assert not [one.name for one in VERBS.values() if Kind.NUMBER in one.takes]
    assert not dialect("lexa.PIPELINE").writes


def test_any_text_is_read_or_refused_in_words() -> None:
    chance = random.Random(5)
    parts = [*NAMES, "|", " | ", "--kind", "--depth=2", "--", "'", '"', "\\", "é", "\n", "a b", "3", "", "\0", "\ud800"]
    for _ in range(3_000):
        text = " ".join(chance.choice(parts) for _ in range(chance.randrange(1, 9)))
        try:
            steps = parse(text, None)
        except ValidationError as error:
            assert error.hint
        else:
            assert all(step.gives is not None for step in steps)
            assert steps[0].verb.begins
