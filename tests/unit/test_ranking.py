"""Order of files: each rule of the ranking, by two files that differ in that rule alone."""

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.model.files import ContentClass
from cocosearch_py.search.candidates import Evidence, FileCandidate, fuse, gather
from cocosearch_py.search.features import concept_weights, definition_value
from cocosearch_py.search.issue_reports import analyze_query
from cocosearch_py.search.matches import QuestionWords
from cocosearch_py.search.passages import Choice, choose
from cocosearch_py.search.query import analyze_text
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS, FACTOR_STRENGTH, LEAST_LIFT, rank_files, score_parts
from cocosearch_py.search.word_similarity import WordMatcher, similarity
from cocosearch_py.storage.queries.passages import Passage
from cocosearch_py.storage.queries.search import Definition, FileFacts, ScoredChunk

WORD = st.from_regex(r"[a-z]{1,14}", fullmatch=True)


def definition(file_id: int, name: str, kind: str = "function", **changes: int) -> Definition:
    values = {
        "chunk_no": 0,
        "symbol_no": 0,
        "nested": False,
        "function_depth": 0,
        "start_line": 1,
        "end_line": 5,
        **changes,
    }
    return Definition(file_id=file_id, name_key=name.replace("_", "").lower(), name=name, kind=kind, **values)  # type: ignore[arg-type]


def ranked(
    query: str,
    paths: list[str],
    keyword: list[ScoredChunk] | None = None,
    vector: list[ScoredChunk] | None = None,
    definitions: list[Definition] | None = None,
    languages: dict[str, str] | None = None,
    classes: dict[str, str] | None = None,
    verbatim: dict[tuple[int, int], float] | None = None,
) -> list[FileCandidate]:
    """Files of the given paths (their ids count from 1), all with the same keyword evidence unless told otherwise."""
    analysis = analyze_text(query, query)
    same = [ScoredChunk(number, 0, 5.0) for number in range(1, len(paths) + 1)]
    evidence = Evidence(
        same if keyword is None else keyword,
        vector or [],
        definitions or [],
        dict.fromkeys(analysis.words, 3.0),
        verbatim=verbatim or {},
    )
    known = {
        number: FileFacts(path, (languages or {}).get(path, "python"), (classes or {}).get(path, ""))
        for number, path in enumerate(paths, start=1)
    }
    return rank_files(gather(evidence, known), analysis, evidence, DEFAULT_WEIGHTS)


def first(*arguments: object, **options: object) -> str:
    return ranked(*arguments, **options)[0].path  # type: ignore[arg-type]


def test_better_keyword_score_wins() -> None:
    chunks = [ScoredChunk(1, 0, 3.0), ScoredChunk(2, 0, 9.0)]
    assert first("zebra", ["x/a.py", "x/b.py"], keyword=chunks) == "x/b.py"


def test_several_good_passages_beat_one() -> None:
    chunks = [ScoredChunk(1, 0, 5.0), ScoredChunk(2, 0, 4.9), ScoredChunk(2, 1, 4.8), ScoredChunk(2, 2, 4.7)]
    assert first("zebra", ["x/a.py", "x/b.py"], keyword=chunks) == "x/b.py"


def test_nearer_vector_wins() -> None:
    near = [ScoredChunk(2, 0, 0.9), ScoredChunk(1, 0, 0.2)]
    assert first("zebra", ["x/a.py", "x/b.py"], vector=near) == "x/b.py"


def test_the_best_fused_passage_of_a_file_counts() -> None:
    keyword = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 8.0), ScoredChunk(1, 1, 3.0), ScoredChunk(2, 1, 2.0)]
    evidence = Evidence(keyword, [], [], {"zebra": 3.0}, fused=fuse(keyword, []))
    files = gather(evidence, {number: FileFacts(f"x/{number}.py", "python") for number in (1, 2)})
    rank_files(files, analyze_text("zebra", "zebra"), evidence, DEFAULT_WEIGHTS)
    shares = {file.file_id: file.features["fused"] for file in files}
    (_, first_share), (_, second_share) = evidence.fused[:2]
    assert shares == {1: 1.0, 2: pytest.approx(second_share / first_share)}


