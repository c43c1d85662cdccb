"""Questions mined from a repository, their measures, and the search for weights."""

import random

import pytest

from cocosearch_py.features.evaluate import cases as mining
from cocosearch_py.features.evaluate.cases import Case, Commit
from cocosearch_py.features.evaluate.measures import mean, measure
from cocosearch_py.features.evaluate.run import FEW_CASES, Outcome, evaluate, mine
from cocosearch_py.features.evaluate.tuning import FEWEST_CASES, tune
from cocosearch_py.storage.queries.facts import DefinitionFacts

INDEXED = {
    "src/session.py": "python",
    "src/store/cache.py": "python",
    "src/store/disk.py": "python",
    "tests/test_session.py": "python",
    "CHANGELOG.md": "markdown",
}


def test_a_log_is_read_below_the_indexed_folder() -> None:
    log = "\x01fix: expire old sessions\x02Long ago.\n\nCloses #3\n\x02\n\napp/src/session.py\nREADME.md\n"
    assert mining.read_commits(log + "\x01empty commit\x02\x02\n", "app/") == [
        Commit("fix: expire old sessions", ("src/session.py",), "Long ago.\n\nCloses #3"),
        Commit("empty commit", ()),
    ]


@pytest.mark.parametrize(
    ("subject", "question"),
    [
        ("fix(store): evict the least recent entry (#12)", "evict the least recent entry"),
        ("Add support for nested session scopes", "nested session scopes"),
        ("Expire sessions lazily, closes #7", "Expire sessions lazily"),
        ("[store] Remove stale cache entries", "stale cache entries"),
        ("Bump version to 2.0 final", ""),
        ("docs: how the cache works here", ""),
        ("Fix typo in session", ""),
        ("Refactor", ""),
    ],
)
def test_a_subject_becomes_a_question_or_nothing(subject: str, question: str) -> None:
    assert mining.clean_subject(subject) == question


def test_a_commit_asks_for_the_source_files_it_changed() -> None:
    commits = [
        Commit("expire the oldest sessions first", ("src/session.py", "tests/test_session.py", "CHANGELOG.md")),
        Commit("share one lock between stores", ("src/store/cache.py", "src/store/disk.py")),
        Commit("touch everything at once here", ("src/session.py", "src/store/cache.py", "src/store/disk.py")),
        Commit("change a file that is gone", ("src/removed.py",)),
        Commit("describe the newest changes well", ("CHANGELOG.md",)),
    ]
    found = {case.query: case.paths for case in mining.commit_cases(commits, INDEXED)}
    assert found == {
        "expire the oldest sessions first": {"src/session.py"},
        "share one lock between stores": {"src/store/cache.py", "src/store/disk.py"},
    }


@pytest.mark.parametrize(
    ("subject", "body", "question"),
    [
        ("Fix #123: sessions never expire", "", "sessions never expire"),
        ("fixes GH-12", "Sessions never expire at night.\n\nThey should.", "Sessions never expire at night"),
        ("Expire sessions at night", "The clock was wrong.\n\nCloses: owner/name#7", "Expire sessions at night"),
        ("Expire sessions at night", "Resolves https://code.example/o/n/issues/7", "Expire sessions at night"),
        ("Fixed issue #12: sessions never expire", "", "sessions never expire"),
        ("KEY-12: sessions never expire", "", "sessions never expire"),
        ("[#12] sessions never expire", "", "sessions never expire"),
        ("gh-12: sessions never expire", "", "sessions never expire"),
        ("Expire sessions at night (#12)", "", ""),  # the number of a pull request
        ("Expire sessions at night", "See #12, which is about the same.", ""),
        ("UTF-8 names of all sessions", "", ""),
        ("Fix #12: typo in sessions file", "", ""),
    ],
)
def test_what_a_commit_says_of_the_issue_that_it_fixes(subject: str, body: str, question: str) -> None:
    assert mining.issue_question(Commit(subject, (), body)) == question


