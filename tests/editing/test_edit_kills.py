"""Edits are killed in the middle: a sample of what benchmarks/edit_kills.py does at each system call."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "edit_kills.py"


def test_a_kill_at_any_step_leaves_the_old_or_the_new_file_and_a_log_that_says_which(database_url: str) -> None:
    command = [sys.executable, str(BENCHMARK), "--only", "steps", "--every", "4", "--database", database_url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)["steps"]
    assert (found["faults"], done.returncode) == ([], 0), done.stderr
    assert found["kills"] > 8 and 0 < found["new after the kill"] < found["kills"]
