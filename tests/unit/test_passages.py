"""Which passage of a file is shown, what it is shown for, and what stands around it."""

from itertools import permutations

import pytest

from cocosearch_py.model.search import FurtherPassage, Hit, Member, SearchRequest
from cocosearch_py.search.candidates import FileCandidate
from cocosearch_py.search.context import HEAD_LINES, MAX_LINES_ADDED, content_of, start_byte_of, window_of
from cocosearch_py.search.matches import QuestionWords, words_by_line
from cocosearch_py.search.passages import Choice, about, choose
from cocosearch_py.search.query import analyze_text
from cocosearch_py.storage.queries.passages import EnclosingDefinition, NamedDefinition
from cocosearch_py.storage.queries.search import Definition, ScoredChunk
from cocosearch_py.storage.queries.texts import HitText
from cocosearch_py.tools.surroundings import MAX_OUTLINE_LINES, surroundings

FILE = 1


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["redirects", "followed"], "x = 1\nfollow(resolve_redirect)\n", {1: {"redirects", "followed"}}),
        (["redirect"], "maxRedirects = 3\nMAX_REDIRECT", {0: {"redirect"}, 1: {"redirect"}}),
        (["id"], "width\nidle\nuserID\nids = [id]\nclient_id", {2: {"id"}, 3: {"id"}, 4: {"id"}}),
        (["queries"], "a query\n", {0: {"queries"}}),
        (["\u0130stanbul", "port"], "\u0130 = port\n", {0: {"port"}}),
        (["port"], "", {}),
        ([], "port", {}),
    ],
)
def test_lines_that_hold_words(words: list[str], text: str, found: dict[int, set[str]]) -> None:
    assert words_by_line(words, text) == found


def test_a_name_that_says_more_of_the_question_is_more_like_it() -> None:
    words = QuestionWords({"how": 0.1, "redirects": 3.0, "followed": 2.0})
    names = ["follow_redirects", "resolve_redirects", "get_redirect_target_of_response", "session", "_"]
    told = [words.likeness(name) for name in names]
    assert told == sorted(told, reverse=True)
    assert told[0] > 0.9
    assert told[-2:] == [0.0, 0.0]


def named(chunk_no: int, symbol_no: int, name: str, kind: str = "function", *, starts: bool = True) -> NamedDefinition:
    return NamedDefinition(FILE, chunk_no, symbol_no, kind, name, starts)


def chosen(question: str, file: FileCandidate, *definitions: NamedDefinition) -> list[Choice]:
    by_chunk: dict[tuple[int, int], list[NamedDefinition]] = {}
    for one in definitions:
        by_chunk.setdefault((FILE, one.chunk_no), []).append(one)
    analysis = analyze_text(question, question)
    return choose(file, analysis, QuestionWords(dict.fromkeys(analysis.words, 2.0)), by_chunk)


def candidate(*scores: float, near: tuple[ScoredChunk, ...] = ()) -> FileCandidate:
    """A file whose chunks 0, 1, ... have these scores by words."""
    leg = sorted([ScoredChunk(FILE, number, score) for number, score in enumerate(scores)], key=lambda one: -one.score)
    return FileCandidate(FILE, "a.py", "python", keyword=leg, vector=list(near))


def test_the_share_of_words_does_not_depend_on_the_order_in_which_a_set_has_them() -> None:
    """That order is another one in each process, and passages whose shares were equal would be told apart by it."""
    words = QuestionWords({"how": 0.1, "redirects": 0.2, "followed": 0.3, "here": 3.0})
    orders = permutations(["how", "redirects", "followed"])
    assert len({words.share(dict.fromkeys(order).keys()) for order in orders}) == 1


def test_a_passage_whose_function_is_named_as_asked_is_shown_before_one_that_holds_the_words_more_often() -> None:
    file = candidate(5.0, 4.0, 1.0)
    assert chosen("how are redirects followed", file) == [Choice(0)]
    assert chosen("how are redirects followed", file, named(1, 7, "follow_redirects")) == [Choice(1)]


def test_the_name_of_a_type_counts_less_and_only_where_it_begins() -> None:
    file = candidate(5.0, 3.5)
    assert chosen("follow redirects", file, named(1, 7, "FollowRedirects"))[0] == Choice(1)
    assert chosen("follow redirects", file, named(1, 7, "FollowRedirects", "class", starts=False)) == [Choice(0)]


def test_meaning_decides_between_passages_that_hold_the_words_alike() -> None:
    assert chosen("follow redirects", candidate(4.0, 4.0, near=(ScoredChunk(FILE, 1, 0.6),)))[0] == Choice(1)