def test_of_passages_that_hold_the_query_alike_the_first_is_shown() -> None:
    held = {(1, 3): 0.5, (1, 7): 0.8, (1, 2): 0.8, (1, 5): 0.8}
    evidence = Evidence([ScoredChunk(1, 3, 5.0)], [], [], {"zebra": 3.0}, verbatim=held)
    (file,) = gather(evidence, {1: FileFacts("x/a.py", "python")})
    rank_files([file], analyze_text("zebra", "zebra"), evidence, DEFAULT_WEIGHTS)
    assert (file.verbatim, file.features["verbatim"]) == (2, 0.8)


def test_the_whole_query_in_several_files_tells_less() -> None:
    evidence = Evidence([], [], [], {"zebra": 3.0}, verbatim={(1, 0): 1.0, (2, 0): 1.0, (3, 0): 0.5})
    known = {number: FileFacts(f"x/{number}.py", "python") for number in (1, 2, 3)}
    files = [FileCandidate(number, *facts) for number, facts in known.items()]
    rank_files(files, analyze_text("zebra", "zebra"), evidence, DEFAULT_WEIGHTS)
    assert files[0].features["verbatim"] == files[1].features["verbatim"] == pytest.approx(2**-0.3)
    assert files[2].features["verbatim"] == pytest.approx(0.5 * 2**-0.3)


@pytest.mark.parametrize(("share", "marked"), [(0.59, True), (0.6, False), (0.9, False)])
def test_code_of_others_is_not_marked_where_the_query_is_taken_from_it(share: float, marked: bool) -> None:
    files = [
        FileCandidate(1, "vendor/zoo/a.py", "python", ContentClass.VENDORED, keyword=[ScoredChunk(1, 0, 5.0)]),
        FileCandidate(2, "src/b.py", "python", keyword=[ScoredChunk(2, 0, 5.0)]),
    ]
    evidence = Evidence([], [], [], {"zebra": 3.0}, verbatim={(1, 0): share})
    rank_files(files, analyze_text("zebra stripes", "zebra stripes"), evidence, DEFAULT_WEIGHTS)
    assert ["vendored" in file.features for file in files] == [marked, False]


def test_a_type_counts_more_up_to_forty_lines() -> None:
    values = [definition_value(definition(1, "a", "class", end_line=lines)) for lines in (1, 39, 40, 41)]
    assert values[0] < values[1] < values[2] == values[3]


def test_file_named_by_the_query_wins() -> None:
    assert first("zebra stripes", ["x/other.py", "x/zebra.py"]) == "x/zebra.py"


def test_folder_named_by_the_query_wins() -> None:
    assert first("zebra stripes", ["cat/a.py", "zebra/a.py"]) == "zebra/a.py"


def test_definition_wins() -> None:
    assert first("get_zebra", ["x/a.py", "x/b.py"], definitions=[definition(2, "get_zebra")]) == "x/b.py"


def test_the_first_of_two_things_wins() -> None:
    names = ["x/store.py", "x/driver.py"]
    assert first("driver and store", names) == "x/driver.py"
    assert first("store and driver", names) == "x/store.py"
    both = [definition(1, "Store", "class"), definition(2, "Driver", "class")]
    assert first("driver and store", ["x/a.py", "x/b.py"], definitions=both) == "x/b.py"
    for query in ("driver store", "and store", "driver and driver"):
        assert not any("subject" in file.features for file in ranked(query, names))


def test_mention_wins() -> None:
    chunks = [ScoredChunk(1, 0, 5.0, "0"), ScoredChunk(2, 0, 5.0, "1")]
    assert first("get_zebra", ["x/a.py", "x/b.py"], keyword=chunks) == "x/b.py"


def test_test_code_comes_after_unless_asked_for() -> None:
    paths = ["tests/test_q.py", "source/q.py"]
    assert first("zebra", paths) == "source/q.py"
    assert {file.features.get("test") for file in ranked("mock zebra", paths)} == {None, 1.0}
    assert {file.features.get("test") for file in ranked("zebra mock", paths)} == {None}


