"""`audit`: what it finds, what excuses findings, and when a build may not pass."""

import json
import subprocess
from pathlib import Path

import pytest

LONG = "def long():\n" + "    print(1)\n" * 130
FILES = {
    "app/a.py": "from app import b\n\n\ndef use():\n    return b.value()\n",
    "app/b.py": "from app import a\n\n\ndef value():\n    return a.use\n\n\ndef _unused():\n    return '💥'\n",
    "app/late.py": "from app import early\n\n\ndef go():\n    return early\n",
    "app/early.py": "def come():\n    from app import late\n\n    return late\n",
    "app/long.py": f"# cocosearch: ignore[large-symbol] made by hand, step by step\n{LONG}\n\nprint(long())\n",
    "app/__init__.py": "",
    "main.py": "from app import a, early, late, long\n\nprint(a.use(), early.come(), late.go(), long)\n",
    "lexa.toml": "[audit]\nsymbol_lines = 5\nignore_paths = ['app/b.py']\n[audit.dead_code]\nenabled = true\n",
}


@pytest.fixture(scope="module")
def rotten(cli, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("audits") / "rotten"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "one")):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    cli("index", cwd=root)
    return root


def test_structure_and_dead_code(cli, rotten):
    answer = cli("audit", "--include", "dead-code", cwd=rotten).json
    found = {(one["rule"], one["file"], one["actionability"], one["severity"]) for one in answer["findings"]}
    assert found == {
        ("import-cycle", "app/a.py", "actionable", "high"),
        ("import-cycle", "app/early.py", "risk_note", "low"),
        ("dead-code", "app/b.py", "actionable", "low"),
    }
    groups = answer["groups"]
    assert sorted(groups["primary"] + groups["secondary"]) == sorted(one["id"] for one in answer["findings"])
    parts = ("actionable", "candidates", "risk_notes", "expected")
    assert sorted(one for part in parts for one in groups[part]) == sorted(groups["primary"])
    assert answer["counts"]["suppressed"] == 1  # what the comment excuses
    assert answer["not_checked"] == []
    people = cli("--pretty", "audit", cwd=rotten)
    assert "app/a.py:1" in people.out
    assert people.out.index("high: 1 finding") < people.out.index("app/a.py:1") < people.out.index("low: 1 finding")
    assert "2 of 2 findings, 1 more suppressed" in people.err


def test_steps_are_calls_that_run(cli, rotten):
    steps = [
        step for one in cli("audit", "--include", "all", cwd=rotten).json["findings"] for step in one["next_steps"]
    ]
    seen = {step["tool"] for step in steps}
    assert seen >= {"get_dependencies", "find_references", "read_code"}
    for step in steps:
        asked = step["arguments"]
        if step["tool"] == "find_references":
            assert cli("refs", asked["symbol"], "--index", asked["index_name"], cwd=rotten).json["total"] == 0


def test_gates(cli, rotten, tmp_path):
    assert "act on" in cli("audit", "--strict", cwd=rotten, code=6).json["failed"][0]
    missing = cli("audit", "ap", "--strict", cwd=rotten, code=1).error  # there is nothing that could fail
    assert missing["error_type"] == "not_found"
    assert cli("audit", "--fail-on", "high", cwd=rotten, code=6).json["failed"] == [
        "1 finding of severity high or higher"
    ]
    cli("audit", "--fail-on", "critical", cwd=rotten)
    cli("audit", "--since", "HEAD", "--strict", cwd=rotten)
    baseline = tmp_path / "known.json"
    cli("audit", "--include", "dead-code", "--write-baseline", baseline, "--strict", cwd=rotten)
    told = json.loads(baseline.read_text())
    assert len(told["findings"]) == 3
    cli("audit", "--include", "dead-code", "--baseline", baseline, "--strict", cwd=rotten)
    known = cli("audit", "--baseline", baseline, cwd=rotten).json
    assert known["counts"] == {"total": 0, "suppressed": 3, "by_rule": {}, "by_severity": {}}
    again = cli("audit", "--write-baseline", baseline, cwd=rotten)
    assert json.loads(baseline.read_text())["salt"] == told["salt"], again.err
    baseline.write_text("{}")
    assert cli("audit", "--baseline", baseline, cwd=rotten, code=2).error["error_type"] == "configuration_error"


