"""Files that something outside of the code begins with: what manifests, settings and pages name. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cocosearch_py.languages.liveness import Liveness

_PATH = re.compile(r"[\w@.+-]*(?:/[\w@.+-]+)+(?![\w/*])|[\w@+-]+\.(?:[cm]?[jt]sx?|pyw?|vue|svelte)\b")
_GLOB = re.compile(r'"\./([^"*]+/)\*[^"]*"')
_BUILT = re.compile(r"^(?:dist|build|lib|out|esm|cjs|es|types|src|source)(?:/|$)")
_ENDING = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]sx?|pyw?)$")
_MOST_CHARS = 200_000  # of a file of settings that is looked through
_MANIFESTS = ("package.json", "deno.json", "jsr.json")


@dataclass(slots=True)
class Told:
    """What settings say: paths without extensions, beginnings of paths, and folders with a manifest."""

    paths: set[str] = field(default_factory=set)
    below: set[str] = field(default_factory=set)
    manifests: set[str] = field(default_factory=set)

    def read(self, path: str, text: str) -> None:
        """Add what the text of a file of settings says. What is built counts as what it is built of."""
        folder, _, name = path.rpartition("/")
        if name in _MANIFESTS:
            self.manifests.add(folder)
            exports = _member(text, "exports")
            self.below |= {
                _joined(folder, spelled) for one in _GLOB.findall(exports) for spelled in (one, _source(one))
            }
        for one in _PATH.findall(text[:_MOST_CHARS]):
            stem, place = _ENDING.sub("", one.removeprefix("./").lstrip("/")), folder
            while stem.startswith("../"):
                stem, place = stem[3:], place.rpartition("/")[0]
            self.paths |= {stem, _joined(place, stem), _joined(place, _source(stem))}

    def begins(self, path: str, liveness: Liveness) -> bool:
        """Whether a file is one that something begins with."""
        if liveness.entries.search(path):
            return True
        stem = _ENDING.sub("", path)
        folder, _, name = stem.rpartition("/")
        above, _, last = folder.rpartition("/")
        if name in liveness.begins and (
            folder in self.manifests or (last in liveness.sources and above in self.manifests)
        ):
            return True
        spelled = list(_spellings(stem, liveness))
        return any(one in self.paths for one in spelled) or any(
            one.startswith(below) for one in spelled for below in self.below
        )


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
