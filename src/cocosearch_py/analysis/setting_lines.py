"""Which lines of a settings file of a well-known name answer a question: `go 1.26.0` of a `go.mod` "which go version".

Passages are ranked by the words that they hold, and lists of requirements say "go" and "version" more often than the
one line that tells. The names and keys are those that tools prescribe, so they mean the same in every repository.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from cocosearch_py.analysis.purposes import purpose_words
from cocosearch_py.analysis.words import TOKEN, split_identifier, stem

_VERSION = "version|required|supported|minimum|needed"
_LICENSE = "license|licence"
_DEVELOPMENT = "dev|development|test|testing"
_OPTIONS = "option|setting|configuration|config|rule|marker|argument"
_IMAGE = "image|container|docker|dockerfile"
_SERVICE = r"^ +{name}[\w-]*: *$"
# File name -> what is asked, with the lines that tell it. A question has to have a word of each group, but for those
# after `?`; after `=` everything else in it has to be about the project or the file. What follows `!` is asked of
# settings and nothing else. The first row that fits counts. `{name}` stands for the rest of the question, as the name
# of a package, and `{tool}` for each word of it. Both PostgreSQL and Python read the patterns, in any case, and take ^
# for the beginning of a line.
_ROWS: dict[str, tuple[tuple[str, str], ...]] = {
    # Go
    r"go\.(?:mod|work)": (
        ("!go toolchain", "^toolchain "),
        (f"!go|golang {_VERSION}", r"^go \d"),
        ("!=module name|path", "^module "),
        ("!version", r"/{name}(/v\d+)? v\d"),
    ),
    r"\.go-version": ((f"!go|golang {_VERSION}", r"^\d"),),
    r"\.golangci\.(?:ya?ml|toml|json)": (
        ("disabled", "^ *disable(-all)?:"),
        ("enabled", "^ *enable(-all)?:"),
    ),
    # Python
    r"pyproject\.toml|setup\.cfg|pipfile": (
        (f"!python {_VERSION}", '^(requires-python|python_requires|python_version) *=|^python *= *"[^0-9]?[<>=~0-9]'),
        (f"!{_LICENSE}", "^licen[sc]e *="),
        (
            "!=optional|extra dependency|package|extra",
            r"^\[project\.optional-dependencies|^\[(options|tool\.poetry)\.extras",
        ),
        (f"!={_DEVELOPMENT} dependency", r"^\[dependency-groups|^\[tool\.poetry\.(group\.)?dev"),
        ("!build backend", "^build-backend"),
        ("build system", r"^\[build-system"),
        (
            "!=entry|console|command point|script|line",
            r"^\[(project|tool\.poetry)\.scripts|^ *console_scripts|^\[options\.entry",
        ),
        ("=script|entry", r"^\[(project|tool\.poetry)\.scripts|^ *console_scripts"),
        ("!=dependency|requirement", r"^(dependencies|install_requires) *=|^\[tool\.poetry\.dependencies|^\[packages"),
        ("!=author|maintainer", "^(authors?|maintainers?) *="),
        ("!=version project|package|library", "^version *="),
        ("=version", "^version *="),
        ("!dependency", r"^{tool}[\w-]* *= *\["),
        (f"!{_OPTIONS}", r"^\[(tool[.:])?{tool}[].:]"),
        (
            "!version",
            # `name = "2.0"` may be of any table, so what stands behind `=` has to look like a requirement.
            r"^[ \t\"']*{name}(\[[^]]*\])?[\"' ]*([<>~!@(]|==|= *\{.*version *=|= *[\"']([\^~<>=!]|\d+\.\d+\.)).*\d",
        ),
    ),
    r"tox\.ini|pytest\.ini|\.flake8": ((f"!{_OPTIONS}", r"^\[(tool[.:])?{tool}[].:]"),),
    r"requirements.*\.(?:txt|in)": (("!version", r"^{name}(\[[^]]*\])? *[=<>~!@]+.*\d"),),
    # Rust
    r"cargo\.toml": (
        (f"!rust|rustc {_VERSION}", "^rust-version"),
        ("!msrv", "^rust-version"),
        ("!rust edition", "^edition"),
        (f"!{_LICENSE}", "^license"),
        (f"!={_DEVELOPMENT} dependency", r"^\[(workspace\.)?dev-dependencies"),
        ("!=build dependency", r"^\[build-dependencies"),
        ("!=dependency", r"^\[(workspace\.)?dependencies"),
        ("!=cargo|crate feature ?on|off|optional", r"^\[features"),
        ("=feature", r"^\[features"),
        ("=binary|executable", r"^\[\[bin"),
        ("=workspace|member", r"^\[workspace"),
        ("!release profile ?option|setting|link|time|optimisation|optimization|lto|strip", r"^\[profile\.release"),
        ("!=version project|package|crate|library", "^version"),
        ("=version", "^version"),
        ("!version", r"^{name} *=|^\[.*dependencies\.{name}\]"),
    ),
    # JavaScript and TypeScript
    r"package\.json": (
        (f"!node|nodejs {_VERSION}|engine", r'^\s*"(engines|node)" *:'),
        ("!package manager", r'^\s*"packageManager"'),
        (f"!{_LICENSE}", r'^\s*"license"'),
        (f"!={_DEVELOPMENT} dependency", r'^\s*"devDependencies"'),
        ("!=peer dependency", r'^\s*"peerDependencies"'),
        ("!=dependency", r'^\s*"dependencies"'),
        ("!=npm|yarn|pnpm|package script", r'^\s*"scripts"'),
        ("=script", r'^\s*"scripts"'),
        ("!=workspace", r'^\s*"workspaces"'),
        ("!browser supported|target ?production", r'^\s*"browserslist"'),
        ("=binary|executable|command", r'^\s*"bin"'),
        ("=entry|main|export", r'^\s*"(main|module|exports)"'),
        ("!=version project|package|library", r'^\s?\s?\s?\s?"version"'),
        ("=version", r'^\s?\s?\s?\s?"version"'),
        ("!version", r'^\s*"((@?[\w.-]+/)?{name}|@{name}/[\w.-]+)" *: *"[^"]*\d'),
    ),
    # PHP
    r"composer\.json": (
        (f"!php {_VERSION}", r'^\s*"php" *:'),
        (f"!{_LICENSE}", r'^\s*"license"'),
        ("!=autoload ?namespace", r'^\s*"autoload"'),
        (f"!={_DEVELOPMENT} dependency", r'^\s*"require-dev"'),
        ("!=dependency|requirement", r'^\s*"require"'),
        ("=script", r'^\s*"scripts"'),
        ("=binary|executable|command", r'^\s*"bin"'),
        ("!=suggested extension|package", r'^\s*"suggest"'),
        ("!version", r'^\s*"([\w.-]+/)?{name}" *: *"[^"]*\d'),
    ),
    # Ruby
    r".*\.gemspec": (
        (f"!ruby {_VERSION}", "required_ruby_version"),
        (f"!{_LICENSE}", r"\.licenses? *="),
        (f"!={_DEVELOPMENT} dependency", "add_development_dependency"),
        ("!=dependency", "add_(runtime_)?dependency"),
        ("=executable|binary|command", r"\.executables *="),
        ("!=version project|package|gem|library", r"\.version *="),
        ("!version", r"dependency *\(?[\"']{name}[\"']"),
    ),
    r"gemfile": (
        (f"!ruby {_VERSION}", "^ruby "),
        ("!version", r"^ *gem *\(?[\"']{name}[\"'].*\d"),
    ),
    # Java, Kotlin, Scala
    r"pom\.xml": (
        (
            f"!java|jdk|jvm {_VERSION}|release|target|compiled ?code|source",
            r"<(java\.version|maven\.compiler\.\w+|release|source|target)>",
        ),
        (f"!{_LICENSE}", "<licenses>"),
        ("=module", "<modules>"),
        ("!=dependency", r"^(\t|  |    )<dependencies>"),
        ("!=version project|package|library", r"^(\t|  |    )<version>"),
        ("=version", r"^(\t|  |    )<version>"),
        ("!version", r"<artifactId>{name}[\w.-]*<"),
    ),
    r"build\.gradle(?:\.kts)?": (
        (
            f"!java|jdk|jvm {_VERSION}|release|target|compiled ?code|source",
            r"(source|target)Compatibility|jvmTarget|jvmToolchain|languageVersion|options\.release",
        ),
        ("!android sdk ?version|level", "(min|target|compile)Sdk"),
        ("!=dependency", "^dependencies"),
        ("=version", "^version"),
    ),
    r"libs\.versions\.toml": (("!version", r'^[\w.-]*{name}[\w.-]* *= *"[^"]*\d'),),
    r"build\.sbt": ((f"!scala {_VERSION}", "(scalaVersion|crossScalaVersions) *:="),),
    # .NET
    r".*\.(?:cs|fs|vb)proj|directory\.(?:build|packages)\.props": (
        (f"!dotnet|net|target framework|{_VERSION}", "<TargetFrameworks?>"),
        ("!language|csharp version", "<LangVersion>"),
        (f"!{_LICENSE}", "<PackageLicense"),
        ("!=dependency", "<PackageReference"),
        ("=version", "<(Version|VersionPrefix|PackageVersion)>"),
        ("!version", r'Include="([\w.]*\.)?{name}".*\d'),
    ),
    # Swift, Elixir, Haskell, Zig, Dart, C and C++
    r"package\.swift": (
        (f"!swift {_VERSION} ?tool", "swift-tools-version"),
        ("=platform", "platforms:"),
        ("!=dependency", "dependencies:"),
    ),
    r"mix\.exs": (
        (f"!elixir {_VERSION}", "elixir:"),
        (f"!{_LICENSE}", "licenses:"),
        ("!=dependency", "defp? deps"),
        ("=version", "version:"),
        ("!version", r"\{{name},.*\d"),
    ),
    r".*\.cabal": (
        (f"!ghc {_VERSION}|tested", "^tested-with"),
        (f"!{_LICENSE}", "^license"),
        ("!=dependency", "build-depends"),
        ("=version", "^version"),
    ),
    r"build\.zig\.zon": ((f"!zig {_VERSION}", "minimum_zig_version"), ("=version", r"\.version *=")),
    r"pubspec\.ya?ml": ((f"!dart|flutter {_VERSION}|sdk", "^ +(sdk|flutter):"), ("=version", "^version:")),
    r"cmakelists\.txt": (
        (f"!cmake {_VERSION}", "cmake_minimum_required"),
        ("!=c|cpp|cxx standard ?version", "CXX_STANDARD|cxx_std_|C_STANDARD"),
        ("=version", "^ *project *\\("),
    ),
    # Containers
    r"(?:.*[._-])?(?:dockerfile|containerfile)(?:[._-].*)?": (
        (f"!base|parent {_IMAGE} ?from|final", "^FROM "),
        (f"!health|healthcheck {_IMAGE} ?check|interval|timeout|retries", "^HEALTHCHECK "),
        ("health|healthcheck ?check|interval|timeout|retries", "^HEALTHCHECK "),
        (f"!port|exposed {_IMAGE} ?port|exposed", "^EXPOSE "),
        ("port|exposed", "^EXPOSE "),
        (f"!entrypoint|command {_IMAGE} ?start|run|executed", "^(ENTRYPOINT|CMD) "),
        ("entrypoint|command|start", "^(ENTRYPOINT|CMD) "),
        (f"!=user {_IMAGE} ?run|process", "^USER "),
        (f"!=volume {_IMAGE}", "^VOLUME "),
        (f"!=working|work directory|dir|folder ?{_IMAGE}", "^WORKDIR "),
        (f"!version {_IMAGE}", "^(FROM|ARG|ENV) .*{name}.*\\d"),
    ),
    r"(?:docker[._-])?compose(?:[._-].*)?\.ya?ml": (
        ("!image ?version|tag", r"^ +image: .*{name}|^ +{name}[\w-]*: *$"),
        ("!port ?published|exposed|mapped|mapping", _SERVICE),
        ("!health|healthcheck ?check|interval|timeout|retries", _SERVICE),
        ("!environment|variable", _SERVICE),
        ("!command|entrypoint ?line|flag|start|argument", _SERVICE),
        ("!volume|mounted", _SERVICE),
        ("!port compose ?published|exposed|mapped|mapping", "^ +ports:"),
    ),
    # Versions of tools, editors
    r"\.nvmrc|\.node-version": ((f"!node|nodejs {_VERSION}", r"^\S"),),
    r"\.python-version": ((f"!python {_VERSION}", r"^\S"),),
    r"\.ruby-version": ((f"!ruby {_VERSION}", r"^\S"),),
    r"rust-toolchain(?:\.toml)?": ((f"!rust|rustc {_VERSION}|toolchain", r"^channel|^\d|^stable|^nightly"),),
    r"\.tool-versions": (("!version", "^{name} .*\\d"),),
    r"devcontainer\.json": (
        ("!image|base dev|devcontainer|development ?container", r'^\s*"(image|dockerfile|dockerComposeFile)"'),
        ("!extension ?vscode|editor|dev|devcontainer|container", r'^\s*"extensions"'),
        ("!port dev|devcontainer|forwarded ?container", r'^\s*"forwardPorts"'),
    ),
    r"\.editorconfig": (
        ("!line length ?max|maximum", "^max_line_length"),
        ("!indent|indentation ?size|style|width|editor|setting", "^indent_(size|style)"),
    ),
}
# What questions say of a project without meaning more than that it is the one.
_NEUTRAL = (
    "project package crate module library gem app application program repository repo monorepo current this list all "
    "name required supported minimum maximum needed allowed default direct runtime pinned installed"
)
_MOST_NAME_WORDS = 3  # of a package
_LEAST_TOLD = 0.7  # share of a question that has to be about the settings for it to ask for nothing else


class LineQuestion(NamedTuple):
    """Question about a line of a settings file."""

    pattern: str  # of the lines that answer, for PostgreSQL and Python, in any case
    share: float  # of the question that it is about; 0 where code may answer as well


class _Fact(NamedTuple):
    """A fact of a settings file, the words that ask for it, and the lines that state it."""

    groups: tuple[frozenset[str], ...]  # stems, one of each is asked for
    words: frozenset[str]  # all of them
    pattern: str
    is_whole: bool  # nothing else may be asked
    is_settings: bool  # nothing but settings answers


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


_stems_of = lru_cache(maxsize=100)(_stems)  # of what files are for, which are few lists


def _fact(asked: str, pattern: str) -> _Fact:
    groups = asked.lstrip("!=").split()
    marks = asked[: len(asked) - len(asked.lstrip("!="))]
    needed = tuple(_stems(group.split("|")) for group in groups if not group.startswith("?"))
    words = _stems(word for group in groups for word in group.removeprefix("?").split("|"))
    return _Fact(needed, words, pattern, "=" in marks, "!" in marks)


_FACTS = tuple(tuple(_fact(*row) for row in rows) for rows in _ROWS.values())


def _by_word() -> dict[str, list[tuple[int, _Fact]]]:
    """Stem of the first group -> the facts that ask for it, each with the kind of file that tells it."""
    found: dict[str, list[tuple[int, _Fact]]] = {}
    for kind, facts in enumerate(_FACTS):
        for fact in facts:
            for word in fact.groups[0]:
                found.setdefault(word, []).append((kind, fact))
    return found


_BY_WORD = _by_word()
# How the paths of such files end, in lower case and at least.
PATH_ENDS = tuple(
    ".cfg .exs .ini .kts .mod .sbt .txt .xml .yml .zon abal adle ake8 file hain ions json nfig proj rops sion spec "
    "toml vmrc wift work yaml".split()
)
# Part of a file name in `_ROWS` -> LIKE patterns of paths that may end in any way.
_PATH_PARTS = {"dockerfile|containerfile": ("%dockerfile%", "%containerfile%"), "requirements": ("%requirements%.in",)}
_KNOWN = re.compile("|".join(f"({pattern})" for pattern in _ROWS), re.IGNORECASE)  # no group of their own
_NEUTRAL_STEMS = _stems(_NEUTRAL.split())


def kind_of(path: str) -> int | None:
    """Which kind of settings file this is, by its name; None if nothing is known of its lines."""
    known = _KNOWN.fullmatch(path.rpartition("/")[2])
    return None if known is None else (known.lastindex or 1) - 1


@lru_cache(maxsize=100)
def path_parts(kinds: frozenset[int]) -> tuple[str, ...]:
    """LIKE patterns of paths of these kinds of settings files that end in none of PATH_ENDS, in lower case."""
    names = [name for kind, name in enumerate(_ROWS) if kind in kinds]
    return tuple(part for known, parts in _PATH_PARTS.items() for part in parts if any(known in name for name in names))


@lru_cache(maxsize=100)
def kinds_asked(words: tuple[str, ...]) -> frozenset[int]:
    """The kinds of settings files that might answer a question of these content words; to most about code, none."""
    asked = _stems(words)
    facts = (found for word in asked for found in _BY_WORD.get(word, ()))
    return frozenset(kind for kind, fact in facts if all(group & asked for group in fact.groups))


class SettingsQuestion:
    """Question about settings files; files whose paths match alike share one entry.

    Args:
        words: content words of the question, in lower case.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._asked = {word: stem(word) for word in words}
        self._pairs = [(one, two, stem(one + two)) for one, two in pairwise(words)]
        self._forms = frozenset([*self._asked.values(), *[form for *_, form in self._pairs]])
        self._found: dict[tuple[int, frozenset[str]], LineQuestion | None] = {}

    def lines_of(self, kind: int, path: str) -> LineQuestion | None:
        """Return the lines asked for in a file of this kind (`kind_of`); None if unknown."""
        said = kind, self._said_by(path)
        if said not in self._found:
            self._found[said] = self._find(*said)
        return self._found[said]

    def _said_by(self, path: str) -> frozenset[str]:
        """Those of the question's stems that the path says, or what its file is for."""
        forms = self._forms
        parts = (*map(_stems_in, path.split("/")), _stems_of(purpose_words(path)))
        return frozenset[str]().union(*[forms & part for part in parts if not forms.isdisjoint(part)])

    def _find(self, kind: int, said: frozenset[str]) -> LineQuestion | None:
        asked = self._asked
        about = {word for word, form in asked.items() if form in _NEUTRAL_STEMS or form in said}
        for one, two, form in self._pairs:
            if form in said:  # the "web ui" in webui/
                about |= {one, two}
        for fact in _FACTS[kind]:
            if not all(any(form in group for form in asked.values()) for group in fact.groups):
                continue
            rest = [word for word, form in asked.items() if word not in about and form not in fact.words]
            if "{name}" in fact.pattern or "{tool}" in fact.pattern:
                if rest and (found := _with_names(fact, rest)):
                    return found
            elif not rest or (not fact.is_whole and len(rest) < len(asked) - len(rest)):
                share = 1 - len(rest) / len(asked)
                return LineQuestion(fact.pattern, share if fact.is_settings and share >= _LEAST_TOLD else 0.0)
        return None


def _with_names(fact: _Fact, rest: Sequence[str]) -> LineQuestion | None:
    """The fact about what the rest of a question names."""
    if "{name}" in fact.pattern:
        if len(rest) > _MOST_NAME_WORDS:
            return None
        return LineQuestion(fact.pattern.replace("{name}", "[-_./ ]?".join(map(re.escape, rest))), 1.0)
    tools = "|".join(re.escape(stem(word)) for word in rest)
    return LineQuestion(fact.pattern.replace("{tool}", f"({tools})"), 1.0 if len(rest) == 1 else 0.0)


@lru_cache(maxsize=5_000)
def _stems_in(name: str) -> frozenset[str]:
    """Stems of what a folder's or a file's name says; the folders of many files are the same."""
    return _stems(word for token in TOKEN.findall(name) for word in split_identifier(token))