def test_a_second_passage_is_shown_where_both_answer() -> None:
    both = (named(0, 1, "strip_auth"), named(1, 2, "rebuild_auth"))
    assert chosen("strip and rebuild auth", candidate(5.0, 4.9), *both) == [Choice(0), Choice(1)]
    assert chosen("strip and rebuild auth", candidate(5.0, 0.5), *both) == [Choice(0)], "it is not nearly as good"
    assert chosen("strip and rebuild auth", candidate(5.0, 4.9), both[0]) == [Choice(0)], "no name in it says so"
    parts = (named(0, 1, "strip_auth"), named(1, 1, "strip_auth", starts=False))
    assert chosen("strip and rebuild auth", candidate(5.0, 4.9), *parts) == [Choice(0)], "it is about the same"


def defined(name: str, kind: str, lines: tuple[int, int], chunk_no: int, symbol_no: int) -> Definition:
    key = name.replace("_", "").lower()
    return Definition(FILE, chunk_no, symbol_no, key, name, kind, kind == "method", 0, *lines)


def test_the_member_is_shown_where_it_is_named_with_its_type() -> None:
    file = candidate(5.0, 1.0, 1.0)
    file.telling = [defined("FormData", "class", (1, 90), 1, 0), defined("add_fields", "method", (40, 60), 2, 1)]
    file.definition_weight = 1.0
    assert chosen("deque for FormData.add_fields", file)[0] == Choice(2, 1)
    file.telling[1] = defined("add_fields", "function", (95, 99), 2, 1)
    assert chosen("deque for FormData.add_fields", file)[0] == Choice(1, 0), "another thing of that name"


def enclosing(symbol_no: int, name: str, lines: tuple[int, int], kind: str = "function") -> EnclosingDefinition:
    return EnclosingDefinition(FILE, 0, symbol_no, kind, name, name, f"def {name}", *lines, starts_here=True)


CONTENT = "    return total\n\n\n# closes the till\ndef shut():\n    pass\n\n\ndef open_till():\n    unlock()\n"
AROUND = [enclosing(0, "count", (1, 10)), enclosing(1, "shut", (14, 15)), enclosing(2, "open_till", (18, 19))]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("return the total", "count"),
        ("how is the till closed", "shut"),
        ("unlock", "open_till"),
        ("open the till", "open_till"),
    ],
)
def test_a_passage_is_named_after_the_definition_that_tells_of_the_question(question: str, name: str) -> None:
    words = QuestionWords(dict.fromkeys(analyze_text(question, question).words, 2.0))
    found = about(CONTENT, 10, AROUND, words, usual=1)
    assert found is not None
    assert found.name == name


def test_a_passage_that_tells_nothing_is_named_as_usual() -> None:
    alike = [enclosing(0, "a", (10, 12)), enclosing(1, "b", (13, 15))]
    found = about("x\n" * 6, 10, alike, QuestionWords({"zebra": 1.0}), usual=1)
    assert found is not None
    assert found.name == "b"
    assert about("x\n", 10, [], QuestionWords({"zebra": 1.0}), usual=None) is None


def test_a_passage_that_begins_inside_a_part_is_named_after_the_part() -> None:
    nested = [enclosing(0, "zebra", (1, 40)), enclosing(1, "inner", (8, 20))]
    found = about("x\n" * 5 + "zebra\n", 10, nested, QuestionWords({"zebra": 1.0}), usual=0)
    assert found is not None
    assert found.name == "inner"


def text_of(start: int, content: str) -> HitText:
    end = start + content.count("\n") - 1
    rest = "".join(f"line {number}\n" for number in range(end + 1, 300))
    return HitText(FILE, 0, start, end, content, "class", "Till", 0, None, None, 0, 0, None, 0, start, content + rest)


TILL = enclosing(0, "Till", (12, 200), "class")
MEMBERS = [Member("method", "count", 30), Member("field", "total", 13), Member("method", "shut", 90)]


def test_a_type_shows_its_head_and_the_members_that_no_line_shows() -> None:
    text = text_of(8, "import x\n\n\n# A till.\nclass Till:\n    total = 0\n")
    window = window_of(SearchRequest("q"), text, TILL, MEMBERS, is_about=True)
    assert (window.start, window.end) == (11, 11 + HEAD_LINES - 1), "from its comment, and more than the passage has"
    assert window.around.is_empty
    assert [one.name for one in window.members] == ["count", "shut"]
    shown = content_of(text, window)
    assert shown.startswith("# A till.\nclass Till:\n    total = 0\nline 14\n")
    assert shown.count("\n") == window.end - window.start + 1
    assert window_of(SearchRequest("q"), text, TILL, MEMBERS, is_about=False).start == 8


