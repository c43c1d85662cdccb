"""Facts in a file's path: words, depth, and whether it holds tests, examples or generated code."""

import re
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from cocosearch_py.analysis.words import split_identifier

_OTHER_CHARACTER = re.compile(r"\W")
# Searched in a path with a slash before it: what begins with a character is found three times as fast.
_TEST = re.compile(
    r"/(?:(?:tests?|__tests__|specs?|testing|testdata|fixtures?|mocks?|e2e|benches|benchmarks?|testFixtures)(?:/|$)"
    r"|(?:test_[^/]*|[^/]*_test|[^/]*_spec|[^/]*\.(?:test|spec|bench)|[^/]*Tests?)\.\w+$"
    r"|[a-z]+Test/)"
)
# Tests where a folder says so, or none says anything: CipherSuite.kt and JobSpec.java are code as a rule.
_SUITE = re.compile(r"(?:Spec|Suite)\.\w+$")
_SUITE_FOLDER = re.compile(r"(?:Test|Spec|(?<![a-z])(?:test|spec))[^/]*/")
_TEST_NAME = re.compile(r"(?:[Tt]est|[Bb]enchmark|[Ff]uzz|[Ss]pec)(?:_|$|[A-Z0-9])")
_TESTABLE_KINDS = frozenset({"function", "method", "test"})
_EXAMPLE = re.compile(r"(?:^|/)(?:_?examples?|samples?|demos?|docs?(?:_src)?|tutorials?|www)(?:/|$)", re.IGNORECASE)
_DECLARATIONS = re.compile(r"\.(?:d\.[cm]?ts|pyi)$")
# Examples, and settings of build tools that are written as code.
_ASIDE = re.compile(
    r"(?:^|/)(?:(?:_?examples?|samples?|demos?|docs_src|tutorials?|sandbox|playground)/"
    r"|(?:(?:gulp|grunt|jake)file(?:\.\w+)?|[\w.-]+\.(?:config|conf)|\.\w+rc)\.[cm]?[jt]s$|noxfile\.py$)",
    re.IGNORECASE,
)
# A folder of texts in one language other than English: `docs/ja/`, `i18n/pt-BR/`.
_TRANSLATED = re.compile(
    r"(?:^|/)(?:ar|bn|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nl|no|pl|pt|ro|ru|sv|th|tr|uk|vi|zh)(?:[-_]\w+)?/",
    re.IGNORECASE,
)
_COMPATIBILITY = re.compile(
    r"(?:^|/)(?:_?compat|legacy|deprecated|vendor|third_party|generated|gen|stubs)(?:/|$)"
    r"|\.(?:pb|gen|g|min|d)\.\w+$|_generated\.",
    re.IGNORECASE,
)
# The last version in a path: `v2`, `v1beta1`, `v3.1`.
_VERSION = re.compile(
    r"(?<![a-z0-9])v(?P<number>\d+(?:\.\d+)*)(?P<stage>alpha|beta|rc)?\d*(?![a-z0-9])(?!.*(?<![a-z0-9])v\d)",
    re.IGNORECASE,
)
_STAGES = {"alpha": 0, "beta": 1, "rc": 2, "": 3}
_OUTDATED = re.compile(
    r"(?:^|[/_.-])(?:(?P<word>legacy|deprecated|obsolete)(?=[/_.-]|$)|(?P<last>old)(?=/|\.\w+$))", re.IGNORECASE
)
_VARIANT = re.compile(r"(?:^|/)(?P<folder>(?:[^/]*[-_.])?(?:mini|lite|slim|compat))/", re.IGNORECASE)
# Words of a path that bind the file to some platforms. `mac` and `android` are left out: they mean other things, too.
_PLATFORMS = {
    "windows": "windows win win32 win64 winnt msvc mingw",
    "linux": "linux",
    "darwin": "darwin macos osx",
    "bsd": "bsd freebsd openbsd netbsd dragonfly",
    "unix": "unix posix",
    "other": "sunos solaris aix os390 zos ibmi haiku hurd qnx vms cygwin",
}
_FAMILIES = {word: family for family, words in _PLATFORMS.items() for word in words.split()}
PLATFORM_WORDS = frozenset(_FAMILIES)
_SEPARATORS = str.maketrans("_.-", "///")
# Names that say "the main file of this folder": the folder's name is what people would search for.
_FOLDER_FILES = frozenset({"mod", "index", "init", "lib", "main"})
_CACHED_PATHS = 20_000  # paths that come up again and again as candidates; about 12 MB
_NEAR_FOLDERS = 3  # farther ones name the product, not the part


class PathVersion(NamedTuple):
    """One of several versions that stand side by side: `api/v1/user.go` and `api/v2/user.go`."""

    rest: str  # the path without it, the same for all
    order: tuple[object, ...]  # the newest is the largest: major version, whether it is ready, all numbers
    name: str  # in lower case: v1
    family: str | None  # the folder without it, and those above, if it is a folder's: the same for all that is in them
    is_first: bool  # `v0` or `v1`: what is beside them without a version is newer

    @property
    def unversioned(self) -> str:
        """The path of what is beside the version's folder."""
        return self.rest.replace("//", "/").removeprefix("/")