def test_tests_come_first_where_they_are_asked_for() -> None:
    better = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 7.0)]
    paths = ["source/zebra.py", "tests/test_zebra.py"]
    assert first("tests of the zebra", paths, keyword=better) == "tests/test_zebra.py"
    assert not any("test" in file.features for file in ranked("zebra test", paths))  # which may be code
    report = analyze_query(text := "Tests of the zebra\nThey have failed\nsince Monday.", text)
    files = gather(
        Evidence(better, [], [], {}), dict(enumerate([FileFacts(path, "python") for path in paths], start=1))
    )
    rank_files(files, report, Evidence(better, [], [], {}), DEFAULT_WEIGHTS)
    assert report.distilled and not any("test" in file.features for file in files)


def test_words_in_order_say_little_in_a_test_or_in_settings_unless_quoted() -> None:
    for path, language in (("tests/test_q.py", "python"), ("package.json", "json")):

        def told(query: str, path: str = path, language: str = language) -> float:
            files = ranked(query, [path], languages={path: language}, verbatim={(1, 0): 1.0})
            return files[0].features["verbatim"]

        assert told("download rate limit") < 0.5
        assert told('"download rate limit"') == 1.0


def test_what_a_test_or_a_document_is_named_after_is_elsewhere() -> None:
    paths = ["zebra.py", "tests/zebra.py", "docs/zebra.md"]
    kinds = {"languages": {"docs/zebra.md": "markdown"}, "classes": {"docs/zebra.md": "docs"}}
    fully = {file.path for file in ranked("zebra", paths, **kinds) if "name_full" in file.features}  # type: ignore[arg-type]
    assert fully == {"zebra.py"}
    assert all("name_full" in file.features for file in ranked("zebra documentation tests", paths[1:2]))


@pytest.mark.parametrize(
    ("path", "better", "asking"),
    [
        ("index.d.ts", "lib/zebra/deep/a.js", "zebra types"),
        ("a.pyi", "lib/zebra/deep/a.py", "zebra interface"),
        ("examples/a.js", "lib/zebra/deep/a.js", "zebra example"),
        ("gulpfile.js", "lib/deep/a.js", "bundle the zebra"),
        ("app.config.ts", "lib/deep/a.js", "zebra build"),
    ],
)
def test_declarations_examples_and_tooling_come_after_unless_asked_for(path: str, better: str, asking: str) -> None:
    assert first("stripes", [path, better], languages={path: "typescript"}) == better
    assert not {"declared", "aside"} & ranked(asking, [path], languages={path: "typescript"})[0].features.keys()


def test_a_member_of_a_declared_type_is_not_the_definition_of_a_plain_name() -> None:
    paths, languages = ["index.d.ts", "lib/a.js"], {"index.d.ts": "typescript"}
    member = [definition(1, "timeout", "field")]
    assert first("timeout", paths, definitions=member, languages=languages) == "lib/a.js"
    both = [definition(1, "Cart", "class"), definition(2, "Cart", "function")]
    assert first("Cart", paths, definitions=both, languages=languages) == "lib/a.js"
    assert first("Cart", paths, definitions=both[:1], languages=languages) == "index.d.ts"


def test_documents_in_english_come_before_translations() -> None:
    paths = ["docs/ja/guide.md", "docs/en/guide.md"]
    kinds = {"languages": dict.fromkeys(paths, "markdown"), "classes": dict.fromkeys(paths, "docs")}
    assert first("zebra guide", paths, **kinds) == "docs/en/guide.md"


SERVER = ["chart/server.yaml", "source/server.py"]
YAML = {"chart/server.yaml": "yaml"}


def test_settings_win_where_they_hold_the_words_better_than_any_code() -> None:
    together, scattered = [ScoredChunk(1, 0, 9.0)], [ScoredChunk(2, 0, 8.0)]
    assert first("server replicas", SERVER, keyword=[*together, *scattered], languages=YAML) == "chart/server.yaml"
    behind = [ScoredChunk(2, 0, 9.0), ScoredChunk(1, 0, 5.0)]
    assert first("server replicas", SERVER, keyword=behind, languages=YAML) == "source/server.py"


