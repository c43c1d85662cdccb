"""Values that one process writes down for another come back as they were."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.indexes import Revision
from cocosearch_py.model.plain import from_plain, to_plain


@dataclass(frozen=True)
class Sample:
    pair: tuple[int, str]
    names: frozenset[str] = frozenset()
    where: Path | None = None
    nested: "dict[str, tuple[Path, ...]]" = field(default_factory=dict)


def test_options_of_a_run() -> None:
    options = IndexingOptions(
        content=ContentOptions(languages=("python",), language_overrides={".x": "python"}),
        discovery=DiscoveryOptions(include=("*.py",), max_depth=3, global_ignore_file=Path("/home/me/.ignore")),
        content_classes={"lib/": next(iter(ContentClass))},
        fresh=True,
        workers=2,
        home=Path("/home/me"),
        revision=Revision("main", "c" * 40),
    )
    assert from_plain(IndexingOptions, to_plain(options)) == options
    assert to_plain(replace(options, may_see=lambda _: False)) == to_plain(options)


def test_other_values() -> None:
    sample = Sample((1, "a"), frozenset({"b", "a"}), Path("x"), {"k": (Path("y"),)})
    assert from_plain(Sample, to_plain(sample)) == sample
    report = RunReport("a", "/a", "t", files_added=3, warnings=("w",))
    assert from_plain(RunReport, to_plain(report)) == report
    assert to_plain(sample, leave_out=("pair", "names", "nested")) == {"where": "x"}


def test_what_another_version_wrote_is_refused() -> None:
    with pytest.raises(ValueError, match="has no colour"):
        from_plain(Sample, {"pair": [1, "a"], "colour": "red"})
    with pytest.raises(ValueError, match="lacks pair"):
        from_plain(Sample, {})


@pytest.mark.parametrize(
    "value",
    [
        {"pair": ["1", "a"]},
        {"pair": [True, "a"]},
        {"pair": [1.0, "a"]},
        {"pair": "1a"},
        {"pair": [1, None]},
        {"pair": [1, "a"], "names": "ab"},
        {"pair": [1, "a"], "names": {"a": 1}},
        {"pair": [1, "a"], "where": 5},
        {"pair": [1, "a"], "nested": [["k", []]]},
        {"pair": [1, "a"], "nested": {"k": "path"}},
        [1, "a"],
    ],
)
def test_values_of_the_wrong_type_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"is no |of the wrong type"):
        from_plain(Sample, value)


def test_whole_numbers_stand_for_floats() -> None:
    assert from_plain(RunRequest, {"index_name": "a", "name": "a", "folder": "/a", "limit_s": 3}).limit_s == 3
