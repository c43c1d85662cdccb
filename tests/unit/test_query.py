"""What a query is taken to be."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.search import MAX_QUERY_CHARS, SearchFilters
from cocosearch_py.search.inline_filters import extract_filters
from cocosearch_py.search.query import analyze_text, find_identifiers, identifier_keys
from cocosearch_py.search.request import build_filters
from cocosearch_py.storage.queries.candidates import any_of
from cocosearch_py.storage.queries.globs import alternatives, glob_pattern, like_pattern, name_pattern
from cocosearch_py.storage.queries.search import sparse_literal


@pytest.mark.parametrize(
    ("query", "text", "filters"),
    [
        ("retry policy", "retry policy", SearchFilters()),
        ("lang:go retry", "retry", SearchFilters(languages=("go",))),
        ("retry LANG:py,golang", "retry", SearchFilters(languages=("python", "go"))),
        ("kind:Class,method retry", "retry", SearchFilters(symbol_types=("class", "method"))),
        ("name:get_* retry", "retry", SearchFilters(symbol_name="get_*")),
        ('path:"a b/*.py" retry', "retry", SearchFilters(path_globs=("a b/*.py",))),
        ("path:*.{go,py} retry", "retry", SearchFilters(path_globs=("*.{go,py}",))),
        ("-path:vendor/** retry", "retry", SearchFilters(exclude_globs=("vendor/**",))),
        ("-lang:go,py retry", "retry", SearchFilters(excluded_languages=("go", "python"))),
        ("-kind:Class -type:enum retry", "retry", SearchFilters(excluded_symbol_types=("class", "enum"))),
        ("-name:get_*,set_* retry", "retry", SearchFilters(excluded_symbol_names=("get_*", "set_*"))),
        ("name:get_*,set_* name:x retry", "retry", SearchFilters(symbol_name="get_*,set_*,x")),
        ("-path:*.{go,py},web/** x", "x", SearchFilters(exclude_globs=("*.{go,py}", "web/**"))),
        (
            "path:src,lib/ retry",
            "retry",
            SearchFilters(path_globs=("**/src*/**", "**/*src*", "**/lib*/**", "**/*lib*")),
        ),
        ("lang:py, go", "go", SearchFilters(languages=("python",))),
        ('path:"a b,c/*" retry', "retry", SearchFilters(path_globs=("**/a b*/**", "**/*a b*", "c/*"))),
        ("std::path:x", "std::path:x", SearchFilters()),
        ("no filter: here", "no filter: here", SearchFilters()),
        ("  spaced \t out ", "spaced out", SearchFilters()),
        (
            "retry content=vendored lang=golang",
            "retry",
            SearchFilters(content=("vendored",), languages=("go",)),
        ),
        (
            "x==1 -path:docs lang=go",
            "x==1",
            SearchFilters(languages=("go",), exclude_globs=("**/docs*/**", "**/*docs*")),
        ),
        ('say "a b" lang=go', 'say "a b"', SearchFilters(languages=("go",))),
        ("retry -content=tests", "retry", SearchFilters(excluded_content=("tests",))),
        ("content:none retry lang:go", "content:none retry", SearchFilters(languages=("go",))),
        ("retry lang=en content=tests", "retry lang=en", SearchFilters(content=("tests",))),
    ],
)
def test_inline_filters(query: str, text: str, filters: SearchFilters) -> None:
    assert extract_filters(query, SearchFilters()) == (text, filters)


@pytest.mark.parametrize(
    "text",
    [
        "why is file:///etc/hosts read",
        "open path://bucket/key",
        "http://example.com/path:x retry",
        "path::join of type::name",
        r"C:\path file:C:\Users\x",
        "name: value in kind: Deployment",
        "def read(path:str, type:int) -> None",
        '{ name:"x", type:"y", path:\'z\' }',
        "lang:{en} lang:en;q=0.9",
        "main.py failed at file:main.py:12",
        "kind:Optional[int] name:=x path:",
        'path:"" retry',
        "lang=en path=/ name=x content=none retry",
        "content=tests",
        "retry content=none",
        "retry content=tests,none",
        "retry lang=en",
        "LC_ALL=C LANG=C sort order",
        "LANG=go sort order",
        "language=go retry",
        "sort=asc lang=go",
        'print "set lang=go here" again',
        '"set lang=go here" again',
        "<script lang=javascript src=x>",
        "<script language=javascript src=x>",
        "curl -H content=data url",
        "build --verbose lang=go",
    ],
)
def test_what_does_not_look_like_a_filter_is_text(text: str) -> None:
    assert extract_filters(text, SearchFilters()) == (text, SearchFilters())


def test_a_report_has_filters_only_before_its_first_word() -> None:
    report = 'ValueError: no port\n  File "src/app.py", line 3, in main\nsince lang:py is set'
    assert extract_filters(f"lang:go {report}", SearchFilters()) == (report, SearchFilters(languages=("go",)))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("retry lang:go -lang:golang", "language go"),
        ("retry kind:class,enum -kind:enum -kind:CLASS", "kind class, enum"),
        ("retry name:get* -name:get*", "name get"),
        ("retry path:src -path:src/", "path"),
    ],
)
def test_filters_that_exclude_themselves_are_told_of(query: str, said: str) -> None:
    with pytest.raises(ValidationError, match=f"contradict each other: the {said}") as caught:
        extract_filters(query, SearchFilters())
    assert caught.value.hint
    with pytest.raises(ValidationError, match="contradict each other"):
        extract_filters("retry -lang:go", SearchFilters(languages=("go",)))
    assert extract_filters("retry lang:go,py -lang:go", SearchFilters())[1].languages == ("go", "python")


def test_a_filter_with_an_unknown_language_names_the_nearest() -> None:
    with pytest.raises(ValidationError, match="'pyhton'") as caught:
        extract_filters("retry -lang:pyhton", SearchFilters())
    assert "python" in caught.value.hint


def test_inline_filters_add_to_the_given() -> None:
    given_filters = SearchFilters(languages=("rust",), path_globs=("src/**",))
    _, filters = extract_filters("lang:go path:*.go x", given_filters)
    assert filters.languages == ("rust", "go")
    assert filters.path_globs == ("src/**", "*.go")


@pytest.mark.parametrize("query", ["", " ", "\0", "lang:go", "path:x -path:y", "x" * (MAX_QUERY_CHARS + 1)])
def test_refused_queries(query: str) -> None:
    with pytest.raises(ValidationError) as caught:
        extract_filters(query, SearchFilters())
    assert caught.value.hint


@given(st.text(min_size=1, max_size=MAX_QUERY_CHARS))
def test_every_query_is_analysed_or_refused(query: str) -> None:
    try:
        text, _ = extract_filters(query, SearchFilters())
    except ValidationError:
        return
    text.encode("utf-8")
    analysis = analyze_text(query, text)
    assert analysis.words and all(analysis.words)
    assert analysis.terms and all(analysis.terms)
    assert analysis.kind in {"symbol", "word", "how", "prose"}
    assert len(set(analysis.terms)) == len(analysis.terms)
    assert all(0 < weight <= 1 for _, weight in analysis.identifiers)
    assert analyze_text(query, text) == analysis


@pytest.mark.parametrize(
    ("text", "kind", "names", "certain"),
    [
        ("getUserById", "symbol", ["getUserById"], True),
        ("get_user", "symbol", ["get_user"], True),
        ("_private", "symbol", ["_private"], True),
        ("std::vector", "symbol", ["vector", "std"], True),
        ("Cart.addItem", "symbol", ["addItem", "Cart"], True),
        ("retry", "word", ["retry"], False),
        ("Retry", "symbol", ["Retry"], True),
        ("how does the cart sum up", "how", [], False),
        ("How does Cart sum up", "how", ["How", "Cart"], False),
        ("where is UserStore used", "prose", ["UserStore"], True),
        ("Where is Money rounded", "prose", ["Where", "Money"], False),
        ("where is the price rounded", "prose", [], False),
        ("valid?", "word", [], False),
    ],
)
def test_kinds_and_identifiers(text: str, kind: str, names: list[str], certain: bool) -> None:
    analysis = analyze_text(text, text)
    assert analysis.kind == kind
    assert [name for name, _ in analysis.identifiers] == names
    assert analysis.has_identifier is certain


def test_stop_words_go_unless_there_is_nothing_else() -> None:
    assert analyze_text("", "how is the cart summed").words == ("cart", "summed")
    assert "the" not in analyze_text("", "how is the cart summed").terms
    assert analyze_text("", "what is this").terms  # a question of stop words only still asks something


def test_terms_hold_compounds_and_parts() -> None:
    assert set(analyze_text("", "find getUserById").terms) == {"find", "getuserbyid", "get", "user", "id"}


def test_normalized_query_shows_the_parts() -> None:
    assert analyze_text("", "find getUserById").normalized_keyword_query == "find getUserById get User By Id"


def test_asking_for_tests() -> None:
    assert analyze_text("", "tests of the cart").asks_for_tests
    assert not analyze_text("", "cart contest").asks_for_tests


def test_identifier_keys_join_the_styles() -> None:
    analysis = analyze_text("", "getUser or get_user in Store")
    assert identifier_keys(analysis) == {"getuser": 1.0, "store": 0.7}


def test_qualified_owner_counts_less() -> None:
    (name, weight), (owner, less) = find_identifiers("Cart.total")
    assert (name, owner) == ("total", "Cart")
    assert less < weight


def test_build_filters_takes_commas_and_lists() -> None:
    assert build_filters(language="py, go", symbol_type="Class, method").symbol_types == ("class", "method")
    assert build_filters(symbol_type=["class,enum", " trait "]).symbol_types == ("class", "enum", "trait")
    assert build_filters() == SearchFilters()
    assert build_filters(language="", symbol_type="", symbol_name="") == SearchFilters()


@pytest.mark.parametrize(
    ("text", "spelled", "keys"),
    [
        ("Depends", "Depends", {"depends": None}),
        ("get_user", "get_user", {"getuser": None}),
        ("getUser()", "getUser", {"getuser()": None, "getuser": None}),
        ("Cart.add_item", "add_item", {"cart.additem": None, "additem": "cart"}),
        ("std::io::Read;", "Read", {"std::io::read;": None, "std.io.read": None, "read": "io"}),
        ("#method", "method", {"#method": None, "method": None}),
        ("Cart#total", "total", {"cart#total": None, "cart.total": None, "total": "cart"}),
        ("@decorator", "decorator", {"@decorator": None, "decorator": None}),
        ("empty?", "empty?", {"empty?": None, "empty": None}),
        ("get-user", "get-user", {"get-user": None, "getuser": None}),
        ("operator==", "operator==", {"operator==": None, "operator": None}),
    ],
)
def test_a_query_that_is_one_name(text: str, spelled: str, keys: dict[str, str | None]) -> None:
    whole = analyze_text(text, text).whole_name
    assert whole is not None
    assert (whole.spelled, dict(whole.keys)) == (spelled, keys)


def test_several_words_are_no_name() -> None:
    assert analyze_text("", "get user").whole_name is None


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [("getUser()", "symbol", ["getUser"]), ("#method", "word", ["method"]), (".total;", "word", ["total"])],
)
def test_what_is_written_around_a_name_is_no_part_of_it(text: str, kind: str, names: list[str]) -> None:
    analysis = analyze_text(text, text)
    assert analysis.kind == kind
    assert [name for name, _ in analysis.identifiers] == names


def test_commas_in_brackets_and_braces_belong_to_a_glob() -> None:
    assert alternatives("a,*.{b,c},[d,e]f,,g}") == ["a", "*.{b,c}", "[d,e]f", "g}"]
    assert alternatives("a},b],c") == ["a}", "b]", "c"]


GLOBS = [
    ("*.py", ["a.py", "x/a.py"], ["a.pyc", "py", "a.py/b"]),
    ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py"]),
    ("src/**", ["src/a", "src/x/a"], ["src", "x/src/a"]),
    ("src/**/a.py", ["src/a.py", "src/x/y/a.py"], ["src/xa.py"]),
    ("**/a.py", ["a.py", "x/a.py"], ["xa.py"]),
    ("src/", ["src/a", "src/x/a"], ["x/src/a"]),
    ("a?c", ["abc", "x/abc"], ["ac", "a/c"]),
    ("*.{py,go}", ["a.py", "a.go"], ["a.rs", "a.py,go"]),
    ("[ab].py", ["a.py", "b.py"], ["c.py", "ab.py"]),
    ("[!ab].py", ["c.py"], ["a.py", "b.py"]),
    ("[a-c].py", ["b.py"], ["d.py", "-.py"]),
    ("a,b.py", ["a,b.py"], ["a", "b.py"]),
    ("{a.py", ["{a.py"], ["a.py"]),
    ("a}.py", ["a}.py"], ["a.py"]),
    ("[a.py", ["[a.py"], ["a.py"]),
    ("a+b(c)|d^$.py", ["a+b(c)|d^$.py"], ["aab(c)|d^$.py", "d^$.py"]),
    ("a.py", ["a.py"], ["aXpy"]),
]


@pytest.mark.parametrize(("glob", "inside", "outside"), GLOBS)
def test_path_globs(glob: str, inside: list[str], outside: list[str]) -> None:
    pattern = re.compile(glob_pattern(glob))
    assert [path for path in inside if not pattern.search(path)] == []
    assert [path for path in outside if pattern.search(path)] == []


PARTS = st.sampled_from(
    ["a", "b", "B", "/", "**/", "**", "*", "?", "{a,b}", "{", "}", ",", "[ab]", "[!a]", "[", "_", "%"]
)


@given(st.lists(PARTS, max_size=7), st.lists(st.text("abB/_%[{},", min_size=1, max_size=4), max_size=3))
def test_what_matches_a_glob_holds_its_literal_text(parts: list[str], others: list[str]) -> None:
    glob = "".join(parts)
    literal = re.sub(r"\\(.)", r"\1", like_pattern(glob)[1:-1]).lower()
    pattern = re.compile(glob_pattern(glob), re.IGNORECASE)
    for path in (glob, glob.lstrip("/"), *others, "/".join(others), re.sub(r"[^ab_%/]", "", glob)):
        assert literal in path.lower() or not pattern.search(path)


@pytest.mark.parametrize(
    ("glob", "like"),
    [
        ("**/src/**", "%src/%"),
        ("/lib/a_b/*.py", "%lib/a\\_b/%"),
        ("*.{py,go}", "%.%"),
        ("[ab]c?de", "%de%"),
        ("**", "%%"),
        ("straße", "%stra%"),
    ],
)
def test_literal_texts_of_globs(glob: str, like: str) -> None:
    assert like_pattern(glob) == like


@given(st.text(st.sampled_from("ab/*?{},[]!-\\.^$()|+ "), max_size=12))
def test_every_text_is_a_glob(glob: str) -> None:
    re.compile(glob_pattern(glob))


@given(st.text("abcXYZ.-_ \\%'", min_size=1, max_size=10))
def test_names_without_wildcards_match_themselves_only(name: str) -> None:
    pattern = re.compile(name_pattern(name))
    assert pattern.search(name)
    assert not pattern.search(name + "x") and not pattern.search("x" + name)


def test_literals_of_statements() -> None:
    assert sparse_literal({4: 1.5, 0: 0.25}) == "{1:0.25,5:1.5}/536870912"
    assert any_of(["it's", "back\\slash"]) == "'it''s' | 'back\\\\slash'"


def test_the_path_of_a_frame_is_not_a_text_that_is_quoted() -> None:
    frame = '  File "/app/shop/cart.py", line 210, in add'
    assert analyze_text(frame, frame).phrases == ()
    told = f'{frame} says "cart is closed"'
    assert analyze_text(told, told).phrases == ("cart is closed",)
    path = 'open "/app/shop/cart.py" first'
    assert analyze_text(path, path).phrases == ("/app/shop/cart.py",)
