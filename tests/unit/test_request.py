"""Weights of files, from JSON to a request and in the ranking."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.search import FileWeights, SearchFilters
from cocosearch_py.search.candidates import Evidence, FileCandidate
from cocosearch_py.search.inline_filters import extract_filters
from cocosearch_py.search.query import analyze_text
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS, rank_files
from cocosearch_py.search.request import MAX_WEIGHT_NAME_CHARS, MAX_WEIGHTS, build_filters, build_weights
from cocosearch_py.storage.queries.search import ScoredChunk


def test_weights_are_read() -> None:
    asked = {
        "ext": {"*.MD": 0.5, ".d.ts": 2},
        "path": [{"pattern": "src/**", "weight": 3}],
        "language": {"terraform": 0, "go": 10},
    }
    assert build_weights(asked) == FileWeights(
        extensions=(("md", 0.5), ("d.ts", 2.0)), paths=(("src/**", 3.0),), languages=(("hcl", 0.0), ("go", 10.0))
    )
    assert not build_weights(None)
    assert not build_weights({"ext": None, "path": [], "language": {}})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"extension": {"md": 1}}, "'extension'"),
        ({"ext": [1]}, "ext is not an object"),
        ({"path": {"src/**": 2}}, "not a list of objects"),
        ({"path": [{"pattern": "src/**"}]}, "needs pattern and weight"),
        ({"path": [{"pattern": "a", "weight": 1, "why": ""}]}, "nothing else"),
        ({"path": [{"pattern": 3, "weight": 1}]}, "a name in path"),
        ({"ext": {"": 1}}, "a name in ext"),
        ({"path": [{"pattern": "a\ud800", "weight": 1}]}, "a name in path"),
        ({"path": [{"pattern": "a" * (MAX_WEIGHT_NAME_CHARS + 1), "weight": 1}]}, "more than 200 letters"),
        ({"ext": {"md": -0.1}}, "'md' is not a number from 0 to 10"),
        ({"ext": {"md": 10.5}}, "from 0 to 10"),
        ({"ext": {"md": math.nan}}, "from 0 to 10"),
        ({"ext": {"md": True}}, "from 0 to 10"),
        ({"ext": {"md": "2"}}, "from 0 to 10"),
        ({"language": {"klingon": 2}}, "klingon"),
        ({"ext": {f"x{number}": 1 for number in range(MAX_WEIGHTS + 1)}}, "more than 20"),
    ],
)
def test_wrong_weights_are_told_of(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said) as raised:
        build_weights(asked)
    assert raised.value.hint


def scores(paths: list[str], factors: dict[int, float]) -> dict[str, float]:
    """Path -> score of files with the same keyword evidence, best first; their ids count from 1."""
    analysis = analyze_text("zebra", "zebra")
    files = [
        FileCandidate(number, path, "markdown", keyword=[ScoredChunk(number, 0, 5.0)])
        for number, path in enumerate(paths, start=1)
    ]
    ranked = rank_files(files, analysis, Evidence([], [], [], {"zebra": 3.0}), DEFAULT_WEIGHTS, factors)
    return {file.path: file.score for file in ranked}


FACTOR = st.floats(0, 10).filter(lambda factor: abs(factor - 1) > 0.001)


@given(folders=st.sampled_from(["", "d/", "tests/", "d/" * 30, "tests/" + "d/" * 9]), factor=FACTOR)
def test_a_factor_promotes_over_one_and_demotes_under_one_whatever_the_sign_of_the_score(
    folders: str, factor: float
) -> None:
    path = f"{folders}a.md"
    before, after = scores(["z.md", path], {})[path], scores(["z.md", path], {2: factor})[path]
    assert (after > before) == (factor > 1)
    assert (after < before) == (factor < 1)


def test_scores_of_both_signs_are_tried() -> None:
    found = scores(["zebra.md", "d/" * 30 + "a.md"], {})
    assert min(found.values()) < 0 < max(found.values())


def test_zero_puts_a_file_last_and_ten_first() -> None:
    deep = "tests/" + "d/" * 9 + "x.md"
    assert list(scores(["zebra.md", deep], {})) == ["zebra.md", deep]
    assert list(scores(["zebra.md", deep], {1: 0.0})) == [deep, "zebra.md"]
    assert list(scores(["zebra.md", "tests/x.md"], {2: 10.0})) == ["tests/x.md", "zebra.md"]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
@pytest.mark.parametrize("kind", ["symbol_type", "symbol_name", "path_globs", "exclude_globs"])
def test_what_is_no_text_is_told_of_before_the_database_is_asked(kind: str, text: str) -> None:
    with pytest.raises(ValidationError, match="a filter contains"):
        build_filters(**{kind: [text] if kind.endswith("globs") else text})  # type: ignore[arg-type]


def test_a_null_byte_in_a_query_is_a_space() -> None:
    assert extract_filters("cart name:a\0b", SearchFilters()) == ("cart b", SearchFilters(symbol_name="a"))
