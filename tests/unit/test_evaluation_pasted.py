"""Questions of what people paste, drawn from a repository's files."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import cocosearch_py
from cocosearch_py.features.evaluate import pasted
from cocosearch_py.features.evaluate.cases import is_side_file
from cocosearch_py.features.evaluate.texts import read_texts

SOURCE = Path(cocosearch_py.__file__).parent


def named(text: str, path: str = "src/a.x") -> list[str]:
    return [case.query for case in pasted.name_cases({path: text}, {path: "python"})]


@pytest.mark.parametrize(
    "line",
    [
        "class KeepSession(Base):",
        "export default class KeepSession extends Keeper {",
        "public sealed class KeepSession<T> : Keeper",
        "pub(crate) struct KeepSession<'a> {",
        "type KeepSession struct {",
        "func (s *Store) KeepSession(id int) error {",
        "    async def KeepSession(self):",
        "  def KeepSession",
        "export async function KeepSession(id) {",
        "data KeepSession = Kept | Lost",
        "interface KeepSession : Keeper",
    ],
)
def test_definitions_of_many_languages(line: str) -> None:
    assert named(f"before\n{line}\n    after\n") == ["KeepSession"]


@pytest.mark.parametrize(
    "line",
    [
        "struct keep_session *first;",
        "class KeepSession;",
        "// class KeepSession {",
        "# def keep_session():",
        "class keeps:",  # a word of prose
        "def Keep():",  # short
        "the class KeepSession is old",
        "return type KeepSessions",
    ],
)
def test_what_only_mentions_a_name(line: str) -> None:
    assert named(f"before\n{line}\n    after\n") == []


def test_names_of_python_are_defined_where_its_own_parser_says() -> None:
    paths = {str(path.relative_to(SOURCE)): "python" for path in SOURCE.rglob("*.py")}
    texts = read_texts(SOURCE, paths)
    assert texts.keys() == {path for path in paths if (SOURCE / path).stat().st_size}
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for path in texts:
        for node in ast.walk(ast.parse((SOURCE / path).read_bytes())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                holders[node.name].add(path)
    cases = list(pasted.name_cases(texts, paths))
    assert len(cases) > 1_000
    shells = {"cli/completion_scripts.py"}  # has functions of shells in its texts
    assert all(holders[case.query] == case.paths for case in cases if case.paths != shells)


def test_a_name_of_two_files_is_not_asked_whatever_its_spelling() -> None:
    texts = {"a.py": "def keep_session():\n", "b.js": "function keepSession() {\n", "c.py": "def lose_session():\n"}
    found = list(pasted.name_cases(texts, dict.fromkeys(texts, "python")))
    assert [(case.query, case.paths) for case in found] == [("lose_session", {"c.py"})]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('raise ValueError("the session has no owner")', {"the session has no owner"}),
        ("fail('session is older than a week!');", {"session is older than a week!"}),
        ('log("session of the owner", "is older than a week")', {"session of the owner", "is older than a week"}),
        ('# "the session has no owner"', set()),
        ("it doesn't matter, isn't it so", set()),
        ('fail("session %s has no owner")', set()),
        ('fail("session {name} has no owner")', set()),
        ('fail("no owner")', set()),
        ('fail("a b c d e")', set()),
        ('fail("the session\\n has no owner")', set()),
    ],
)
def test_messages_are_what_people_paste(line: str, found: set[str]) -> None:
    assert pasted.messages(f"first\n{line}\nlast") == found


def test_a_message_is_asked_when_only_one_file_holds_it() -> None:
    texts = {
        "one.py": 'fail("the session has no owner")\nfail("the session has no name")\n',
        "two.py": "fail('The  SESSION has no owner at all')\n",
        "tests/test_one.py": 'expect("no session is this old")\n',
        "notes.md": "We say 'the session has gone away' here.\n",
    }
    indexed = {path: "markdown" if path.endswith(".md") else "python" for path in texts}
    found = {case.query: case.paths for case in pasted.literal_cases(texts, indexed)}
    assert found == {"the session has no name": {"one.py"}, "The  SESSION has no owner at all": {"two.py"}}


def test_files_take_turns_in_giving_messages() -> None:
    texts = {
        path: "".join(f'fail("the {path} has no {what} today")\n' for what in ("owner", "name", "date"))
        for path in ("one", "two")
    }
    indexed = dict.fromkeys(texts, "python")
    cases = pasted.pasted_cases(texts, indexed, most=4)
    bare = [case for case in cases if case.source == "literal_bare"]
    assert [len(case.paths & {"one"}) + 2 * len(case.paths & {"two"}) for case in bare[:2]] in ([1, 2], [2, 1])
    assert len(bare) == 4
    assert [case.query for case in cases if case.source == "literal_quoted"] == [f'"{case.query}"' for case in bare]


def test_paths_their_tails_and_their_lines() -> None:
    texts = {"a/b/c.py": "\nx = 1\n\n", "z/b/c.py": "y = 1\n", "a/q/r.py": "z = 1\n", "top.py": "\n \n"}
    indexed = dict.fromkeys(texts, "python")
    assert {case.query for case in pasted.path_cases(indexed)} == set(texts)
    assert {(case.query, *case.paths) for case in pasted.tail_cases(indexed)} == {("q/r.py", "a/q/r.py")}
    lines = {(case.query, *case.paths) for case in pasted.line_cases(texts)}
    assert lines == {("a/b/c.py:2", "a/b/c.py"), ("z/b/c.py:1", "z/b/c.py"), ("a/q/r.py:1", "a/q/r.py")}


def test_one_more_file_changes_few_questions() -> None:
    indexed = {f"src/part{number}/file{number}.py": "python" for number in range(60)}
    before = {case.query for case in pasted.pasted_cases({}, indexed, most=20)}
    after = {case.query for case in pasted.pasted_cases({}, indexed | {"src/more/new.py": "python"}, most=20)}
    assert len(before) == 40
    assert len(before - after) <= 2


def test_only_files_inside_the_folder_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.py").write_text("secret\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "wide.py").write_text("breit\n", encoding="utf-16")
    (root / "narrow.py").write_bytes(b"one\r\ntwo\r\n")
    paths = ["link.py", "narrow.py", "gone.py", "wide.py"]
    assert read_texts(root, paths) == {"narrow.py": "one\ntwo\n", "wide.py": "breit\n"}
    monkeypatch.setattr("cocosearch_py.features.evaluate.texts.MOST_BYTES", 10)
    assert read_texts(root, paths) == {}
    assert read_texts(tmp_path / "nowhere", paths) == {}


def test_pasted_questions_are_about_source_files() -> None:
    text = 'def keep_session():\n    fail("the session has no owner")\n'
    texts = {"tests/test_it.py": text}
    assert is_side_file("tests/test_it.py", {})
    sources = {case.source for case in pasted.pasted_cases(texts, dict.fromkeys(texts, "python"), most=9)}
    assert sources == {"path", "line"}