def test_settings_lose_where_documents_hold_the_words_better() -> None:
    paths, kinds = [*SERVER, "docs/replicas.md"], {**YAML, "docs/replicas.md": "markdown"}
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 8.0)]
    assert first("server replicas", paths, keyword=chunks, languages=kinds) == "chart/server.yaml"
    described = [ScoredChunk(3, 0, 18.0), *chunks]
    assert first("server replicas", paths, keyword=described, languages=kinds) == "source/server.py"


def test_settings_count_less_where_only_their_words_fit() -> None:
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 8.0)]
    far, near = [ScoredChunk(2, 0, 0.9)], [ScoredChunk(2, 0, 0.9), ScoredChunk(1, 0, 0.2)]
    assert first("server replicas", SERVER, keyword=chunks, vector=far, languages=YAML) == "source/server.py"
    assert first("server replicas", SERVER, keyword=chunks, vector=near, languages=YAML) == "chart/server.yaml"


def test_hooks_of_code_are_not_those_of_commits() -> None:
    paths = [".pre-commit-config.yaml", "source/server.py"]
    languages = {".pre-commit-config.yaml": "yaml"}
    assert "purpose" not in ranked("request hooks", paths, languages=languages)[1].features
    assert "purpose" in ranked("commit hooks", paths, languages=languages)[0].features


@pytest.mark.parametrize(("best", "match"), [(9.0, 1.125), (20.0, 1.5)])
def test_settings_are_compared_with_the_best_code(best: float, match: float) -> None:
    chunks = [ScoredChunk(1, 0, best), ScoredChunk(2, 0, 8.0)]
    files = {file.path: file.features for file in ranked("server replicas", SERVER, keyword=chunks, languages=YAML)}
    assert files["chart/server.yaml"]["settings_match"] == match
    assert not {"settings", "settings_match"} & files["source/server.py"].keys()


def test_where_no_code_is_found_settings_match_if_they_hold_a_word() -> None:
    paths = ["chart/server.yaml", "chart/other.yaml"]
    near = [ScoredChunk(2, 0, 0.5)]
    files = ranked(
        "server replicas", paths, keyword=[ScoredChunk(1, 0, 3.0)], vector=near, languages=dict.fromkeys(paths, "yaml")
    )
    assert {file.path: file.features["settings_match"] for file in files} == dict(zip(paths, (0.4, 0.0), strict=True))


def test_code_of_documents_is_no_code_unless_documents_are_asked_for() -> None:
    for query, marked in (("zebra stripes", True), ("documentation of zebra stripes", False)):
        analysis = analyze_text(query, query)
        evidence = Evidence([ScoredChunk(1, 0, 5.0)], [], [], dict.fromkeys(analysis.words, 3.0))
        files = gather(evidence, {1: FileFacts("guide/a.py", "python", ContentClass.DOCS)})
        rank_files(files, analysis, evidence, DEFAULT_WEIGHTS)
        assert ("no_code" in files[0].features) is marked, query


def test_a_file_name_that_the_query_names_in_full_counts_by_idf() -> None:
    paths = ["x/zebra.py", "x/other.py", "x/zebra_and_many_horses.py"]
    analysis = analyze_text("zebra lights", "zebra lights")
    evidence = Evidence([ScoredChunk(number, 0, 5.0) for number in (1, 2, 3)], [], [], {"zebra": 3.0})
    files = gather(evidence, {number: FileFacts(path, "python") for number, path in enumerate(paths, start=1)})
    rank_files(files, analysis, evidence, DEFAULT_WEIGHTS)
    assert {file.path: file.features.get("name_full") for file in files} == dict(
        zip(paths, (1.0, None, None), strict=True)
    )


def test_names_of_neighbouring_words_weigh_as_much_as_the_words() -> None:
    weights = concept_weights(
        analyze_text("zebra crossing lights", "zebra crossing lights"), {"zebra": 3, "crossing": 1}
    )
    assert {name: weights[name] for name in ("zebracrossinglights", "zebracrossing", "crossinglights", "zebra")} == {
        "zebracrossinglights": 1.0,
        "zebracrossing": 1.0,
        "crossinglights": 0.25,
        "zebra": 0.75,
    }
    assert weights["lights"] == 0.0


