"""Which files of a package an import means: those that define what the importing file uses. See `find_dependencies`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.imports import Resolution
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.references import WILDCARD, Import, Offer
from cocosearch_py.storage.queries.imports import names_used, offers_of, packages_of
from cocosearch_py.storage.write.writer import IndexWriter

Files = Mapping[int, tuple[str, str]]  # by id: path and language


class Offered(NamedTuple):
    """Names of a file that others may use: those outside of its types, and all outside of functions."""

    outer: frozenset[str]
    every: frozenset[str]


NOTHING = Offered(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class _Package:
    """The files of a package by the names that they define; `passing` are those that pass on what they import."""

    outer: Mapping[str, Sequence[str]]
    every: Mapping[str, Sequence[str]]
    passing: Sequence[str]


@dataclass(slots=True)
class Packages:
    """Finds the files that imports of packages mean, in one run.

    What files define is kept; what they use only for the files of one page of imports, see `prepare`.
    """

    writer: IndexWriter
    files: Files
    _offered: dict[int, Offered] = field(default_factory=dict)
    _packages: dict[tuple[str, ...], _Package] = field(default_factory=dict)
    _used: dict[int, set[str]] = field(default_factory=dict)

    def prepare(self, resolved: Iterable[tuple[int, Import, Resolution]]) -> None:
        """Read what is needed for some imports, each with its file and what it leads to as a whole."""
        packages, users = set[tuple[str, ...]](), set[int]()
        for file_id, what, found in resolved:
            packages.add(found.targets)
            if what.name in (None, WILDCARD):
                users.add(file_id)
        ids = {file_id_of(path) for targets in packages for path in targets} | users
        missing = [one for one in ids if one not in self._offered]
        if missing:
            self.writer.add_key("symbols")
            offers = offers_of(self.writer.conn, self.writer.index_id, missing)
            self._offered |= dict.fromkeys(missing, NOTHING) | offered_by(offers, self.files)
        self._used.clear()
        if users:
            self.writer.add_key("refs")
            self.writer.add_key("chunks")
            self._used.update(names_used(self.writer.conn, self.writer.index_id, sorted(users)))

    def narrowed(self, file_id: int, what: Import, found: Resolution) -> tuple[str, ...] | None:
        """The files that an import means; None if the package lacks the imported name."""
        package = self._packages.get(found.targets)
        if package is None:
            package = self._packages[found.targets] = self._by_name(found.targets)
        if what.name not in (None, WILDCARD):
            return tuple(package.outer.get(what.name or "") or package.every.get(what.name or "", ())) or None
        if self._only_passes_on(file_id):
            return found.targets  # whoever imports it uses these
        meant = {path for name in self._used.get(file_id, set()) & package.outer.keys() for path in package.outer[name]}
        return (*sorted(meant), *package.passing)

    def _by_name(self, paths: Sequence[str]) -> _Package:
        outer, every, passing = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list), []
        for path in paths:
            file_id = file_id_of(path)
            offered = self._offered[file_id]
            for name in offered.outer:
                outer[name].append(path)
            for name in offered.every:
                every[name].append(path)
            if self._only_passes_on(file_id):
                passing.append(path)
        return _Package(outer, every, passing)

    def _only_passes_on(self, file_id: int) -> bool:
        language = LANGUAGES.get(self.files[file_id][1])
        return language is not None and language.passes_imports_on and not self._offered[file_id].every


def offered_by(offers: Iterable[Offer], files: Files) -> dict[int, Offered]:
    """Return the packages that each of these files offers, by its definitions; a file without one is left out."""
    outer, every = defaultdict[int, set[str]](set), defaultdict[int, set[str]](set)
    for one in offers:
        every[one.file_id].add(one.name)
        language = LANGUAGES.get(files[one.file_id][1])
        if language is not None and language.offers is not None:
            outer[one.file_id].update(language.offers(one.name, one.signature, one.is_outer))
        elif one.is_outer:
            outer[one.file_id].add(one.name)
    return {one: Offered(frozenset(outer[one]), frozenset(every[one])) for one in every}


def declared(writer: IndexWriter, languages: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Each of these files, which have a language, with the packages or namespaces that it says it is in."""
    by_word = defaultdict[str, list[int]](list)
    for file_id, language in languages.items():
        if language in LANGUAGES and LANGUAGES[language].package_word:
            by_word[LANGUAGES[language].package_word].append(file_id)
    for word, ids in sorted(by_word.items()):
        for file_id, package in packages_of(writer.conn, writer.index_id, ids, word):
            yield file_id, package.replace("`", "")
