"""How tests are run, as far as the manifests of a project tell. Pure."""

import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

Read = Callable[[str], str | None]  # text of a manifest by path, None where there is none
_MOST_TARGETS = 10  # of one command


class PlacedTest(NamedTuple):
    """A test: path and qualified name relative to the root; the name is empty for all tests of the file."""

    path: str
    name: str
    line: int
    language_id: str


class Framework(NamedTuple):
    """A program that runs tests.

    Attributes:
        languages: of the files of tests.
        manifests: name of a file beside or above the tests to the expression that it must hold; "" is any text.
        command: of paths relative to the manifest.
        whole: runs all tests of the folder that has the manifest.
    """

    name: str
    languages: tuple[str, ...]
    manifests: Mapping[str, str]
    command: Callable[[Sequence[PlacedTest]], str]
    whole: str


def _pytest(tests: Sequence[PlacedTest]) -> str:
    return _joined("pytest", [one.path + "".join(f"::{part}" for part in one.name.split(".") if part) for one in tests])


def _go(tests: Sequence[PlacedTest]) -> str:
    folders = [f"./{posixpath.dirname(one.path)}".rstrip("/") for one in tests]
    names = list(dict.fromkeys(one.name.rpartition(".")[2] for one in tests))
    if not all(names):
        return _joined("go test", folders)
    return _joined("go test", folders) + " -run " + shlex.quote("^(" + "|".join(names) + ")$")


def _cargo(tests: Sequence[PlacedTest]) -> str:
    names = [one.name.rpartition(".")[2] for one in tests]
    return _joined("cargo test --", names) if all(names) else "cargo test"


def _files(program: str) -> Callable[[Sequence[PlacedTest]], str]:
    return lambda tests: _joined(program, [one.path for one in tests])


def _lines(program: str) -> Callable[[Sequence[PlacedTest]], str]:
    return lambda tests: _joined(program, [f"{one.path}:{one.line}" if one.name else one.path for one in tests])


def _classes(tests: Sequence[PlacedTest]) -> list[str]:
    return list(dict.fromkeys(posixpath.basename(one.path).partition(".")[0] for one in tests))


def _maven(tests: Sequence[PlacedTest]) -> str:
    return "mvn test " + shlex.quote("-Dtest=" + ",".join(_classes(tests)))


def _gradle(tests: Sequence[PlacedTest]) -> str:
    return "gradle test" + "".join(f" --tests {shlex.quote(name)}" for name in _classes(tests))


def _joined(program: str, targets: Sequence[str]) -> str:
    return " ".join([program, *map(shlex.quote, dict.fromkeys(targets))])


_ECMASCRIPT = ("javascript", "typescript", "tsx")
_JVM = ("java", "kotlin", "scala")
# The first of a language that fits is taken.
FRAMEWORKS = (
    Framework(
        "pytest",
        ("python",),
        {
            "pytest.ini": "",
            "pyproject.toml": r"\bpytest\b",
            "setup.cfg": r"\bpytest\b",
            "tox.ini": r"\bpytest\b",
        },
        _pytest,
        "pytest",
    ),
    Framework("go test", ("go",), {"go.mod": ""}, _go, "go test ./..."),
    Framework("vitest", _ECMASCRIPT, {"package.json": r'"vitest"'}, _files("npx vitest run"), "npx vitest run"),
    Framework("jest", _ECMASCRIPT, {"package.json": r'"jest"'}, _files("npx jest"), "npx jest"),
    Framework("cargo test", ("rust",), {"Cargo.toml": ""}, _cargo, "cargo test"),
    Framework("maven", _JVM, {"pom.xml": ""}, _maven, "mvn test"),
    Framework("gradle", _JVM, {"build.gradle": "", "build.gradle.kts": ""}, _gradle, "gradle test"),
    Framework(
        "rspec", ("ruby",), {".rspec": "", "Gemfile": r"\brspec"}, _lines("bundle exec rspec"), "bundle exec rspec"
    ),
    Framework(
        "phpunit",
        ("php",),
        {"phpunit.xml": "", "phpunit.xml.dist": "", "composer.json": r"phpunit/phpunit"},
        _files("vendor/bin/phpunit"),
        "vendor/bin/phpunit",
    ),
)


def manifests_for(tests: Collection[PlacedTest]) -> set[str]:
    """Paths that may be manifests of these tests."""
    return {
        posixpath.join(folder, name)
        for language_id, folders in _folders_of(tests).items()
        for one in FRAMEWORKS
        if language_id in one.languages
        for folder in folders
        for name in one.manifests
    }


def _folders_of(tests: Collection[PlacedTest]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in tests:
        found.setdefault(one.language_id, set()).update(_above(one.path))
    return found


def _above(path: str) -> Iterator[str]:
    """The folders that a file is in, the innermost first; "" is the root."""
    while path:
        path = posixpath.dirname(path)
        yield path


def manifest_names() -> set[str]:
    """Names of all files that may say how tests are run."""
    return {name for one in FRAMEWORKS for name in one.manifests}


def commands_for(tests: Sequence[PlacedTest], read: Read) -> list[tuple[str, str, str]]:
    """Framework, folder and command, for those tests of which manifests tell how they are run."""
    groups: dict[tuple[int, str], list[PlacedTest]] = {}
    for test in tests:
        if (how := _how(test, read)) is not None:
            groups.setdefault(how, []).append(test)
    found = []
    for (number, folder), group in groups.items():
        inside = [one._replace(path=posixpath.relpath(one.path, folder or ".")) for one in group[:_MOST_TARGETS]]
        found.append((FRAMEWORKS[number].name, folder, FRAMEWORKS[number].command(inside)))
    return found


def whole_commands(languages: Collection[str], read: Read) -> list[str]:
    """Commands that run all tests of a folder, whose manifests are read by name: one for each language that has one."""
    told: dict[str, str] = {}
    for one in FRAMEWORKS:
        if _is_told(one, "", read):
            told = {language: one.whole for language in one.languages if language in languages} | told
    return list(dict.fromkeys(told.values()))


def _how(test: PlacedTest, read: Read) -> tuple[int, str] | None:
    """Number of the framework that the innermost folder with a manifest tells, and that folder."""
    for folder in _above(test.path):
        for number, one in enumerate(FRAMEWORKS):
            if test.language_id in one.languages and _is_told(one, folder, read):
                return number, folder
    return None


def _is_told(one: Framework, folder: str, read: Read) -> bool:
    texts = ((read(posixpath.join(folder, name)), marker) for name, marker in one.manifests.items())
    return any(text is not None and re.search(marker, text) for text, marker in texts)