def test_a_fixed_issue_asks_for_all_source_files_of_the_fix() -> None:
    stores = tuple(f"src/store/store{number}.py" for number in range(5))
    indexed = INDEXED | dict.fromkeys(stores, "python")
    commits = [
        Commit("Fix #1: stores share their lock", (*stores, "tests/test_session.py")),
        Commit("Fix #2: stores and sessions share their lock", (*stores, "src/session.py")),
        Commit("Fix #3: a file that is gone", ("src/removed.py", "src/session.py")),
        Commit("stores share one lock at last", stores),
    ]
    assert mining.issue_cases(commits, indexed) == [Case("issue", "stores share their lock", frozenset(stores))]


def definition(path: str, name: str, doc: str = "", kind: str = "function", depth: int = 0) -> DefinitionFacts:
    return DefinitionFacts(path, name, kind, doc, depth)


def test_a_test_asks_for_the_file_of_its_files_name() -> None:
    definitions = [
        definition("tests/test_session.py", "test_old_tokens_are_refused"),
        definition("tests/test_session.py", "helper"),
        definition("tests/test_unknown.py", "test_something_else_works"),
        definition("src/session.py", "test_looks_like_one_but_is_source"),
    ]
    assert mining.tested_cases(definitions, INDEXED) == [
        Case("test", "old tokens are refused", frozenset({"src/session.py"}))
    ]


def test_a_file_that_defines_nothing_is_not_under_test() -> None:
    indexed = {"src/session/__init__.py": "python", "tests/test_session.py": "python"}
    definitions = [definition("tests/test_session.py", "test_old_tokens_are_refused")]
    assert mining.tested_cases(definitions, indexed) == []
    definitions.append(definition("src/session/__init__.py", "refuse"))
    assert [case.query for case in mining.tested_cases(definitions, indexed)] == ["old tokens are refused"]


def test_a_question_that_shares_no_word_with_its_file_is_not_asked() -> None:
    definitions = [definition("src/session.py", "SessionStore", "Keeps tokens of people who are logged in.")]
    commits = [
        Commit(subject, ("src/session.py",))
        for subject in ("the expression on two lines", "store what expires first", "refuse a token twice")
    ]
    asked = [case.query for case in mine(commits, definitions, INDEXED, {}) if case.source == "commit"]
    assert sorted(asked) == ["refuse a token twice", "store what expires first"]


def test_sources_that_say_little_are_told_of() -> None:
    right = [Case("symbol", f"name {number}", frozenset({"a"})) for number in range(FEW_CASES)]
    wrong = [Case("test", f"test {number}", frozenset({"b"})) for number in range(FEW_CASES)]
    result = evaluate([*right, *wrong, Case("commit", "once", frozenset({"a"}))], lambda query: [("a", {})])
    assert set(result.notes) == set(mining.SOURCES) - {"symbol"}
    assert "only 1 of its questions" in result.notes["commit"]
    assert "only 0.000" in result.notes["test"]
    few = evaluate(right[:5], lambda query: [("a", {})], ["commits"], most=5)
    assert "as requested" in few.notes["symbol"], "there may be more"
    assert few.notes["commit"].startswith("none of its questions could be asked: ")


def test_a_name_asks_for_its_only_file() -> None:
    definitions = [
        definition("src/session.py", "SessionStore"),
        definition("src/session.py", "close_all"),
        definition("src/store/disk.py", "closeAll"),
        definition("src/store/disk.py", "inner_helper", depth=1),
        definition("src/store/disk.py", "put"),
    ]
    assert [case.query for case in mining.symbol_cases(definitions, INDEXED)] == ["SessionStore"]


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("/** Removes entries nobody ever reads.\n * @param age in days */", "Removes entries nobody ever reads"),
        ("Open the store\nfor one thread only.\n\nMore about it.", "Open the store for one thread only"),
        ("Short.", ""),
        ("TODO make this work with more threads", ""),
    ],
)
def test_the_first_sentence_of_a_comment(doc: str, sentence: str) -> None:
    assert mining.first_sentence(doc) == sentence


