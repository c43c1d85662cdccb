"""`audit --include secrets,duplicates`: what is found on disk, and that no value gets into outputs or the database."""

import json
import random
import string
import subprocess
from pathlib import Path

import psycopg
import pytest

from cocosearch_py.storage.server.embedded import DATABASE_NAME

_CHANCE = random.Random(23)


def _value(length: int = 36) -> str:
    return "".join(_CHANCE.choices(string.ascii_letters + string.digits, k=length))


TOKEN, PASSWORD, EXCUSED, OTHER = ("gh" + "p_" + _value(), "Tr4v-" + _value(9), _value(40), _value(30))
KEY = "\n".join(_value(64) for _ in range(5))
COPIED = "".join(f"    total_{n} = first.get({n}) or second[{n}].price * {n}\n" for n in range(8))
FILES = {
    "app/client.py": f"# é\nTOKEN = '{TOKEN}'\n",
    "app/settings.yaml": f"db_password: {PASSWORD}\n",
    "app/sum.py": f"def one(first, second):\n{COPIED}    return total_1\n",
    "app/total.py": f"# another\ndef two(first, second):\n{COPIED}    return total_2\n",
    "tests/test_key.py": f'KEY = """-----BEGIN RSA PRIV{"ATE KEY-----"}\n{KEY}\n-----END RSA PRIVATE KEY-----"""\n',
    "app/known.py": f"api_key = '{EXCUSED}'  # pragma: allowlist secret\n",
    ".env": f"CLIENT_SECRET={OTHER}\n",
    "local.env": f"CLIENT_SECRET={_value(30)}\n",
    ".gitignore": "local.env\n",
    "yarn.lock": f'password "sha512-{_value(80)}"\n',
}


@pytest.fixture(scope="module")
def leaky(cli, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("leaks") / "leaky"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / "link.py").symlink_to("/etc/hostname")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    cli("index", cwd=root)
    (root / "app/new.py").write_text(f"TOKEN = 'gh{'p_' + _value()}'\n")  # of which neither git nor the index know
    return root


def test_secrets_are_told_by_place_and_kind(cli, leaky):
    answer = cli("audit", "--include", "secrets", cwd=leaky).json

    found = {(one["rule"], one["file"], one["line"], one["actionability"]) for one in answer["findings"]}
    assert found == {
        ("secret/github-token", "app/client.py", 2, "actionable"),
        ("secret/github-token", "app/new.py", 1, "actionable"),
        ("secret/assigned", "app/settings.yaml", 1, "actionable"),
        ("secret/assigned", ".env", 1, "actionable"),
        ("secret/private-key", "tests/test_key.py", 1, "candidate"),
    }
    assert answer["counts"]["suppressed"] == 1  # the pragma
    assert {one["severity"] for one in answer["findings"] if "key" in one["rule"]} == {"critical"}
    steps = {one["file"] for one in answer["findings"] if one["next_steps"]}
    assert steps == {"app/client.py", "app/settings.yaml", "tests/test_key.py"}, "no other file can be read"
    cli("audit", "--include", "secrets", "--fail-on", "critical", cwd=leaky, code=6)


def test_copies_are_told_with_both_places(cli, leaky):
    answer = cli("audit", "--include", "duplicates", cwd=leaky).json

    [one] = answer["findings"]
    assert (one["rule"], one["file"], one["line"]) == ("duplicate", "app/sum.py", 1)
    assert "2 places" in one["message"]
    steps = [step["arguments"]["path"] for step in one["next_steps"]]
    assert steps == ["app/sum.py", "app/total.py"]
    other = one["related"][0]
    shown = cli("--pretty", "audit", "--include", "duplicates", cwd=leaky).out
    assert f"also at app/total.py:{other['line']}-{other['end_line']}\n" in shown


def _kept(server, values: list[str]) -> list[int]:
    """How often each value stands in the tables of the database. What is indexed is there, as the text of its file."""
    with psycopg.connect(server.dsn(DATABASE_NAME)) as conn:
        tables = conn.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        count = "SELECT " + ", ".join(["count(*) FILTER (WHERE strpos(t::text, %s) > 0)"] * len(values))
        rows = [conn.execute(f"{count} FROM {name} t", values).fetchone() for (name,) in tables]
    return [sum(row[at] for row in rows) for at in range(len(values))]


def test_no_value_is_shown_or_kept(cli, leaky, tmp_path, server):
    baseline = tmp_path / "known.json"
    values = [TOKEN, PASSWORD, EXCUSED, OTHER, KEY.split("\n")[1]]
    before = _kept(server, values)
    assert before[0] > 0, "the text of an indexed file"
    assert before[3] == 0, "a file of secrets is not indexed"

    told = []
    part = ("audit", "--include", "secrets,duplicates")
    for flags in (("--write-baseline", baseline), ("--format", "sarif"), ("--baseline", baseline)):
        done = cli(*part, *flags, cwd=leaky)
        told += [done.out, done.err]
    people = cli("--pretty", *part, cwd=leaky)
    failed = cli(*part, "--strict", "--fail-on", "low", cwd=leaky, code=6)
    told += [people.out, people.err, failed.out, failed.err, baseline.read_text()]

    assert len(json.loads(told[-1])["findings"]) == 6
    assert "secret/github-token" in people.out
    assert [at for at, value in enumerate(values) if any(value[:12] in text for text in told)] == []
    assert _kept(server, values) == before