class PathFacts(NamedTuple):
    """Facts that the ranking takes from a path."""

    name: tuple[str, ...]  # words of the file's name
    folders: tuple[str, ...]  # words of its nearest folders
    depth: int  # folders above it
    is_test: bool
    platforms: frozenset[str]
    version: PathVersion | None
    outdated: str  # the word that says that the file is not the present one; empty for most
    variant: str  # the folder that says that the file is a smaller one of several, if there are others
    is_declarations: bool
    is_aside: bool
    is_translated: bool


@lru_cache(maxsize=_CACHED_PATHS)
def path_facts(path: str) -> PathFacts:
    """All that the functions below say of a path, at the price of one look-up."""
    name, folders = name_words(path)
    return PathFacts(
        name,
        folders,
        path.count("/"),
        is_test(path),
        platforms(path),
        version_of(path),
        outdated(path),
        variant(path),
        is_declarations(path),
        is_aside(path),
        is_translated(path),
    )


def is_test(path: str) -> bool:
    """Whether the path looks like a test, a fixture or a benchmark."""
    if _TEST.search("/" + path) is not None:
        return True
    return _SUITE.search(path) is not None and ("/" not in path or _SUITE_FOLDER.search(path) is not None)


def is_test_name(name: str, kind: str) -> bool:
    """Whether a definition in a file of tests is a test by its name: a function like `test_x`, `testX` or `TestX`."""
    return kind in _TESTABLE_KINDS and _TEST_NAME.match(name) is not None


def is_example(path: str) -> bool:
    """Whether the path looks like an example, a demo or documentation."""
    return _EXAMPLE.search(path) is not None


def is_declarations(path: str) -> bool:
    """Whether the file declares types of code that is elsewhere: `index.d.ts`, `cart.pyi`."""
    return _DECLARATIONS.search(path) is not None


def is_aside(path: str) -> bool:
    """Whether the code is beside the product: an example, a sandbox, or settings of a build tool."""
    return _ASIDE.search(path) is not None


def is_translated(path: str) -> bool:
    """Whether a folder of the path is named after a language other than English; says something of documents only."""
    return _TRANSLATED.search(path) is not None


def is_secondary(path: str) -> bool:
    """Whether the path looks like compatibility, vendored or generated code."""
    return _COMPATIBILITY.search(path) is not None


def platforms(path: str) -> frozenset[str]:
    """Families of systems that the path says the file is for; none for code that is for all."""
    named = PLATFORM_WORDS.intersection(path.lower().translate(_SEPARATORS).split("/"))
    if not named:
        return named
    found = frozenset([_FAMILIES[word] for word in named])
    return found - {"unix"} or found  # src/unix/sunos.c is for one of them


def version_of(path: str) -> PathVersion | None:
    """The last version that the path names."""
    found = _VERSION.search(path)
    if found is None:
        return None
    numbers = tuple(int(number) for number in found["number"].split("."))
    order = (numbers[0], _STAGES[(found["stage"] or "").lower()], numbers)
    before, behind = path[: found.start()], path[found.end() :]
    family = before + behind.partition("/")[0] if "/" in behind else None
    return PathVersion(before + behind, order, found[0].lower(), family, numbers[0] <= 1)


def outdated(path: str) -> str:
    """The word of a path that says that something else is used now; empty where there is none."""
    low = path.lower()
    if not ("old" in low or "legacy" in low or "deprecated" in low or "obsolete" in low):
        return ""  # told in a third of the time of the pattern
    found = _OUTDATED.search(path)
    return (found["word"] or found["last"]).lower() if found else ""


def variant(path: str) -> str:
    """The folder of a path that says that its files are smaller ones; empty where there is none."""
    low = path.lower()
    if not ("mini/" in low or "lite/" in low or "slim/" in low or "compat/" in low):
        return ""  # as above
    found = _VARIANT.search(path)
    return found["folder"] if found else ""


def own_platforms(system: str) -> frozenset[str]:
    """Families that a system of this `sys.platform` belongs to."""
    if system.startswith(("win32", "cygwin")):
        return frozenset({"windows"})
    if system.startswith("linux"):
        return frozenset({"linux", "unix"})
    return frozenset({"darwin" if system == "darwin" else "other", "bsd", "unix"})


def name_words(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words of the file's name, and of its nearest folders (nearest last).

    `src/http/mod.rs` gives (`http`,) and the folders above it, since `mod` names its folder.
    """
    *folders, name = path.split("/")
    stem = _words(name.partition(".")[0] or name) or (name.lower(),)
    folder_words = [words for folder in folders if (words := _words(folder))]
    if len(stem) == 1 and stem[0] in _FOLDER_FILES and folder_words:
        stem = folder_words.pop()
    return stem, tuple(chain.from_iterable(folder_words[-_NEAR_FOLDERS:]))


@lru_cache(maxsize=_CACHED_PATHS)  # of folders, which come up more often than paths
def _words(name: str) -> tuple[str, ...]:
    return split_identifier(_OTHER_CHARACTER.sub("_", name))


def keyword_fields(path: str) -> tuple[str, str]:
    """Text of the file-name field and of the folder field of the keyword leg."""
    *folders, name = path.split("/")
    stem = name.split(".")[0] or name
    if stem.strip("_").lower() in _FOLDER_FILES and folders:
        stem = f"{folders[-1]} {stem}"
    return stem, " ".join(folders[-_NEAR_FOLDERS:])
