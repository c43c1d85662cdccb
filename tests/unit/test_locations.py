"""Which files and lines a query names, and which of an index's files these are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.search.locations import MOST_LOCATIONS, best_matches, find_locations


def places(query: str) -> list[str]:
    return [f"{'/'.join(one.parts)}:{one.line}" for one in find_locations(query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("src/a/b.go:147", ["src/a/b.go:147"]),
        ("src/a/b.go:147:12", ["src/a/b.go:147"]),
        ("lib\\web\\b.cs", ["lib/web/b.cs:None"]),
        ("b.go", ["b.go:None"]),
        ("a/Makefile", ["a/Makefile:None"]),
        ("src/routes/[id]/+page.svelte", ["src/routes/[id]/+page.svelte:None"]),
        ("see [src/x.py](../src/x.py) here", ["src/x.py:None"]),
        ("https://example.org/a/b/blob/main/src/x.py#L3-L9", ["example.org/a/b/blob/main/src/x.py:3"]),
        ("what does src/foo.py do with cookies", ["src/foo.py:None"]),
        ("see foo.py:12 for the loop", ["foo.py:12"]),
        ("node.js streams", []),
        ("how app.listen starts", []),
        ("Makefile", ["Makefile:None"]),
        ("gemfile:3", ["gemfile:3"]),
        ("LICENSE", ["LICENSE:None"]),
        ("License", []),
        ("build", []),
        ("Makefile targets", []),
        ("release v1.2.3", []),
        ("e.g. this", []),
        ("panic at ./src/main.rs:4:5", ["src/main.rs:4"]),
        ("   at A.B.C() in /src/X/Y.cs:line 12", ["src/X/Y.cs:12"]),
        ("/x/y.rb:12:in `foo'", ["x/y.rb:12"]),
        ("#0 /var/www/x.php(12): foo()", ["var/www/x.php:12"]),
        ("PHP Fatal error in C:\\a\\x.php on line 12", ["C:/a/x.php:12"]),
        ("\tmain.main()\n\t/home/u/x/cmd/main.go:147 +0x1d", ["home/u/x/cmd/main.go:147"]),
        (
            "Error: x\n    at fn (/home/u/lib/router.js:10:5)\n    at Module (node:internal/x:1:2)",
            ["home/u/lib/router.js:10"],
        ),
        (
            "java.lang.X: y\n\tat com.acme.shop.Cart$Item.add(Cart.java:12)\n\tat java.base/java.util.A.get(A.java:1)",
            ["com/acme/shop/Cart.java:12", "java/util/A.java:1"],
        ),
    ],
)
def test_places_in_a_query(query: str, expected: list[str]) -> None:
    assert places(query) == expected


def test_the_most_recent_call_of_python_is_the_last() -> None:
    trace = 'Traceback:\n  File "/p/run.py", line 3, in a\n    x()\n  File "/p/shop/cart.py", line 12, in b\nKeyError'
    assert places(trace) == ["p/shop/cart.py:12", "p/run.py:3"]


def test_a_long_trace_is_cut_at_its_shallow_end() -> None:
    trace = "\n".join(f"  at f (/p/a{number}.js:{number}:1)" for number in range(1, 40))
    assert places(trace)[0] == "p/a1.js:1"
    assert len(places(trace)) == MOST_LOCATIONS


@pytest.mark.parametrize(
    ("query", "paths", "expected"),
    [
        ("/home/u/shop/src/cart.py", ["src/cart.py", "lib/cart.py"], ["src/cart.py"]),
        ("cart.py:3", ["lib/cart.py", "cart.py"], ["cart.py", "lib/cart.py"]),
        ("src/Cart.PY", ["src/cart.py"], ["src/cart.py"]),
        ("other/cart.py", ["lib/cart.py"], []),  # another file of that name
        ("/home/u/shop/setup.py", ["setup.py", "docs/setup.py"], ["setup.py"]),  # the root of another checkout
        ("/x/site-packages/setup.py", ["setup.py"], []),
        ("/x/site-packages/shop/cart.py", ["src/shop/cart.py"], ["src/shop/cart.py"]),
        ("a/b/c.py", ["x/a/b/c.py", "y/z/b/c.py"], ["x/a/b/c.py"]),
    ],
)
def test_files_at_a_place(query: str, paths: list[str], expected: list[str]) -> None:
    (location,) = find_locations(query)
    assert best_matches(location, paths) == expected


@given(st.text(max_size=300))
def test_any_text_has_some_places_or_none(query: str) -> None:
    for location in find_locations(query):
        assert location.parts
        best_matches(location, ["a/b.py", query])


@pytest.mark.parametrize("piece", ["[", "~$", "+", "a/", "at a."])
def test_a_run_of_characters_of_paths_is_read_in_one_pass(piece: str) -> None:
    assert find_locations(f"x {piece * 200_000}") == (), "from each of its characters it would take an hour"
