"""What stands in the code as it stands in the query comes first: phrases, messages, paths with lines, frames."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cocosearch_py.analysis.words import name_key
from cocosearch_py.app import App
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.search import setting_answers
from cocosearch_py.search.unmatched import explain_doubts
from cocosearch_py.storage.queries.facts import names_like

FILES = {
    "src/net/dial.go": 'package net\n\nimport "fmt"\n\n// Dial opens a connection.\nfunc Dial(host string) error {\n'
    '\treturn fmt.Errorf("could not reach host %s after %d tries", host, 3)\n}\n',
    "src/net/host.go": "package net\n\n// Host is a host that we could reach, after tries, or could not.\n"
    "// reach: host tries. Tries to reach host, tries after tries.\ntype Host struct{ Name string }\n",
    "src/net/tries.go": "package net\n\n// Tries counts how often a host could not be reached.\ntype Tries int\n",
    "docs/errors.md": "# Errors\n\nYou may see could not reach host after some tries when the host is down.\n",
    "src/shop/cart.py": "class Cart:\n    '''What is bought.'''\n\n    def add(self, item):\n        if not item:\n"
    "            raise ValueError(\"the 'item' is\\n missing\")\n        return self\n\n\n"
    + "".join(
        f"def price_{number}(item):\n    total = {number} * item\n    return total\n\n\n" for number in range(80)
    ),
    "src/other/cart.py": "'''Carts on wheels, cart by cart.'''\n\ncart = 'cart'\n",
    "src/shop/run.py": "from shop.cart import Cart\n\n\ndef main():\n    Cart().add(None)\n",
    "src/text.py": "GREETING = 'Good Morning,  World'\n# what is shown\n# to nobody else\n",
    "src/types.go": "package src\n\nfunc check(name string) error {\n"
    '\treturn fmt.Errorf("the service %q does not have any type defined", name)\n}\n',
    "tests/types_test.go": 'package src\n\nvar wanted = `the service "web" does not have any type defined`\n',
    "src/pallet.go": "package src\n\nfunc stack(name string) error {\n"
    '\treturn fmt.Errorf("%s: pallet is locked", name)\n}\n',
    ".github/workflows/pallet.yml": "name: pallet\non: push\njobs:\n  west: is locked\n  pallet: is west\n",
    "src/pigeon.py": "def open_pigeon():\n    raise OSError('could not open pigeon loft')\n",
    "src/reading.go": "package src\n\nfunc ReadAll() int { return 0 }\n",
    "src/web.go": "package src\n\n// Services by type, where the web service is defined.\nvar services = "
    'map[string]string{"web": "service", "type": "service"}\n',
    "cart.py": "print('a cart of the root')\n",
}
TRACE = """Traceback (most recent call last):
  File "/home/u/checkout/src/shop/run.py", line 5, in main
    Cart().add(None)
  File "/home/u/checkout/src/shop/cart.py", line 6, in add
    raise ValueError
  File "/usr/lib/python3.12/json/decoder.py", line 337, in decode