def test_only_what_changed_has_to_be_checked(cli, rotten):
    """A gate of a branch is not closed by files that the branch does not touch."""
    broken, large, far = rotten / "app" / "broken.py", rotten / "app" / "large.py", rotten / "app" / "far.js"
    broken.write_text("def broken(:\n    return (\n", encoding="utf-8")
    large.write_text("# much\nvalue = 1\n" * 200_000, encoding="utf-8")
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for arguments in (("add", "."), (*identity, "commit", "-q", "-m", "two")):
        subprocess.run(["git", *arguments], cwd=rotten, check=True)
    all_parts = ("audit", "--include", "all", "--strict", "--since")
    far.write_text("console.log(1)\n", encoding="utf-8")
    cli("index", cwd=rotten)
    failed = "\n".join(cli(*all_parts, "HEAD~1", cwd=rotten, code=6).json["failed"])
    assert "files with syntax errors" in failed and "Python files: they could not be read" in failed
    assert not cli(*all_parts, "HEAD", cwd=rotten).json["not_checked"]
    file = rotten / "main.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "print(1)\n", encoding="utf-8")
    cli("index", cwd=rotten)
    (told,) = cli(*all_parts, "HEAD", cwd=rotten, code=6).json["failed"]
    assert told.startswith("not checked: Python files: they could not be read, and may use anything")
    cli("audit", "--strict", "--since", "HEAD", cwd=rotten)  # without dead code that matters to nobody
    file.write_text(text, encoding="utf-8")
    for one in (broken, large, far):
        one.unlink()
    subprocess.run(["git", "reset", "-q", "HEAD~1"], cwd=rotten, check=True)
    cli("index", cwd=rotten)


def test_what_moves_keeps_its_id_and_an_old_index_does_not_pass(cli, rotten, tmp_path):
    before = {one["id"] for one in cli("audit", "--include", "dead-code", cwd=rotten).json["findings"]}
    file = rotten / "app" / "b.py"
    text = file.read_text(encoding="utf-8")
    file.write_text("# moved\n\n" + text, encoding="utf-8")
    (rotten / "new.py").write_text("print(1)\n")
    strict = cli("audit", "--strict", "--since", "HEAD", cwd=rotten, code=6).json
    assert any("changed files" in one for one in strict["failed"])
    after = {one["id"] for one in cli("audit", "--include", "dead-code", cwd=rotten).json["findings"]}
    assert after == before
    (rotten / "new.py").unlink()
    file.write_text(text, encoding="utf-8")
    cli("index", cwd=rotten)


def test_settings_of_a_file(cli, rotten, tmp_path):
    found = cli("audit", "--audit-config", "lexa.toml", cwd=rotten).json
    assert {one["file"] for one in found["findings"]} == {"app/early.py"}
    assert "no file no.toml" in cli("audit", "--audit-config", "no.toml", cwd=rotten, code=1).error["error"]
    assert cli("audit", "--audit-config", "../x.toml", cwd=rotten, code=5).error["error_type"] == "safety_error"
    for wrong in (["--include", "rust"], ["--fail-on", "bad"], ["--format", "xml"]):
        assert cli("audit", *wrong, cwd=rotten, code=2).error["error_type"] == "validation_error"


def test_sarif(cli, rotten):
    log = cli("audit", "--include", "dead-code", "--format", "sarif", cwd=rotten).json
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert (rotten / place["uri"]).is_file()
        assert result["partialFingerprints"]
    excused = [one for one in run["results"] if one["suppressions"]]
    assert [one["suppressions"][0]["justification"] for one in excused] == ["made by hand, step by step"]
