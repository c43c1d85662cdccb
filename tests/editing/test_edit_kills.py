"""Edits are killed in the middle: a sample of what benchmarks/edit_kills.py does at each step."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_kill_at_any_step_leaves_the_old_or_the_new_file_and_a_log_that_says_which(database_url: str) -> None:
    options = ["--every", "4", "--database", database_url, "--json", "--no-row"]
    command = [sys.executable, "-m", "benchmarks", "run", "edit-kills", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    (figures,) = json.loads(done.stdout)
    assert (figures["faults"], done.returncode) == (0, 0), done.stderr
    assert figures["kills"] > 8 and 0 < figures["new after the kill"] < figures["kills"]