ValueError: the item is missing
"""

Ask = Callable[..., SearchReport]


@pytest.fixture
def ask(app: App, tmp_path: Path) -> Iterator[Ask]:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "project", name="project")

    def run(query: str, **options: object) -> SearchReport:
        return app.search(SearchRequest(query, **options), index_name="project")[1]  # type: ignore[arg-type]

    yield run


def first(report: SearchReport) -> str:
    return report.hits[0].file_path


def test_a_quoted_phrase_is_held_by_every_hit(ask: Ask) -> None:
    report = ask('"could not reach host"')
    assert {hit.file_path for hit in report.hits} == {"src/net/dial.go", "docs/errors.md"}
    assert first(report) == "src/net/dial.go"
    assert explain_doubts(report) == ()


@pytest.mark.parametrize(
    "query",
    [
        '"uld not reach ho"',  # cut inside words
        'who says "host %s after"',
        "could not reach host %s after %d tries",
        "could not reach host db.example.org after 5 tries",
        'shop: error: could not reach host "db" after 12 tries',
    ],
)
def test_the_line_that_makes_a_message_comes_first(ask: Ask, query: str) -> None:
    assert first(ask(query)) == "src/net/dial.go"


def test_three_words_of_a_message_are_looked_up_where_no_more_stand_together(ask: Ask) -> None:
    assert first(ask("ERROR west: pallet is locked: pallet west 12")) == "src/pallet.go"


def test_a_few_words_of_a_message_in_order_do_not_make_an_answer_sure(ask: Ask) -> None:
    report = ask("wheels zorblax greeting zwibble bought zgizmo could not open pigeon zuux counts zrumbo defined")
    assert first(report) == "src/pigeon.py"
    assert report.confidence.level == "medium"
    assert ask("ERROR could not open pigeon loft 12").confidence.level == "high"


@pytest.mark.parametrize("name", ["db@docker", "web"])
def test_a_value_in_quotes_that_stands_elsewhere_does_not_lead(ask: Ask, name: str) -> None:
    assert first(ask(f'the service "{name}" does not have any type defined')) == "src/types.go"


def test_a_name_in_small_letters_is_sure(ask: Ask) -> None:
    report = ask("readall")
    assert first(report) == "src/reading.go"
    assert report.confidence.level == "high"
    assert "defines" in report.confidence.reason


def test_case_counts_only_where_it_is_typed(ask: Ask) -> None:
    assert first(ask('"good morning, world"')) == "src/text.py"
    assert first(ask('"Good Morning, World"')) == "src/text.py"
    assert ask('"GOOD morning"').missing_phrases == ("GOOD morning",)


def test_a_phrase_goes_on_in_the_next_line_of_a_comment(ask: Ask) -> None:
    assert first(ask('"is shown to nobody"')) == "src/text.py"


def test_a_phrase_of_punctuation_is_found(ask: Ask) -> None:
    assert {hit.file_path for hit in ask('"%d"').hits} == {"src/net/dial.go"}


def test_a_phrase_that_nothing_holds_is_said_and_the_nearest_shown(ask: Ask) -> None:
    report = ask('"could not reach the moon"')
    assert report.hits
    assert explain_doubts(report) == (
        'nothing contains "could not reach the moon" exactly; these results are only similar',
    )


def test_a_phrase_beside_more_other_words_leads_and_does_not_exclude(ask: Ask) -> None:
    report = ask('connection opening in Go, error handling "could not reach host"')
    assert first(report) == "src/net/dial.go"
    assert "src/net/host.go" in [hit.file_path for hit in report.hits]


def test_phrases_keep_to_the_filters(ask: Ask) -> None:
    report = ask('"could not reach host"', filters=SearchFilters(languages=("markdown",)))
    assert [hit.file_path for hit in report.hits] == ["docs/errors.md"]


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("src/shop/cart.py", "src/shop/cart.py", None),
        ("shop/cart.py:150", "src/shop/cart.py", 150),
        ("/home/u/elsewhere/src/other/cart.py", "src/other/cart.py", None),
        ("C:\\work\\shop\\cart.py", "src/shop/cart.py", None),
        ("cart.py", "cart.py", None),
        ("what is wrong in src/other/cart.py:3", "src/other/cart.py", 3),
        ("src/shop/cart.py:9999", "src/shop/cart.py", 1),
        ("panic: x\n\t/build/src/net/dial.go:7 +0x1d\n\t/build/src/net/host.go:5", "src/net/dial.go", 7),
    ],
)
def test_a_path_has_its_file_first_and_the_passage_of_its_line(
    ask: Ask, query: str, path: str, line: int | None
) -> None:
    hit = ask(query).hits[0]
    assert hit.file_path == path
    assert line is None or hit.start_line <= line <= hit.end_line
    assert line != 150 or hit.symbol_name == "price_28", "the definition around the line"


def test_the_name_of_a_file_without_a_suffix_is_a_path(app: App, tmp_path: Path) -> None:
    files = {
        "Makefile": "all:\n\ttrue\n",
        "makefile_reader.py": "def read_makefile(makefile):\n    return makefile\n",
        "docs/makefile.md": "# Makefile\n\nThe Makefile makes all. A Makefile has targets.\n",
    }
    for name, text in files.items():
        path = tmp_path / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "made", name="made")
    for query in ("Makefile", "Makefile:2"):
        _, report = app.search(SearchRequest(query), index_name="made")
        assert report.hits[0].file_path == "Makefile"


def test_settings_outside_the_filters_crowd_none_out(app: App, tmp_path: Path) -> None:
    for name in ("lib", "services/deep/billing"):
        path = tmp_path / "many" / name / "go.mod"
        path.parent.mkdir(parents=True)
        path.write_text("module example.org/x\n\ngo 1.26.0\n\nrequire example.org/version v1.0.0\n")
    app.index(tmp_path / "many", name="many")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setting_answers, "_MOST_FILES", 1)
        _, report = app.search(SearchRequest("which go version path:services/deep/billing"), index_name="many")
    assert [(hit.file_path, hit.answering) for hit in report.hits] == [("services/deep/billing/go.mod", (3,))]


def test_the_deepest_frame_of_the_project_comes_first(ask: Ask) -> None:
    report = ask(TRACE)
    assert [hit.file_path for hit in report.hits[:2]] == ["src/shop/cart.py", "src/shop/run.py"]
    assert report.hits[0].start_line <= 6 <= report.hits[0].end_line


def test_a_path_that_the_filters_leave_out_is_left_out(ask: Ask) -> None:
    report = ask("src/shop/cart.py", filters=SearchFilters(exclude_globs=("src/shop/**",)))
    assert "src/shop/cart.py" not in [hit.file_path for hit in report.hits]


OTHER_SCRIPT = "the index has nothing in the query's script: ask in English, or use names from the code"


@pytest.mark.parametrize(
    ("query", "level", "reason"),
    [
        ("src/shop/cart.py:6", "high", "the query names this file"),
        ("/build/elsewhere/shop/cart.py", "medium", "'build', 'elsewhere', 'py' are not in this index"),
        ('"could not reach host"', "high", "the results contain the quoted text"),
        (
            "could not reach host %s after %d tries",
            "high",
            "the first result contains the query's words in this order",
        ),
        ("Cart", "high", "the first result defines this name"),
        ("kubernetes ingress annotations", "low", "'kubernetes', 'ingress', 'annotations' are not in this index"),
        ("\u4ef7\u683c\u662f\u591a\u5c11", "low", OTHER_SCRIPT),
        ("\u0433\u0434\u0435 \u043a\u043e\u0440\u0437\u0438\u043d\u0430", "low", OTHER_SCRIPT),
        ('"could not reach the moon"', "low", "nothing contains the quoted text"),
        ("CartItems", "low", "nothing has this name"),
    ],
)
def test_an_answer_says_how_sure_it_is(ask: Ask, query: str, level: str, reason: str) -> None:
    assert ask(query).confidence[:2] == (level, reason)


@pytest.mark.parametrize("text", ["price_1", "RICE_7", "e_", "_", "__", "pr", "Cart", "cARTs", "%", "tries", "x"])
def test_names_like_a_text_are_those_that_hold_it_or_begin_as_it_does(app: App, ask: Ask, text: str) -> None:
    index_id = app.catalog.list_all()[0].index_id
    with app.database.reading() as conn:
        names = {name for (name,) in conn.execute("SELECT name FROM cocosearch_py.symbols").fetchall()}
        found = names_like(conn, index_id, text, name_key)
    wanted = text.lower()
    assert len(names) > 80
    assert found == sorted(one for one in names if wanted in one.lower() or one.lower().startswith(wanted[:2]))


@pytest.mark.parametrize(
    "query", ["xqzzy flurbish", "xqzzyflurb", "294df38ff15c68325f6173e9a25e8289", "qZxwVbRnt", "\u4ef7\u683c"]
)
def test_nonsense_has_no_answer_and_says_so(ask: Ask, query: str) -> None:
    report = ask(query)
    assert not report.hits
    assert report.confidence.level == "low"
    assert explain_doubts(report) or report.confidence.reason == OTHER_SCRIPT


def test_a_word_of_the_index_answers_beside_others(ask: Ask) -> None:
    assert ask("xqzzy flurbish pigeon").hits
    assert ask("xqzzy_pigeon").hits, "a part of an identifier"
    assert ask("no pigeonloft", vector=False).hits == (), "words alone"


def test_names_like_unknown_words_are_suggested(ask: Ask) -> None:
    report = ask("openpigeom stacck")
    assert not report.hits
    assert explain_doubts(report) == (
        "no word of 'openpigeom stacck' occurs in this index; similar names: open_pigeon, stack",
    )
    assert explain_doubts(ask("xqzzy flurbish")) == (
        "no word of 'xqzzy flurbish' occurs in this index; check the spelling or try other words",
    )


def test_another_form_of_a_word_of_the_index_is_answered(ask: Ask) -> None:
    assert ask("reader").hits, "the index has `read`"


def test_a_name_that_nothing_has_is_said_with_the_nearest(ask: Ask) -> None:
    report = ask("CartItems")
    assert report.unknown_name is not None
    assert explain_doubts(report) == (
        "nothing is named 'CartItems', and nothing mentions it; similar names: Cart, cart; "
        "these results are only similar",
    )
    mistyped = ask("ReedAll")
    assert [hit.file_path for hit in mistyped.hits][:1] == ["src/reading.go"]
    assert mistyped.confidence.level == "low"
    assert ask("Cart").unknown_name is None
    assert ask("ValueError").unknown_name is None, "it is mentioned"
    assert ask("how carts grow").unknown_name is None
