"""The command line's own document is up to date and complete."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_is_what_the_generator_writes(environment):
    done = subprocess.run(
        [sys.executable, "tools/docs/cli_reference.py", "--check"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_command_is_in_the_reference():
    text = (ROOT / "docs" / "cli-reference.md").read_text(encoding="utf-8")
    for name in (
        "index",
        "search",
        "analyze",
        "list",
        "stats",
        "clear",
        "languages",
        "doctor",
        "config show",
        "db psql",
    ):
        assert f"\n## {name}\n" in text
