"""Our own reading of ignore files must be git's, on trees and patterns nobody would write by hand."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cocosearch_py.discovery.gitignore import Pattern, compile_patterns
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import discover
from cocosearch_py.model.files import DiscoveredFile, FailedFile, SkippedFile

NAMES = ("a", "b", "ab", "ba", "x.py", "y.log", "é", "[a]", "#b", "a b", "a ", "!a", "-", "*", "a\\b")
PIECES = (
    "a", "b", "ab", "*", "**", "?", "a*", "*a", "*.py", "*.*", "[ab]", "[!a]", "[^ab]*", "[a-z]", "[]a]",
    "[[:alpha:]]*", "[[:nope:]]", "[a", "\\a", "\\*", "a\\", "é", "?b", "a b", "a\\ ", "x.py", "*.log",
    "#b", "\\#b", "\\!a", "***", "a**", "**b", "[\\]]", "[a\\-z]", "[/a]", "\\[a\\]", "*a*b*", "??",
)  # fmt: skip

names = st.sampled_from(NAMES)
folders = st.lists(names, max_size=3).map("/".join)
files = st.lists(names, min_size=1, max_size=4).map("/".join)
pattern_lines = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(("", "", "", "!", "!", "\\!")),
    st.sampled_from(("", "", "/")),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("/".join),
    st.sampled_from(("", "", "/", "/**", "//")),
    st.sampled_from(("", "", " ", "\r", "  ", "\t")),
)
ignore_texts = st.lists(pattern_lines, min_size=1, max_size=5).map("\n".join)
Tree = tuple[list[str], dict[str, str], str]
trees: st.SearchStrategy[Tree] = st.tuples(
    st.lists(files, min_size=1, max_size=14),
    st.dictionaries(folders, ignore_texts, min_size=1, max_size=3),
    st.one_of(st.just(""), ignore_texts),
)


def write_tree(root: Path, tree: Tree) -> None:
    """Write files and ignore files; where a name is wanted as file and folder, the first one stays."""
    paths, ignore_files, exclude = tree
    contents = dict.fromkeys(paths, "text")
    contents |= {f"{folder}/.gitignore".lstrip("/"): text for folder, text in ignore_files.items()}
    for path, text in contents.items():
        try:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_bytes(exclude.encode())


def git_listing(root: Path) -> set[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True)
    return {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}


@contextmanager
def changed_environment(**changes: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def check(root: Path, wanted: set[str]) -> None:
    on_disk = sum(len(found) for folder, _, found in os.walk(root) if ".git" not in Path(folder).parts)
    entries = list(discover(root, DiscoveryOptions()))
    assert {entry.path for entry in entries if isinstance(entry, DiscoveredFile)} == wanted
    assert not [entry for entry in entries if isinstance(entry, FailedFile)]
    assert sum(entry.file_count if isinstance(entry, SkippedFile) else 1 for entry in entries) == on_disk


@given(trees)
@example((["a/b", "b"], {"": "*\n!a\n!a/b"}, ""))
@example((["a/b/x.py", "a/x.py"], {"": "a/*\n!a/b", "a/b": "!x.py"}, "*.py"))
@example((["a/b/ab", "ab"], {"": "**/a/**/ab"}, ""))
@settings(max_examples=60)
def test_the_walk_keeps_what_git_lists_with_git_and_without(tree: Tree) -> None:
    nowhere = os.path.join(os.sep, "nonexistent")
    with (
        tempfile.TemporaryDirectory() as folder,
        changed_environment(
            GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", XDG_CONFIG_HOME=nowhere, HOME=nowhere
        ),
    ):
        root = Path(os.path.realpath(folder))
        write_tree(root, tree)
        wanted = git_listing(root)
        check(root, wanted)
        with changed_environment(PATH=nowhere):
            check(root, wanted)


@pytest.mark.parametrize(
    ("pattern", "path", "is_folder", "matches"),
    [
        ("build/", "build", True, True),
        ("build/", "build", False, False),
        ("*.log", "deep/down/a.log", False, True),
        ("/a", "x/a", False, False),
        ("a/b", "x/a/b", False, False),
        ("a/**", "a", True, False),
        ("a/**/b", "a/b", False, True),
        ("/a**", "ab/c/d", False, True),  # unlike its documentation, git reads these two stars as folders too
        ("/?a**", "bab/c", False, False),
        ("x[a/b]y", "xay", False, True),
        ("a\\/b", "a/b", False, True),
        ("?", "é", False, False),  # two bytes, and git counts bytes
        ("trail\\ ", "trail ", False, True),
        ("\\", "\\", False, False),
    ],
)
def test_one_pattern(pattern: str, path: str, is_folder: bool, matches: bool) -> None:
    patterns = compile_patterns([pattern.encode()], ".gitignore")
    assert (patterns.match(path.encode(), is_folder) is not None) is matches


def test_a_hostile_pattern_answers_at_once() -> None:
    stars = compile_patterns([b"*a" * 40 + b"b", b"**/a/" * 20 + b"b"], ".gitignore")
    assert stars.match(b"a" * 250, False) is None
    assert stars.match(b"a/" * 1000 + b"c", False) is None


def test_patterns_without_wildcards_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [b"name_%d" % number for number in range(1_000)] + [b"/at/name_%d" % number for number in range(1_000)]
    patterns = compile_patterns([*lines, b"!name_7", b"*.log", b"!keep.log", b"folder/"], ".gitignore")
    fitted: list[bytes] = []
    real = Pattern.fits
    monkeypatch.setattr(Pattern, "fits", lambda self, path: fitted.append(self.expression) or real(self, path))
    rules = {
        path: None if (found := patterns.match(path, is_folder)) is None else found.rule.rpartition(" ")[2]
        for path, is_folder in [
            *((b"deep/name_3", False), (b"at/name_3", False), (b"name_7", False), (b"x.log", False)),
            *((b"a/keep.log", False), (b"folder", False), (b"a/folder", True), (b"other", False)),
        ]
    }
    assert list(rules.values()) == ["name_3", "/at/name_3", "!name_7", "*.log", "!keep.log", None, "folder/", None]
    assert len(fitted) == 1  # of "*.log" alone: no other one has to be compiled
