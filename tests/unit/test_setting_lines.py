"""Which lines of well-known settings files answer which questions."""

import re
from collections.abc import Sequence
from fnmatch import fnmatch

import pytest

from cocosearch_py.analysis.setting_lines import (
    PATH_ENDS,
    LineQuestion,
    SettingsQuestion,
    kind_of,
    kinds_asked,
    path_parts,
)
from cocosearch_py.search.issue_reports import analyze_query
from cocosearch_py.search.matches import telling_lines

FILES = {
    "go.mod": "module example.org/quay\n\ngo 1.26.0\n\n"
    "require (\n\tgithub.com/golang/protobuf v1.5.0\n\tx.org/version v2.0.0\n)",
    "pyproject.toml": '[project]\nname = "quay"\nrequires-python = ">=3.11"\nlicense = "MIT"\n'
    'dependencies = [\n    "celery[redis]>=5.6",\n    "celery-beat>=2",\n]\n[tool.hatch.envs.all]\npython = ["3.10"]\n'
    'hinge = "v2"\n[tool.poetry.dependencies]\nhinge = "^2.4"\nhook = { version = "3", optional = true }\n'
    'bolt = "1.2.3"\n'
    "[tool.pytest.ini_options]\nmarkers = []",
    "Cargo.toml": '[package]\nversion = "1.2.0"\nrust-version = "1.90"\n[dependencies.clap]\nversion = "4.6"',
    "webui/package.json": '{\n  "engines": {"node": ">=18"},\n  "scripts": {\n    "test": "vitest"\n  },\n'
    '  "dependencies": {\n    "react-dom": "^19.0.0",\n    "react": "^19.0.0"\n  }\n}',
    "pom.xml": "<project>\n  <version>1.0</version>\n  <artifactId>maven-compiler-plugin</artifactId>\n"
    "    <version>3.15.0</version>\n    <release>8</release>\n</project>",
    "docker/Dockerfile": 'FROM python:3.13 AS base\nEXPOSE 8000\nHEALTHCHECK CMD curl localhost\nCMD ["serve"]',
    "compose.yml": "services:\n  broker:\n    image: docker.io/redis:8\n    ports:\n      - 6379:6379",
    "src/version.py": "VERSION = 'go 1.26'",
}


def lines_asked_for(path: str, words: Sequence[str]) -> LineQuestion | None:
    kind = kind_of(path)
    return None if kind is None else SettingsQuestion(words).lines_of(kind, path)


@pytest.mark.parametrize(
    ("path", "question", "line"),
    [
        ("go.mod", "which go version is required", "go 1.26.0"),
        ("go.mod", "go version", "go 1.26.0"),
        ("go.mod", "version of protobuf", "\tgithub.com/golang/protobuf v1.5.0"),
        ("pyproject.toml", "supported python versions", 'requires-python = ">=3.11"'),
        ("pyproject.toml", "license of the package", 'license = "MIT"'),
        ("pyproject.toml", "celery version", '    "celery[redis]>=5.6",'),
        ("pyproject.toml", "hinge version", 'hinge = "^2.4"'),
        ("pyproject.toml", "hook version", 'hook = { version = "3", optional = true }'),
        ("pyproject.toml", "bolt version", 'bolt = "1.2.3"'),
        ("pyproject.toml", "pytest options", "[tool.pytest.ini_options]"),
        ("Cargo.toml", "minimum supported rust version", 'rust-version = "1.90"'),
        ("Cargo.toml", "version of the crate", 'version = "1.2.0"'),
        ("Cargo.toml", "which version of clap is used", "[dependencies.clap]"),
        ("webui/package.json", "required node version", '  "engines": {"node": ">=18"},'),
        ("webui/package.json", "npm scripts of the web ui", '  "scripts": {'),
        ("webui/package.json", "react version", '    "react": "^19.0.0"'),
        ("pom.xml", "maven compiler plugin version", "  <artifactId>maven-compiler-plugin</artifactId>"),
        ("pom.xml", "java release that the code is compiled for", "    <release>8</release>"),
        ("docker/Dockerfile", "base image of the container", "FROM python:3.13 AS base"),
        ("docker/Dockerfile", "which port does the container expose", "EXPOSE 8000"),
        ("docker/Dockerfile", "health check interval of the image", "HEALTHCHECK CMD curl localhost"),
        ("compose.yml", "ports of the broker", "  broker:"),
    ],
)
def test_line_that_answers(path: str, question: str, line: str) -> None:
    words = analyze_query(question, question).words
    found = lines_asked_for(path, words)
    assert kind_of(path) in kinds_asked(words)
    assert found is not None
    assert found.share > 0
    pattern = re.compile(found.pattern, re.IGNORECASE)
    matching = [one for one in FILES[path].split("\n") if pattern.search(one)]
    assert matching[:1] == [line]


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("src/version.py", "go version"),  # code
        ("pyproject.toml", "license checker of uploaded documents"),
        ("package.json", "spawn the node process for a worker"),
        ("docker/Dockerfile", "port forwarding of the ssh tunnel client"),
        ("go.mod", "how are modules loaded"),
    ],
)
def test_nothing_is_known(path: str, question: str) -> None:
    found = lines_asked_for(path, analyze_query(question, question).words)
    assert found is None or not found.share


def test_code_may_answer_too() -> None:
    found = lines_asked_for("Dockerfile", ("health", "check"))
    assert found is not None
    assert found.share == 0


@pytest.mark.parametrize("question", ["weighted round robin load balancer", "where are sessions stored"])
def test_code_asks_for_no_lines(question: str) -> None:
    assert not kinds_asked(analyze_query(question, question).words)


@pytest.mark.parametrize(
    "path",
    "go.mod go.work .go-version .golangci.yml pyproject.toml setup.cfg Pipfile tox.ini .flake8 requirements-dev.txt "
    "requirements-dev.in requirements.in "
    "Cargo.toml package.json composer.json quay.gemspec Gemfile pom.xml build.gradle build.gradle.kts "
    "libs.versions.toml build.sbt Quay.csproj Directory.Packages.props Package.swift mix.exs quay.cabal build.zig.zon "
    "pubspec.yaml CMakeLists.txt Dockerfile Dockerfile.cross compose.yaml .nvmrc .node-version .python-version "
    ".ruby-version rust-toolchain .tool-versions devcontainer.json .editorconfig".split(),
)
def test_known_files_are_found_by_their_ends(path: str) -> None:
    kind = kind_of(f"deep/{path}")
    assert kind is not None
    parts = [part.replace("%", "*") for part in path_parts(frozenset([kind]))]
    assert path.lower()[-4:] in PATH_ENDS or any(fnmatch(path.lower(), part) for part in parts)


def test_lines_that_answer_are_marked_alone() -> None:
    text = FILES["go.mod"]
    assert telling_lines(["go", "version"], text, 1, (3,)) == {3: 2}
    assert set(telling_lines(["go", "version"], text, 1)) > {3}
    assert set(telling_lines(["go", "version"], text, 1, (99,))) > {3}


def test_files_of_which_much_is_asked_do_not_mix() -> None:
    question = SettingsQuestion(("web", "ui", "scripts"))
    kind = kind_of("package.json")
    assert kind is not None
    assert question.lines_of(kind, "webui/package.json") is not None
    assert question.lines_of(kind, "api/package.json") is None  # asks for more than its scripts
    assert question.lines_of(kind, "web/ui/package.json") == question.lines_of(kind, "webui/package.json")