@pytest.mark.parametrize("options", [{"context_after": 3}, {"smart_context": False}])
def test_asked_context_comes_without_members(options: dict[str, int]) -> None:
    window = window_of(SearchRequest("q", **options), text_of(12, "class Till:\n"), TILL, MEMBERS, is_about=True)  # type: ignore[arg-type]
    assert window.members == ()
    assert window.around.after[1] - window.end == options.get("context_after", 0)


def test_a_type_that_fits_into_its_context_is_shown_whole() -> None:
    small = enclosing(0, "Till", (12, 40), "class")
    members = [Member("method", "count", 30), Member("method", "elsewhere", 300)]
    window = window_of(SearchRequest("q"), text_of(12, "class Till:\n    pass\n"), small, members, is_about=True)
    assert window.span == (12, 40)
    assert [one.name for one in window.members] == ["elsewhere"], "a language may define members outside of the type"


def hit(**changes: object) -> Hit:
    values = {
        "file_path": "a.py",
        "start_line": 20,
        "end_line": 21,
        "score": 1.0,
        "content": "a\nb\n",
        "block_type": "",
    }
    values |= {"hierarchy": "", "language_id": "python", "symbol_type": "class", "symbol_name": "Till"}
    values |= {"symbol_signature": None, "match_type": "both", "vector_score": None, "keyword_score": None}
    return Hit(**{**values, **changes})  # type: ignore[arg-type]


def further(start: int, *lines: str) -> FurtherPassage:
    return FurtherPassage(start, start + len(lines) - 1, "\n".join(lines), "method", "shut", "Till.shut")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("", "")),
        ({"further": further(30, "x", "", "y")}, ("", "... line 30 of Till.shut:\nx\n\ny")),
        ({"further": further(5, "x", "y")}, ("... line 5 of Till.shut:\nx\ny\n...", "")),
        (
            {"context_before": "18\n19", "context_after": "22", "further": further(16, "x", "y", "z")},
            ("... line 16 of Till.shut:\nx\ny\n18\n19", "22"),
        ),
        (
            {"context_after": "22\n23", "further": further(22, "x", "y", "z")},
            ("", "22\n23\n... line 24 of Till.shut:\nz"),
        ),
        (
            {"context_after": "22", "members": (Member("method", "a", 9), Member("field", "b", 110))},
            ("", "22\n... members of Till:\n  9 method a\n110 field b"),
        ),
    ],
)
def test_what_is_told_around_a_hit(changes: dict[str, object], expected: tuple[str, str]) -> None:
    assert surroundings(hit(**changes)) == expected


def test_a_long_outline_keeps_functions_and_says_what_it_lacks() -> None:
    members = tuple(Member("field" if number % 2 else "method", f"m{number}", number) for number in range(120))
    _, after = surroundings(hit(members=members))
    lines = after.split("\n")
    assert len(lines) == MAX_OUTLINE_LINES + 2
    assert all(" method " in line for line in lines[1:-1])
    assert lines[-1] == f"... {120 - MAX_OUTLINE_LINES} more"


def test_a_passage_begins_with_its_definition_or_the_comment_before() -> None:
    content = "    return total\n\n\n# closes\n#\ndef shut():\n    pass\n"
    text = text_of(10, content)
    shut = enclosing(1, "shut", (15, 16))
    window = window_of(SearchRequest("q"), text, shut, (), is_about=True)
    assert (window.start, window.end) == (13, 16)
    assert content_of(text, window) == "# closes\n#\ndef shut():\n    pass\n"
    assert window_of(SearchRequest("q"), text, shut, (), is_about=False).start == 10


@pytest.mark.parametrize(("head", "start"), [(60 - MAX_LINES_ADDED, 60 - MAX_LINES_ADDED), (59 - MAX_LINES_ADDED, 60)])
def test_a_passage_inside_its_definition_begins_there_if_that_is_near(head: int, start: int) -> None:
    lines = ["\N{LATIN SMALL LETTER E WITH ACUTE}\n"] * 80
    lines[head - 1] = "def count():\n"
    content = "".join(lines[59:65])
    text = text_of(60, content)._replace(around_start=40, around="".join(lines[39:]), start_byte=1_000)
    window = window_of(SearchRequest("q"), text, enclosing(0, "count", (head, 70)), (), is_about=True)
    assert window.start == start
    shown = "".join(lines[start - 1 : 65])
    assert content_of(text, window) == shown
    assert start_byte_of(text, window) == 1_000 + len(content.encode()) - len(shown.encode())