def test_a_sample_is_the_same_whatever_the_order() -> None:
    cases = [Case("commit", f"question {number}", frozenset({"a"})) for number in range(50)]
    shuffled = random.Random(1).sample(cases, len(cases))
    assert mining.sample(cases, 10) == mining.sample(shuffled, 10)
    assert len(mining.sample(cases, 10)) == 10


def test_measures_of_one_answer() -> None:
    found = measure(["x", "a", "y", "b"], {"a", "b"})
    assert found.reciprocal_rank == 0.5
    assert (found.first, found.in_five) == (0.0, 1.0)
    late = measure([*"01234", "a"], {"a"})
    assert (late.in_five, late.recall_at_10) == (0.0, 1.0)
    assert (found.recall_at_1, found.recall_at_5) == (0.0, 1.0)
    assert found.ndcg == pytest.approx((0.6309 + 0.4307) / 1.6309, abs=1e-3)
    assert measure(["a"], {"a"}).ndcg == 1.0
    assert measure([], {"a"}).ndcg == 0.0
    assert measure([*"0123456789", "a"], {"a"}).reciprocal_rank == 0.0
    assert mean([measure(["a"], {"a"}), measure([], {"a"})]).ndcg == 0.5
    with pytest.raises(ValueError, match="wants no file"):
        measure(["a"], set())


def test_comments_fixes_and_what_is_pasted_are_asked_but_do_not_count() -> None:
    uncounted = [source for source in mining.SOURCES if source not in mining.COUNTED]
    cases = [Case("commit", "right", frozenset({"a"})), *(Case(one, "wrong", frozenset({"b"})) for one in uncounted)]
    result = evaluate(cases, lambda query: [("a", {})])
    assert result.overall is not None
    assert result.overall.ndcg == 1.0
    assert {result.by_source[source].ndcg for source in uncounted} == {0.0}
    assert [outcome.case.source for outcome in result.outcomes if outcome.counts] == ["commit"]
    assert {worst.case.source for worst in result.worst} == set(uncounted)


def test_only_the_chosen_classes_are_asked() -> None:
    cases = [Case("commit", "one", frozenset({"a"})), Case("name", "two", frozenset({"a"}))]
    asked: list[str] = []
    result = evaluate(cases, lambda query: asked.append(query) or [], ["names", "paths"])  # type: ignore[func-returns-value]
    assert asked == ["two"]
    assert result.overall is None
    assert result.counts == {"name": 1, "path": 0, "tail": 0, "line": 0}
    assert result.overall is None


def test_when_the_time_is_up_no_source_is_preferred() -> None:
    cases = [Case(source, f"question {number}", frozenset({"a"})) for source in ("commit", "name") for number in "123"]
    result = evaluate(cases, lambda query: [("a", {})], seconds=0)
    assert result.unasked == 6
    whole = evaluate(cases, lambda query: [("a", {})])
    assert [one.case for one in whole.outcomes] == cases
    assert whole.unasked == 0


def outcome(number: int, right: dict[str, float], wrong: dict[str, float]) -> Outcome:
    case = Case("commit", f"question {number}", frozenset({"right"}))
    candidates = [("wrong", wrong), ("right", right)]
    return Outcome(case, measure([path for path, _ in candidates], case.paths), candidates)


def test_tuning_keeps_weights_that_help_the_other_half() -> None:
    found = [outcome(number, {"name": 1.0}, {"keywords": 1.0}) for number in range(FEWEST_CASES)]
    result = tune(found, {"keywords": 1.5, "name": 1.0})
    assert result.weights is not None
    assert result.weights["name"] > result.weights["keywords"]
    assert (result.before, result.after) == (pytest.approx(0.6309, abs=1e-3), 1.0)


def test_tuning_keeps_nothing_where_nothing_is_gained() -> None:
    perfect = [outcome(number, {"name": 1.0}, {}) for number in range(FEWEST_CASES)]
    assert tune(perfect, {"keywords": 1.0, "name": 1.0}).weights is None
    few = [outcome(number, {"name": 1.0}, {"keywords": 1.0}) for number in range(FEWEST_CASES - 1)]
    assert tune(few, {"keywords": 1.5, "name": 1.0}).weights is None
