"""Metadata and the source distribution."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import yaml
from tools import platforms

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_supported_versions_of_python_are_the_same_everywhere() -> None:
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"]))
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    tried = workflow["jobs"]["check"]["strategy"]["matrix"]["python"]
    assert tuple(classifiers) == tuple(tried) == platforms.PYTHONS
    assert PYPROJECT["project"]["requires-python"] == f">={platforms.PYTHONS[0]}"


def test_the_source_distribution_has_all_that_the_checks_need() -> None:
    included = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for path in ("Makefile", ".ci", ".github", "src", "tests", "tools", "migrations", "benchmarks", "CONTRIBUTING.md"):
        assert (ROOT / path).exists()
        assert any(fnmatch(path, pattern) for pattern in included), path
