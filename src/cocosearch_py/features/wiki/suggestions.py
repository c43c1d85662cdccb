"""Pages that are worth writing about a repository, suggested when its wiki begins."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cocosearch_py.errors import SafetyError
from cocosearch_py.features.wiki.answers import NewWiki, Package, SuggestedPage
from cocosearch_py.features.wiki.arguments import WikiGenerateArguments
from cocosearch_py.features.wiki.naming import slug
from cocosearch_py.features.wiki.place import target_of
from cocosearch_py.model.graph import MappedFile, MapRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import QUOTED, Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.entries import entry_points
from cocosearch_py.tools.registry import answer_of

_MAP_TOKENS = 3_000
_MAP_FILES = 150  # Maximum files whose rank decides about suggestions.
_HOTSPOTS = 10
_FOLDERS = 12  # Maximum folders that are suggested as modules.
_TYPES = 5  # Maximum types that are suggested as entities.
_SOURCES = 5  # Maximum files of a suggested page.
_ENTRY_POINTS = 20
_TYPE_KEYWORDS = ("class ", "struct ", "interface ", "trait ", "protocol ", "enum ")


class Structure(NamedTuple):
    """Parts of a repository to write about; files by falling rank."""

    map: str
    files: tuple[MappedFile, ...]
    packages: tuple[Package, ...]
    hotspots: tuple[Json, ...]
    entry_points: tuple[str, ...]
    warnings: tuple[str, ...]


def wiki_generate(call: Call, asked: WikiGenerateArguments) -> NewWiki:
    """Start a wiki, and suggest its first pages.

    Raises:
        IndexNotFoundError, NotIndexedError: the project has no index.
        SafetyError: there is a wiki, and the call does not ask to archive it.
    """
    record = call.find().records[0]
    target = target_of(call, writes=True)
    wikis, place = target.wikis, target.place
    existing = wikis.find(place)
    if existing is not None and not asked.force:
        raise SafetyError(
            "this repository has a wiki", hint="continue with it, or pass force to archive it and start over"
        )
    structure = _structure(call, record)
    wiki = wikis.start(place, force=asked.force)
    pages: dict[str, SuggestedPage] = {}
    for page in _suggestions(structure, _prefix(Path(record.root_path), place.root)):
        pages.setdefault(page.page, page)
    return NewWiki(
        repository=wiki.repository,
        archived=existing is not None,
        repo_map=structure.map,
        packages=structure.packages,
        hotspots=structure.hotspots,
        entry_points=structure.entry_points,
        suggested_pages=tuple(pages.values()),
        next="read what a page is about, then write it with wiki_contribute; link pages as [[page]]",
        note=QUOTED if structure.map else "",
        warnings=structure.warnings,
    )


def _prefix(folder: Path, root: Path) -> str:
    """Return the prefix that turns paths of an index into paths of its repository."""
    below, top = folder.resolve(), root.resolve()
    inner = below.relative_to(top).as_posix() if below.is_relative_to(top) else "."
    return "" if inner == "." else f"{inner}/"


def _structure(call: Call, record: IndexRecord) -> Structure:
    app = call.app(Path(record.root_path))
    index = {"index_name": record.name}
    text, files, warnings = "", tuple[MappedFile, ...](), tuple[str, ...]()
    if record.has("graph"):
        text = answer_of(call, "get_repo_map", {"max_tokens": _MAP_TOKENS, **index})["map"]
        request = MapRequest(most_files=_MAP_FILES)
        files = call.look(app, record, lambda: app.graphs.make_map(request, record)).files
    else:
        warnings = (f"index '{record.name}' was built without a graph, so it has no map",)
    hotspots = []
    if record.has("symbol"):
        hotspots = answer_of(call, "get_hotspots", {"limit": _HOTSPOTS, **index})["hotspots"]
    return Structure(
        map=text,
        files=files,
        packages=tuple(Package(**member) for member in answer_of(call, "list_workspace_members", index)["members"]),
        hotspots=tuple(hotspots),
        entry_points=tuple(sorted(entry_points(app, record, "", _ENTRY_POINTS))),
        warnings=warnings,
    )


def _suggestions(structure: Structure, prefix: str) -> Iterator[SuggestedPage]:
    """Suggest pages in the order in which they are best written."""

    def page(name: str, title: str, page_type: str, files: Sequence[str], why: str) -> SuggestedPage:
        sources = tuple(prefix + path for path in files[:_SOURCES])
        return SuggestedPage(page=slug(name), title=title, page_type=page_type, source_files=sources, why=why)

    central = [file.path for file in structure.files]
    yield page("architecture", "Architecture", "architecture", central, "how the parts work together")
    for folder, files in _modules(structure):
        why = f"it has {len(files)} of the central files"
        yield page(f"mod-{folder}", f"Module {folder}", "module", files, why)
    for path, name in _types(structure.files):
        yield page(f"entity-{name}", name, "entity", [f"{path}#{name}"], "many files refer to it")
    if structure.hotspots:
        files = list(dict.fromkeys(str(hotspot["file"]) for hotspot in structure.hotspots))
        yield page("complex-code", "Complex code", "topic", files, "functions that are hard to understand")


def _modules(structure: Structure) -> list[tuple[str, list[str]]]:
    """Return members of a workspace, else folders, with their central files; those with most files first."""
    folders: dict[str, list[str]] = {}
    members = [package.path for package in structure.packages if package.path != "."]
    for file in structure.files:
        owner = next((member for member in members if file.path.startswith(f"{member}/")), None)
        folder = owner or file.path.rpartition("/")[0]
        if folder:
            folders.setdefault(folder, []).append(file.path)
    return sorted(folders.items(), key=lambda item: -len(item[1]))[:_FOLDERS]


def _types(files: Sequence[MappedFile]) -> list[tuple[str, str]]:
    """Return (path, name) of the types with most references."""
    types = [
        (symbol.weight, file.path, symbol.name)
        for file in files
        for symbol in file.symbols
        if any(f" {keyword}" in f" {symbol.signature}" for keyword in _TYPE_KEYWORDS)
    ]
    return [(path, name) for _, path, name in sorted(types, key=lambda item: (-item[0], item[1:]))[:_TYPES]]
