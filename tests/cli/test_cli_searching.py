"""`search`: filters, limits, context, forms of output, the dialogue."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def paths(result, folder):
    return [item["file_path"].removeprefix(f"{folder}/") for item in result.json]


def test_text_without_a_command_is_a_search_and_words_need_no_quotes(cli, shop):
    plain = cli("-n", "shop", "retry", "with", "backoff")
    assert paths(plain, shop)[0] == "server/retry.go"
    assert plain.out == cli("search", "-n", "shop", "retry with backoff").out


def test_the_index_is_that_of_the_folder_or_of_one_above_it(cli, shop):
    assert paths(cli("search", "session timeout", cwd=shop / "docs"), shop)[0] == "web/session.js"
    by_variable = cli("search", "session timeout", env={"COCOSEARCH_PROJECT_PATH": str(shop)})
    assert paths(by_variable, shop)[0] == "web/session.js"


def test_outside_of_every_index_a_search_says_so(cli, shop, tmp_path):
    error = cli("search", "anything", cwd=tmp_path, code=3).error
    assert error["error_type"] == "not_indexed"
    assert "cocosearch-py index" in error["hint"]


def test_a_plain_search_loads_only_what_it_needs(cli, shop):
    told = cli("search", "session timeout", "--limit", "3", cwd=shop, env={"PYTHONPROFILEIMPORTTIME": "1"}).err
    loaded = {line.rsplit("|")[-1].strip() for line in told.splitlines() if line.startswith("import time:")}
    assert {"psycopg", "tokenizers", "cocosearch_py.search.pipeline"} <= loaded
    unneeded = {"pydantic", "numpy", "rich", "sqlalchemy", "tree_sitter", "cocosearch_py.features.evaluate.run"}
    assert not loaded & unneeded


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--lang", "golang"), {"server/retry.go"}),
        (("--lang", "py,go"), {"shop/cart.py", "shop/prices.py", "shop/discounts.py", "broken.py", "server/retry.go"}),
        (("--path", "shop/**", "--exclude", "**/cart.py"), {"shop/prices.py", "shop/discounts.py"}),
        (("--symbol-type", "function", "--lang", "python"), {"shop/discounts.py"}),
        (("--symbol-name", "session*"), {"web/session.js"}),
        (("--limit", "1", "--lang", "markdown", "--no-cache", "--no-rewrite"), {"docs/guide.md"}),
    ],
)
def test_filters(cli, shop, flags, expected):
    found = set(paths(cli("search", "price of one item", "-n", "shop", *flags), shop))
    assert found <= expected
    assert found & expected


def test_filters_inside_the_query(cli, shop):
    assert set(paths(cli("search", "price lang:markdown", "-n", "shop"), shop)) == {"docs/guide.md"}


def test_context_lines_are_counted(cli, shop):
    (item,) = cli("search", "apply_discount", "-n", "shop", "-l", "1", "-B", "1", "-A", "0").json
    assert item["context_after"] == ""
    assert len(item["context_before"].splitlines()) <= 1


def test_context_lines_are_shown_even_if_empty(cli, shop):
    lines = cli("search", "apply_discount", "-n", "shop", "-l", "1", "-C", "2", "--pretty").out.splitlines()
    assert [line.split(maxsplit=2)[:2] for line in lines if "def apply_discount" in line] == [["\u203a", "6"]]
    assert {"  4", "  5"} <= {line.rstrip() for line in lines}


def test_meaning_alone(cli, shop):
    analysis = cli("analyze", "reduce the price", "-n", "shop", "--no-hybrid").json
    assert analysis["search_mode"]["mode"] == "vector"
    assert analysis["search_mode"]["use_hybrid_flag"] is False
    assert analysis["keyword_search"]["executed"] is False


def test_no_results_is_success_unless_a_code_was_asked_for(cli, shop):
    nothing = ("search", "price", "-n", "shop", "--path", "nowhere/**")
    (note,) = cli(*nothing).json
    assert note == {"type": "warning", "message": "no indexed file has the path 'nowhere/**'"}
    assert cli(*nothing, "--exit-no-results", code=10).json == [note]
    assert "nothing found" in cli(*nothing, "--pretty").out


@pytest.mark.parametrize(
    "query", [("-lang:python", "retry"), ("-LANG:python retry", "-l", "3"), ("-kind:class", "retry")]
)
def test_a_negated_filter_may_come_first(cli, shop, query):
    assert paths(cli(*query, "-n", "shop"), shop)[0] == "server/retry.go"
    assert cli("search", *query, "-n", "shop").out == cli(*query, "-n", "shop").out


def test_files_only_prints_lines_for_other_programs(cli, shop):
    lines = cli("search", "price", "-n", "shop", "--files-only").out.splitlines()
    assert str(shop / "shop/prices.py") in lines
    assert len(lines) == len(set(lines))
    assert cli("search", "price", "-n", "shop", "--files-only", "--json").json == lines


def test_a_file_name_is_one_line(cli, tmp_path, database_url):
    (tmp_path / "two\nlines.py").write_text("def strange_name(): ...\n")
    at = ("--database-url", database_url)
    cli("index", tmp_path, "-n", "lines", *at)
    asked = ("search", "strange_name", "-n", "lines", *at)
    assert cli(*asked, "--files-only").out == f"{tmp_path}/two\\x0alines.py\n"
    assert cli(*asked, "--files-only", "--json").json == [f"{tmp_path}/two\nlines.py"]
    assert "/two\\x0alines.py:1  strange_name" in cli(*asked, "--pretty").out


def test_pretty_shows_the_verdict_place_symbol_and_numbered_code(cli, shop):
    result = cli("search", "apply_discount", "-n", "shop", "-l", "1", "--pretty", "--explain", cwd=shop)
    verdict, counted, _, first, *_ = result.out.splitlines()
    assert verdict == "high confidence: the first result defines this name"
    assert "index 'shop'" in counted
    assert first == "1  shop/discounts.py:6-8  apply_discount function"
    assert "6 def apply_discount(price: Money, percent: int) -> Money:" in result.out
    assert "words 1.00" in result.out
    assert "\x1b" not in result.out
    quiet = cli("search", "apply_discount", "-n", "shop", "--pretty", "--quiet", cwd=shop)
    assert quiet.err == ""
    assert quiet.out.startswith("1  shop/discounts.py:")


def test_a_heading_names_the_method_with_its_class(cli, shop):
    out = cli("search", "how is the total of a cart computed", "-n", "shop", "-l", "1", "--pretty", cwd=shop).out
    assert re.search(r"^1  shop/cart.py:\d+-\d+  Cart\.\w+ method$", out, re.MULTILINE)


@pytest.fixture(scope="module")
def many(cli, tmp_path_factory) -> Path:
    """A project with twelve long methods about the same, in deep folders."""
    folder = tmp_path_factory.mktemp("many") / "many"
    for number in range(12):
        path = folder / "packages" / "a-rather-long-folder" / f"ledger_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        body = "".join(f"        balance += entry.amount_{line} * {number}\n" for line in range(30))
        path.write_text(f"class Ledger{number}:\n    def balance_of_entries_{number}(self, entry):\n{body}")
    cli("index", folder, "-n", "many")
    return folder


@pytest.mark.parametrize("columns", ["80", "120"])
def test_ten_results_fit_one_screen(cli, many, columns):
    asked = ("search", "balance of entries", "-n", "many", "--pretty")
    result = cli(*asked, cwd=many, env={"COLUMNS": columns})
    lines = result.out.splitlines() + result.err.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= int(columns)
    assert lines[0].split()[1] == "confidence:"
    numbers = [int(found[1]) for line in lines if (found := re.match(r" ?(\d+)  \S", line))]
    assert numbers == list(range(1, 11))
    assert sum("amount_" in line or "balance_of_entries" in line for line in lines) >= 10
    assert result.out.count("amount_") < cli(*asked, "--full", cwd=many).out.count("amount_")


def test_a_result_is_read_and_opened_by_its_number(cli, many):
    shown = cli("search", "balance of entries", "-n", "many", "--pretty", cwd=many).out
    path = re.search(r"^ 5  (?:\N{HORIZONTAL ELLIPSIS})?(\S+):(\d+)  (\S+)", shown, re.MULTILINE)
    read = cli("read", "5", "--pretty").out
    assert path[1].rpartition("/")[2] in read
    assert f"def {path[3].rpartition('.')[2]}" in read
    assert "amount_29" in read  # the whole definition
    place = cli("open", "5").json
    assert place["file_path"].endswith(path[1])
    assert str(place["line"]) == path[2]
    assert cli("open", "5", "--pretty").out.strip() == f"{place['file_path']}:{place['line']}"
    assert "no result 11: the last search showed 10 results" in cli("open", "11", code=1).error["error"]


def test_places_and_names_are_opened(cli, many):
    path = "packages/a-rather-long-folder/ledger_3.py"
    assert cli("open", f"{path}:7", cwd=many).json == {"file_path": str(many / path), "line": 7}
    assert cli("open", "Ledger3.balance_of_entries_3", "-n", "many").json == {"file_path": str(many / path), "line": 2}
    assert cli("open", "/etc/passwd", "-n", "many", code=5).error["error_type"] == "safety_error"


def test_results_are_kept_in_one_private_file(cli, many, tmp_path, data_folder):
    cli("search", "balance of entries", "-n", "many", "--pretty")
    kept = data_folder / "last-results.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    before = kept.read_bytes()
    cli("search", "balance of entries", "-n", "many", "-l", "3", "--json")  # no person saw these
    assert kept.read_bytes() == before
    kept.write_text("not JSON")
    assert cli("read", "1", code=1).error["error"] == "no result 1: the last search showed no results"
    kept.unlink()
    assert cli("read", "1", code=1).error["error"] == "no search has been shown yet"


def test_a_number_is_a_file_only_with_a_dot(cli, many):
    (many / "7").write_text("seven\n")
    cli("index", many, "-n", "many")
    cli("search", "balance of entries", "-n", "many", "--pretty")
    assert "ledger_" in cli("read", "7", "--pretty", cwd=many).out
    assert "seven" in cli("read", "./7", "--pretty", cwd=many).out
    (many / "7").unlink()


def test_a_result_outside_of_its_index_is_refused(cli, many, data_folder):
    place = {"index_name": "many", "path": "/etc/passwd", "line": 1, "start": 1, "end": 1}
    (data_folder / "last-results.json").write_text(json.dumps([place]))
    assert cli("read", "1", code=5).error["error_type"] == "safety_error"
    assert cli("open", "1", code=5).error["error_type"] == "safety_error"


def test_a_quoted_text_that_nothing_holds_is_reported_first_with_three_near_results(cli, shop):
    query = '"apply discounts to the moon"'
    lines = cli("search", query, "-n", "shop", "--pretty").out.splitlines()
    assert lines[0] == f"nothing contains {query} exactly; these results are only similar"
    items = cli("search", query, "-n", "shop", "--json").json
    assert 1 <= len([one for one in items if "file_path" in one]) <= 3
    assert cli("search", query, "-n", "shop", "--exit-no-results", code=10).out
    assert cli("search", '"def apply_discount"', "-n", "shop", "--exit-no-results").out


@pytest.fixture(scope="module")
def long_class(cli, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    methods = "".join(f"    def step_{number}(self):\n        return {number}\n\n" for number in range(1, 31))
    (folder / "steps.py").write_text(f"class Steps:\n{methods}")
    cli("index", folder, "-n", "long")
    return folder


@pytest.mark.parametrize("line", [1, 3, 45, 90])
def test_the_line_that_a_query_names_is_shown_and_marked(cli, long_class, line):
    text = (long_class / "steps.py").read_text().splitlines()[line - 1]
    shown = cli("search", f"steps.py:{line}", "-n", "long", "-l", "1", "--pretty").out.splitlines()
    marked = [one for one in shown if one.startswith("\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}")]
    assert [one.split(maxsplit=2)[1:] for one in marked] == [[str(line), text.strip()]]


def test_a_line_beyond_the_end_of_its_file_is_reported(cli, long_class):
    result = cli("search", "steps.py:500", "-n", "long", "--pretty")
    assert "steps.py has no line 500: it ends at line 91" in result.err


def test_a_query_comes_from_standard_input_or_a_file(cli, shop, tmp_path):
    query = "retry with backoff\n"
    typed = cli("search", query, "-n", "shop").json
    (tmp_path / "query.txt").write_text(query)
    assert cli("search", "-n", "shop", stdin=query).json == typed
    assert cli("search", "-", "-n", "shop", stdin=query).json == typed
    assert cli("-", "-n", "shop", stdin=query).json == typed
    assert cli("search", "@query.txt", "-n", "shop", cwd=tmp_path).json == typed
    assert cli("search", "@override", "-n", "shop", cwd=tmp_path).json  # no such file: an annotation
    assert cli("analyze", "-n", "shop", stdin=query).json["query_analysis"]["original_query"] == query.strip()
    assert cli("ask", "-n", "shop", stdin="who calls apply_discount?").json["question"] == "who calls apply_discount?"
    asked = cli("context", "-", "-n", "shop", stdin="round prices").json
    assert asked["files"]


def test_a_query_is_searched_while_standard_input_stays_open(environment, shop):
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "cocosearch_py", "search", "retry", "-n", "shop"]
    try:
        done = subprocess.run(
            command, env=environment, stdin=reading, capture_output=True, text=True, timeout=60, check=True
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert json.loads(done.stdout)


def test_several_indexes_are_searched_together(cli, shop, long_class):
    for named in (("-n", "shop", "-n", "long"), ("--indexes", "shop,long"), ("--index-name", "long", "-n", "shop")):
        found = cli("search", "price of a step", *named, "--limit", "40").json
        assert {item["index_name"] for item in found if "index_name" in item} == {"shop", "long"}


def test_the_dialogue_survives_mistakes_and_keeps_settings(cli, shop):
    lines = [":limit 1", "retry with backoff", ":limit many", ":nonsense", ":lang klingon", ":index nope", "price"]
    lines += [":index shop", ":lang js", "session", ":help", "quit", "never asked"]
    result = cli("search", "-i", "-n", "shop", stdin="\n".join(lines))
    assert "index 'shop', 8 files; :help lists the commands" in result.err
    assert result.out.count("retry.go:") == 1
    assert "session.js:" in result.out
    assert ":context N" in result.out
    for told in (
        "'many' is not a number",
        "unknown command ':nonsense'",
        "unknown language 'klingon'",
        "'nope' not found",
    ):
        assert told in result.err
    assert "never asked" not in result.out


def test_the_dialogue_goes_on_with_the_results(cli, many):
    lines = [":more", ":limit 4", "balance of entries", ":more", "6", ":open 2", ":refs balance_of_entries_3", "99"]
    result = cli("search", "-i", "-n", "many", cwd=many, stdin="\n".join(lines))
    assert "no query yet" in result.err
    found = re.findall(r"^ *(\d+)  (\S+ledger_\d+\.py):", result.out, re.MULTILINE)
    assert [int(number) for number, _ in found] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len({path for _, path in found}) == 8
    assert result.out.count("amount_29") == 1
    assert f"{many / found[1][1]}:2" in result.out
    assert "0 of 0 uses" in result.err or "nothing found" in result.out
    assert "no result 99: the last search showed 8 results" in result.err


def test_the_dialogue_prints_json_when_asked(cli, shop):
    result = cli("search", "-i", "--json", "-n", "shop", stdin=":limit 1\nretry\nsession\n")
    assert [len(json.loads(line)) for line in result.out.splitlines()] == [1, 1]


def test_a_moved_checkout_is_told_beside_every_form_of_the_answer(cli, tmp_path, database_url):
    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "price.py").write_text("def price():\n    return 1\n")
    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "one")
    at = ("--database-url", database_url)
    cli("index", tmp_path, "-n", "moved", *at)
    forms = [("--json",), ("--pretty",), ("--files-only",), ("--files-only", "--json")]
    assert [cli("search", "price", "-n", "moved", *form, *at).err.count("brings it up to date") for form in forms] == [
        0
    ] * 4
    git("checkout", "-b", "other")
    assert [cli("search", "price", "-n", "moved", *form, *at).err.count("brings it up to date") for form in forms] == [
        1
    ] * 4


def test_the_remedy_for_a_folder_that_is_gone_works(cli, tmp_path, database_url):
    folder, at = tmp_path / "leaving", ("--database-url", database_url)
    folder.mkdir()
    (folder / "price.py").write_text("def price():\n    return 1\n")
    cli("index", folder, *at)
    folder.rename(tmp_path / "left")
    told = cli("search", "price", "-n", "leaving", "--pretty", *at).err
    assert "not available" in told
    assert "`cocosearch-py clear leaving`" in told
    assert "brings it up to date" not in told
    notes = cli("search", "price", "-n", "leaving", "--json", *at).json
    remedies = [note["remedy"] for note in notes if note.get("type") == "stale_results"]
    assert remedies == ["put the folder back, or call clear_index with index_name leaving"]
    cli("clear", "leaving", "--force", *at)
    cli("search", "price", "-n", "leaving", *at, code=3)


def test_files_that_have_changed_are_right_or_marked(cli, shop, tmp_path):
    folder = tmp_path / "freshly"
    folder.mkdir()
    (folder / "a.py").write_text("def count_sheep(sheep):\n    return len(sheep)\n")
    cli("index", folder)
    (folder / "a.py").write_text("\n\n\n# new\ndef count_sheep(sheep):\n    return len(sheep)\n")
    checked = cli("search", "count sheep", cwd=folder, env={"COCOSEARCH_SEARCH_FRESHNESS": "check"})
    assert [(hit["start_line"], hit["stale"]) for hit in checked.json[:1]] == [(5, "moved")]
    assert checked.json[1]["type"] == "stale_results"
    assert f"cocosearch-py index {folder}" in checked.err
    pretty = cli("--pretty", "search", "count sheep", cwd=folder, env={"COCOSEARCH_SEARCH_FRESHNESS": "check"})
    assert "stale: moved" in pretty.out
    while "stale" in (hit := cli("search", "count sheep", cwd=folder).json[0]):
        assert hit["stale"] == "moved"  # a busy machine needs more than one answer waits for
    assert hit["content"].startswith("# new")