def test_the_first_of_two_things_counts_by_idf() -> None:
    definitions = [definition(2, "DriverPool"), definition(3, "Pool")]
    analysis = analyze_text("driver pool and store", "driver pool and store")
    evidence = Evidence(
        [ScoredChunk(number, 0, 5.0) for number in (1, 2, 3)], [], definitions, {"driver": 3.0, "pool": 1.0}
    )
    files = gather(evidence, {number: FileFacts(f"x/{number}.py", "python") for number in (1, 2, 3)})
    rank_files(files, analysis, evidence, DEFAULT_WEIGHTS)
    subjects = {file.file_id: file.features.get("subject") for file in files}
    assert subjects == {
        1: None,
        2: pytest.approx(definition_value(definitions[0])),
        3: pytest.approx(definition_value(definitions[1]) / 4),
    }


def test_how_something_is_done_is_not_asked_of_settings() -> None:
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 8.0)]
    assert first("how server replicas are started", SERVER, keyword=chunks, languages=YAML) == "source/server.py"
    assert first("how many server replicas", SERVER, keyword=chunks, languages=YAML) == "chart/server.yaml"


def test_a_place_is_not_asked_of_settings() -> None:
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 8.0)]
    for query in ("source/replicas/server.py:440", 'File "/app/server/replicas.py", line 3, in server'):
        assert first(query, SERVER, keyword=chunks, languages=YAML) == "source/server.py"


def test_recipes_and_documents_are_no_settings() -> None:
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 8.0)]
    for path, language in (("Makefile", "make"), ("server.md", "markdown")):
        files = ranked("server replicas", [path, "server.py"], keyword=chunks, languages={path: language})
        assert not any("settings" in file.features for file in files)


@pytest.mark.parametrize(("folder", "content_class"), [("vendor", "vendored"), ("docs", "docs")])
def test_settings_of_others_and_examples_do_not_tell_that_settings_are_meant(folder: str, content_class: str) -> None:
    paths = [f"{folder}/x/server.yaml", "chart/other.yaml", "source/server.py"]
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(3, 0, 8.0), ScoredChunk(2, 0, 1.0)]
    languages = dict.fromkeys(paths[:2], "yaml")
    analysis = analyze_text("server replicas", "server replicas")
    evidence = Evidence(chunks, [], [], dict.fromkeys(analysis.words, 3.0))
    known = {
        number: FileFacts(path, languages.get(path, "python"), content_class if path.startswith(folder) else "")
        for number, path in enumerate(paths, start=1)
    }
    files = rank_files(gather(evidence, known), analysis, evidence, DEFAULT_WEIGHTS)
    assert not any("settings" in file.features for file in files)


def test_well_known_settings_are_found_by_what_they_are_for() -> None:
    paths = ["ci.toml", "package.json"]
    assert first("npm dependencies", paths, languages={"ci.toml": "toml", "package.json": "json"}) == "package.json"
    docker = {"deploy.yaml": "yaml", "Dockerfile": "dockerfile"}
    assert first("base image", [*docker], languages=docker) == "Dockerfile"
    assert ranked("npm dependencies", ["package.py"])[0].features.get("purpose") is None


def test_settings_that_name_all_parts_are_meant_only_where_they_are_asked_for() -> None:
    paths = ["dependabot.yml", "web/app.yaml"]
    languages = dict.fromkeys(paths, "yaml")
    chunks = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 6.0)]
    assert first("angular version", paths, keyword=chunks, languages=languages) == "web/app.yaml"
    assert first("dependency updates", paths, keyword=chunks, languages=languages) == "dependabot.yml"


def test_a_package_is_named_by_what_no_folder_of_the_project_is_called() -> None:
    paths = ["vendor/client/dial.py", "source/dial.py"]
    better = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 5.0), ScoredChunk(3, 0, 1.0)]
    assert first("client dial", [*paths, "source/x.py"], keyword=better) == "vendor/client/dial.py"
    assert first("client dial", [*paths, "source/client/x.py"], keyword=better) == "source/dial.py"


