"""Files that something outside of the code begins with: what manifests, settings and pages name. Pure."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from cocosearch_py.languages.liveness import Liveness

_PATH = re.compile(r"[\w@.+-]*(?:/[\w@.+-]+)+(?![\w/*])|[\w@+-]+\.(?:[cm]?[jt]sx?|pyw?|vue|svelte)\b")
_GLOB = re.compile(r'"\./([^"*]+/)\*[^"]*"')
_BUILT = re.compile(r"^(?:dist|build|lib|out|esm|cjs|es|types|src|source)(?:/|$)")
_ENDING = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]sx?|pyw?)$")
_MOST_CHARS = 200_000  # of a file of settings that is looked through
_MANIFESTS = ("package.json", "deno.json", "jsr.json")
_COMPILERS = re.compile(r"[tj]sconfig[\w.-]*\.json")  # they name all code; an alias is followed as an import
_ENTRY_MEMBERS = ("main", "module", "browser", "exports", "bin")
_OTHERS_NAMES = re.compile(
    r'"(?:(?:dev|peer|optional|bundled?)?[dD]ependencies|resolutions|overrides|catalog)"\s*:\s*\{[^{}]*\}'
    r'|"keywords"\s*:\s*\[[^\]]*\]'
)


@dataclass(slots=True)
class Told:
    """Entry points and names that settings mention.

    Attributes:
        paths: without extensions.
        below: beginnings of paths.
        built: those of what is built -> those of what it is built of, below a folder of sources.
        manifests: folders with a manifest.
        explicit: those whose manifest names the files that others begin with.
    """

    paths: set[str] = field(default_factory=set)
    below: set[str] = field(default_factory=set)
    built: dict[str, str] = field(default_factory=dict)
    manifests: set[str] = field(default_factory=set)
    explicit: set[str] = field(default_factory=set)

    def read(self, path: str, text: str) -> None:
        """Add what the text of a file of settings says. What is built counts as what it is built of."""
        folder, _, name = path.rpartition("/")
        if is_compiler_setting(path):
            return
        if name in _MANIFESTS:
            self._read_manifest(folder, text)
        for one in _PATH.findall(text[:_MOST_CHARS]):
            stem, place = _ENDING.sub("", one.removeprefix("./").lstrip("/")), folder
            while stem.startswith("../"):
                stem, place = stem[3:], place.rpartition("/")[0]
            self.paths |= {stem, _joined(place, stem), _joined(place, _source(stem))}

    def _read_manifest(self, folder: str, text: str) -> None:
        self.manifests.add(folder)
        if any(_member(text, name) not in ("", '""') for name in _ENTRY_MEMBERS):
            self.explicit.add(folder)
        for one in _GLOB.findall(_member(text, "exports")):
            self.below.add(_joined(folder, one))
            self.built[_joined(folder, one)] = _joined(folder, _source(one))

    def settle(self, paths: Collection[str]) -> None:
        """Learn which files there are: what is there is not built."""
        self.built = {
            below: source for below, source in self.built.items() if not any(one.startswith(below) for one in paths)
        }

    def begins(self, path: str, liveness: Liveness) -> bool:
        """Whether a file is one that something begins with."""
        if liveness.entries.search(path):
            return True
        stem = _ENDING.sub("", path)
        folder, _, name = stem.rpartition("/")
        above, _, last = folder.rpartition("/")
        for place in (folder, *((above,) if last in liveness.sources else ())):
            names = liveness.begins_always if place in self.explicit else liveness.begins
            if place in self.manifests and name in names:
                return True
        spelled = list(_spellings(stem, liveness))
        own = (stem, stem.removesuffix("/index"))
        return (
            any(one in self.paths for one in spelled)
            or any(one.startswith(below) for one in spelled for below in self.below)
            or any(one.startswith(below) for one in spelled if one not in own for below in self.built.values())
        )


def is_compiler_setting(path: str) -> bool:
    """Whether a file says what is compiled, which begins nothing."""
    return _COMPILERS.fullmatch(path.rpartition("/")[2]) is not None


def without_names_of_others(path: str, text: str) -> str:
    """A text without what names other packages; its lines stay."""
    if path.rpartition("/")[2] not in _MANIFESTS:
        return text
    return _OTHERS_NAMES.sub(lambda found: "\n" * found.group().count("\n"), text)


def _source(stem: str) -> str:
    return _BUILT.sub("", stem)


def _joined(folder: str, stem: str) -> str:
    return f"{folder}/{stem}" if folder else stem


def _spellings(stem: str, liveness: Liveness) -> Iterator[str]:
    """A path as settings may have it: with and without `index`, and without the folder of the sources."""
    for one in (stem, stem.removesuffix("/index")):
        yield one
        parts = one.split("/")
        yield from (
            "/".join(parts[:at] + parts[at + 1 :]) for at, part in enumerate(parts[:-1]) if part in liveness.sources
        )


def _member(text: str, name: str) -> str:
    """A member of a JSON object, as JSON; empty if there is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    return json.dumps(found.get(name, "")) if isinstance(found, dict) else ""
