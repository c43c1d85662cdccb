"""Parts of an audit that need no index: ids, gates, words in texts, columns of SARIF."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from cocosearch_py.config.auditfile import read_audit_file
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.features.audit.baseline import Baseline, read_baseline, with_baseline, write_baseline
from cocosearch_py.features.audit.dead_code.words import MEMBER, MENTIONED, Names, Scanner, unpacked, words_of
from cocosearch_py.features.audit.findings import Finding, NotChecked, Place, Scope, identified
from cocosearch_py.features.audit.gates import reasons_to_fail
from cocosearch_py.features.audit.ignores import with_ignores
from cocosearch_py.features.audit.sarif import to_sarif
from cocosearch_py.features.audit.structure import circles
from cocosearch_py.languages.liveness import liveness_of

FOUND = Finding(
    rule="dead-code",
    severity="low",
    actionability="actionable",
    place=Place("a b/ü.py", 3, 3, 5, 6),
    message="m",
    key="k",
)


def test_ids_of_secrets_tell_nothing_without_the_salt():
    one, other = (replace(FOUND, secret=value) for value in (b"first", b"second"))
    assert identified(one, b"") == identified(other, b"") == identified(FOUND, b"")
    assert len({identified(one, b"x"), identified(other, b"x"), identified(one, b"y")}) == 3
    assert identified(FOUND, b"x") == identified(FOUND, b"y")  # nothing about it is secret
    assert "first" not in repr(one)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "{}", '{"version": 1, "salt": 3}', '{"version": 1, "salt": "z", "findings": []}', "\udcff"],
)
def test_what_is_no_baseline_is_told_in_words(tmp_path: Path, content: str) -> None:
    (tmp_path / "base.json").write_text(content, errors="surrogateescape")
    with pytest.raises(ConfigurationError, match=r"base\.json cannot be read: it was not written by --write-baseline"):
        read_baseline(tmp_path / "base.json")


def test_a_baseline_that_is_not_there_or_cannot_be_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read: No such file or directory$"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match=r"cannot be written: No such file or directory$"):
        write_baseline(tmp_path / "none" / "base.json", Baseline(), [])


def test_a_baseline_knows_each_finding_as_often_as_it_was_found():
    one = replace(FOUND, id="x")
    known = with_baseline([one, one, one], Baseline(b"s", Counter({"x": 2})))
    assert [found.is_new for found in known] == [False, False, True]


def test_gates():
    expected = replace(FOUND, actionability="expected", severity="critical")
    gap = NotChecked("all", "files", "they are broken")
    assert not reasons_to_fail([expected], [gap], fail_on="low", strict=False)
    assert len(reasons_to_fail([FOUND], [gap], fail_on="low", strict=True)) == 3
    assert not reasons_to_fail([FOUND], [gap._replace(is_gap=False)], fail_on="medium", strict=False)


def test_circles():
    edges = [(1, 2, 1), (2, 3, 1), (3, 1, 1), (3, 4, 1), (4, 5, 1), (5, 6, 1), (6, 5, 1), (7, 7, 1)]
    assert sorted(map(sorted, circles(edges))) == [[1, 2, 3], [5, 6]]
    many = [(number, number + 1, 1) for number in range(50_000)]
    assert circles(many) == []
    assert len(circles([*many, (50_000, 0, 1)])[0]) == 50_001


def test_what_is_documentation_is_only_a_mention():
    text = (
        'def f():\n    """About name.\n\n    And name.\n    """\n    x = """\n    name\n"""\n    return name\n# name\n'
        'y = "name"\nz = """\nlast:\n"""\nname()\n'
    )
    scanner = Scanner(Names(wide={"name"}))
    scanner.read(0, text, words_of(text), liveness_of("python"), (), is_foreign=True, is_document=False)
    places = [unpacked(place) for place in scanner.places.everywhere["name"]]
    assert [line for _, line, flags in places if flags & MENTIONED] == [2, 4, 10]
    assert [line for _, line, flags in places if not flags & MENTIONED] == [7, 9, 11, 15]


def test_reasons_of_comments(tmp_path):
    told = {
        "# cocosearch: ignore[dead-code] by a plugin  ": "by a plugin",
        "/* cocosearch: ignore: by hand */": "by hand",
        "<!-- cocosearch-py: ignore[*] -->": None,
        "// cocosearch: ignore a" + " " * 100_000 + "b": "a" + " " * 100_000 + "b",
        "# cocosearch: ignore[large-file] another rule": None,
    }
    (tmp_path / "a.py").write_text("".join(f"\n{line}\nx = 1\n" for line in told))
    found = [replace(FOUND, place=Place("a.py", 3 * number, 3 * number)) for number in range(1, len(told) + 1)]
    scope = Scope(root=tmp_path, record=None)
    suppressed = [one.suppressed and one.suppressed.reason for one in with_ignores(found, scope)]
    assert suppressed == list(told.values())


def test_private_and_public_names_are_told_apart():
    scanner = Scanner(Names(wide={"#size", "size", "only"}, foreign={"seen"}, local={1: {"#own"}}))
    text = "x.size\nthis.#size\nsize\n#size\nthis.#own\nonly seen sizes only\n9only\n"
    for file in (0, 1):
        scanner.read(file, text, words_of(text), liveness_of("typescript"), (), is_foreign=file == 0, is_document=False)
    found = {
        name: [unpacked(place)[:2] for place in scanner.places.everywhere[name]] for name in ("#size", "size", "seen")
    }
    assert found["#size"] == [(0, 2), (0, 4), (1, 2), (1, 4)]
    assert {(0, 1), (0, 3), (1, 1), (1, 3)} <= set(found["size"])
    assert found["seen"] == [(0, 6)]
    assert len(scanner.places.everywhere["only"]) == 4
    assert {key: list(map(unpacked, places)) for key, places in scanner.places.in_file.items()} == {
        (1, "#own"): [(1, 5, MEMBER)]
    }


def test_columns_of_sarif_count_as_utf_16_does():
    log = to_sarif([FOUND], [], lambda path, line: "💥💥💥x💥", compares=True)
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 3, "startColumn": 8, "endColumn": 10}
    assert place["artifactLocation"]["uri"] == "a%20b/%C3%BC.py"
    assert result["baselineState"] == "new"


@pytest.mark.parametrize("text", ["a = " + "[" * 10_000, ".".join("a" * 10_000) + " = 1"], ids=["lists", "tables"])
def test_settings_of_an_audit_that_are_nested_deeply_are_refused(tmp_path: Path, text: str):
    (tmp_path / "lexa.toml").write_text(text)
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        read_audit_file(tmp_path / "lexa.toml")