VERSIONS = ["api/v1/user.py", "api/v2/user.py", "api/v3beta1/user.py"]


@pytest.mark.parametrize(
    ("query", "best"),
    [("user", "api/v3beta1/user.py"), ("user of v1", "api/v1/user.py"), ("V2 user", "api/v2/user.py")],
)
def test_newest_version_wins_unless_one_is_named(query: str, best: str) -> None:
    files = ranked(query, VERSIONS)
    assert files[0].path == best
    assert {file.path for file in files if file.features.get("older", 0.0) <= 0.0} == {best}


@pytest.mark.parametrize(("share", "is_older"), [(1.0, True), (0.2, False)])
def test_older_folder_comes_after_where_a_newer_one_holds_as_much(share: float, is_older: bool) -> None:
    chunks = [ScoredChunk(1, 0, 5.0), ScoredChunk(2, 0, 5.0 * share)]
    older, newer = sorted(
        ranked("zebra", ["api/v1/user.py", "api/v2/cart.py"], keyword=chunks), key=lambda file: file.path
    )
    assert ("older" in older.features, "older" in newer.features) == (is_older, False)


def test_older_folder_of_another_file_stays_where_neither_holds_anything() -> None:
    files = ranked(
        "zebra",
        ["api/v1/user.py", "api/v2/cart.py"],
        keyword=[],
        vector=[ScoredChunk(1, 0, 0.9), ScoredChunk(2, 0, 0.8)],
    )
    assert not any("older" in file.features for file in files)


def test_first_version_is_older_than_what_has_none_beside_it() -> None:
    files = ["store/v1/user.py", "store/user.py", "store/v2/cart.py"]
    assert [file.path for file in ranked("zebra", files) if file.features.get("older")] == ["store/v1/user.py"]


def test_version_that_the_question_names_comes_before_what_has_none() -> None:
    chunks = [ScoredChunk(1, 0, 6.0), ScoredChunk(2, 0, 5.0)]
    assert first("v3 zebra", ["bench/other.py", "v3/types.py"], keyword=chunks) == "v3/types.py"
    assert first("v4 zebra", ["bench/other.py", "v3/types.py"], keyword=chunks) == "bench/other.py"


def test_smaller_variant_comes_after_its_twin_unless_it_is_named() -> None:
    twins = ["lib/classic/iso.py", "lib/mini/iso.py"]
    better = [ScoredChunk(1, 0, 4.0), ScoredChunk(2, 0, 5.0)]
    assert first("zebra", twins, keyword=better) == "lib/classic/iso.py"
    assert first("mini zebra", twins) == "lib/mini/iso.py"
    assert "older" not in ranked("zebra", ["lib/mini/iso.py", "lib/classic/date.py"])[0].features


def test_owners_tell_files_with_the_same_name_apart() -> None:
    files = ["server3/Request.kt", "old-server/http/server/Request.kt"]
    types = [definition(number, "Request", "class") for number in (1, 2)]
    assert first("http.server.Request", files, definitions=types, languages=dict.fromkeys(files, "kotlin")) == files[1]
    paths = ["a/server/request.py", "http/server/request.py"]
    better = [ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 1.0)]
    for query, best in (("http.server.Request", paths[1]), ("Request", paths[0])):
        assert first(query, paths, keyword=better, definitions=types) == best


def test_files_that_define_just_the_name_are_raised_above_the_others_by_kind() -> None:
    paths = ["zebra/zebra.py", "x/a.py", "x/b.py"]
    kinds = [definition(2, "zebra"), definition(3, "zebra", "class")]
    chunks = [ScoredChunk(1, 0, 90.0), ScoredChunk(2, 0, 2.0), ScoredChunk(3, 0, 1.0)]
    files = ranked("zebra", paths, keyword=chunks, definitions=kinds)
    assert [file.path for file in files] == ["x/b.py", "x/a.py", "zebra/zebra.py"]
    assert [files[1].score - files[2].score, files[2].lift] == [pytest.approx(LEAST_LIFT, rel=1e-6), 0.0]
    alone = ranked(
        "zebra",
        paths[1:],
        keyword=[ScoredChunk(1, 0, 9.0), ScoredChunk(2, 0, 1.0)],
        definitions=[definition(1, "zebra")],
    )
    assert [file.lift for file in alone] == [0.0, 0.0], "it is the first as it is"


