"""Check that wheels of all dependencies exist for every supported system and Python. Exits with 1 if one is missing.

Downloads only metadata, through the package client's own settings. Usage: `python tools/platforms.py`.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = (
    "x86_64-manylinux_2_28",
    "aarch64-manylinux_2_28",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
OLDEST_MACOS = "14.0"  # the oldest that Apple still updates


def resolve(requirements: Path, system: str, python: str) -> str:
    """The resolver's complaint about one system; empty if every dependency has a wheel."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--only-binary", ":all:"),
            *("--python-platform", system, "--python-version", python, str(requirements)),
        ],
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": OLDEST_MACOS},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stderr.strip()


def main() -> int:
    dependencies = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text("\n".join(dependencies), encoding="utf-8")
        pairs = list(product(SYSTEMS, PYTHONS))
        complaints = list(pool.map(lambda pair: resolve(requirements, *pair), pairs))
    for (system, python), complaint in zip(pairs, complaints, strict=True):
        print(f"{system}, Python {python}: {complaint or 'ok'}")
    return int(any(complaints))


if __name__ == "__main__":
    sys.exit(main())