def test_places_that_the_query_names_come_first_in_its_order() -> None:
    chunks = [ScoredChunk(1, 0, 90.0), ScoredChunk(2, 0, 2.0), ScoredChunk(3, 0, 1.0)]
    analysis = analyze_text("zebra", "zebra")
    located = [Passage(3, 0, None), Passage(2, 0, None), Passage(3, 4, None)]
    evidence = Evidence(chunks, [], [], {"zebra": 3.0}, located=located)
    known = {number: FileFacts(f"x/{number}.py", "python") for number in (1, 2, 3)}
    files = rank_files(gather(evidence, known), analysis, evidence, DEFAULT_WEIGHTS)
    assert [(file.file_id, file.features.get("located")) for file in files] == [(3, 1.0), (2, 2.0), (1, None)]
    assert files[0].located == located[0], "the first of its places"


def test_the_parts_of_a_score_add_up_to_it() -> None:
    analysis = analyze_text("zebra stripes", "zebra stripes")
    evidence = Evidence([ScoredChunk(1, 0, 5.0), ScoredChunk(2, 0, 3.0)], [], [definition(2, "zebra_stripes")], {})
    known = {1: FileFacts("x/stripes.py", "python"), 2: FileFacts("tests/d/b.py", "python")}
    files = rank_files(gather(evidence, known), analysis, evidence, DEFAULT_WEIGHTS, {2: 3.0, 9: 7.0})
    for file in files:
        parts = score_parts(file, DEFAULT_WEIGHTS)
        assert sum(parts.values()) == pytest.approx(file.score)
        assert {name: part for name, part in parts.items() if name not in ("factor", "lift")} == {
            name: part for name, value in file.features.items() if (part := DEFAULT_WEIGHTS.get(name, 0.0) * value)
        }
    promoted = next(file for file in files if file.file_id == 2)
    assert score_parts(promoted, DEFAULT_WEIGHTS)["factor"] == pytest.approx(FACTOR_STRENGTH * math.log(3.0))
    assert ["factor" in score_parts(file, DEFAULT_WEIGHTS) for file in files if file is not promoted] == [False]


def test_what_is_outdated_comes_after_unless_it_is_named() -> None:
    paths = ["a/legacy/user.py", "b/present/user.py"]
    assert first("user", paths) == "b/present/user.py"
    assert first("user", ["a/user_old.py", "a/user_new.py"]) == "a/user_new.py"
    for query in ("legacy user", "LegacyUser"):
        assert first(query, paths) == "a/legacy/user.py"


def test_deep_files_come_after() -> None:
    assert first("zebra", ["x/y/z/w/q.py", "x/q.py"]) == "x/q.py"


def test_equal_files_are_ordered_by_path() -> None:
    assert [file.path for file in ranked("zebra", ["x/c.py", "x/a.py", "x/b.py"])] == ["x/a.py", "x/b.py", "x/c.py"]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (definition(1, "a", "class"), definition(1, "a", "function")),
        (definition(1, "a", "function"), definition(1, "a", "variable")),
        (definition(1, "a", "class", end_line=200), definition(1, "a", "class")),
        (definition(1, "a"), definition(1, "a", nested=True)),
        (definition(1, "a"), definition(1, "a", function_depth=1)),
    ],
)
def test_value_of_definitions(better: Definition, worse: Definition) -> None:
    assert definition_value(better) > definition_value(worse) > 0


def test_name_that_many_define_counts_less() -> None:
    alone = ranked("get_zebra", ["x/a.py"], definitions=[definition(1, "get_zebra")])[0]
    paths = [f"x/{number}.py" for number in range(9)]
    shared = ranked("get_zebra", paths, definitions=[definition(number, "get_zebra") for number in range(1, 10)])[0]
    assert shared.features["definition"] < alone.features["definition"]
    for count, tells in ((5, True), (6, False)):
        defined = [definition(number, "get_zebra") for number in range(1, count + 1)]
        assert {bool(file.telling) for file in ranked("get_zebra", paths[:count], definitions=defined)} == {tells}


@pytest.mark.skipif(sys.platform == "win32", reason="there the other one is foreign")
def test_code_for_other_systems_comes_later_unless_one_is_named() -> None:
    twins = ["src/unix/pipe.c", "src/win/pipe.c"]
    best_for_windows = [ScoredChunk(2, 0, 5.0), ScoredChunk(1, 0, 4.0)]
    assert first("zebra of a pipe", twins, keyword=best_for_windows) == "src/unix/pipe.c"
    assert first("zebra of a windows pipe", twins, keyword=best_for_windows) == "src/win/pipe.c"


def test_chunk_that_is_shown() -> None:
    analysis = analyze_text("get_zebra", "get_zebra")

    def shown(file: FileCandidate) -> Choice:
        return choose(file, analysis, QuestionWords({}), {})[0]

    file = ranked("get_zebra", ["x/a.py"], definitions=[definition(1, "get_zebra", chunk_no=7, symbol_no=3)])[0]
    assert shown(file) == Choice(7, 3)
    assert shown(ranked("zebra", ["x/a.py"], keyword=[ScoredChunk(1, 4, 2.0)])[0]) == Choice(4)
    assert shown(ranked("zebra", ["x/a.py"], keyword=[], vector=[ScoredChunk(1, 2, 0.5)])[0]) == Choice(2)


def test_vector_hit_of_an_unknown_file_is_dropped() -> None:
    assert [file.path for file in ranked("zebra", ["x/a.py"], vector=[ScoredChunk(99, 0, 0.9)])] == ["x/a.py"]


def test_nothing_found() -> None:
    assert ranked("zebra", [], keyword=[]) == []


SCORES = st.floats(0.0, 40.0)


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3), SCORES), unique_by=lambda item: item[:2], max_size=12),
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 3), st.floats(-1, 1)), unique_by=lambda item: item[:2], max_size=12
    ),
    st.text(min_size=1, max_size=40).filter(lambda text: text.strip()),
)
def test_every_file_once_and_by_score(
    keyword: list[tuple[int, int, float]], vector: list[tuple[int, int, float]], query: str
) -> None:
    by_score = lambda item: -item[2]  # noqa: E731
    files = ranked(
        query,
        [f"src/file_{number}.py" for number in range(1, 7)],
        keyword=[ScoredChunk(*item) for item in sorted(keyword, key=by_score)],
        vector=[ScoredChunk(*item) for item in sorted(vector, key=by_score)],
    )
    assert sorted(file.file_id for file in files) == sorted({item[0] for item in [*keyword, *vector]})
    assert files == sorted(files, key=lambda file: (-file.score, file.path))
    for file in files:
        assert file.score == pytest.approx(sum(DEFAULT_WEIGHTS[name] * value for name, value in file.features.items()))
        assert all(
            0.0 <= file.features[name] <= 1.0 for name in ("keywords", "name", "folders") if name in file.features
        )


@given(WORD, WORD)
def test_similarity_is_symmetrical_and_bounded(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, one) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [("parse", "parsing"), ("validate", "validator"), ("config", "configuration"), ("serialization", "serialized")],
)
def test_related_words_are_similar(one: str, other: str) -> None:
    assert similarity(one, other) >= 0.5


@pytest.mark.parametrize(
    ("one", "other"), [("cat", "dog"), ("form", "fork"), ("a", "an"), ("id", "idea"), ("test", "best")]
)
def test_unrelated_words_are_not(one: str, other: str) -> None:
    assert similarity(one, other) == 0.0


@given(st.lists(WORD, max_size=4), st.lists(WORD, max_size=4))
def test_matcher_agrees_with_similarity(words: list[str], parts: list[str]) -> None:
    matcher = WordMatcher(words)
    best = [max((similarity(word, part) for part in parts), default=0.0) for word in words]
    assert matcher.best_by_word(parts) == (best if any(best) else [])
    assert 0.0 <= matcher.coverage(parts) <= 1.0
