"""`wiki_generate`: begins the wiki of a repository, and says what there is to write about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import SafetyError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.entries import entry_points
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.wikis import IndexName, meant

if TYPE_CHECKING:
    from cocosearch_py.model.graph import MappedFile
    from cocosearch_py.model.wiki import Wiki

_MAP_TOKENS = 3_000
_MAP_FILES = 150
_HOTSPOTS = 10
_FOLDERS = 12  # that are suggested as modules
_TYPES = 5  # that are suggested as entities
_SOURCES = 5  # of a suggested page
_ENTRY_POINTS = 20
_HEADS = ("class ", "struct ", "interface ", "trait ", "protocol ", "enum ")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_generate."""

    force: Annotated[
        bool,
        About("Archive the existing wiki and start again"),
        Flag(names=("--force",), help="Archive the existing wiki and start again."),
    ] = False
    index_name: IndexName = None


class Suggestion(TypedDict):
    """A page that may be worth writing: its id, and what it would be about."""

    page: str
    title: str
    page_type: str
    source_files: list[str]
    why: str


class Answer(TypedDict):
    """What a repository consists of, and the pages that this suggests; `archived`: another wiki was there."""

    repository: str
    archived: bool
    repo_map: str
    packages: list[Any]  # of list_workspace_members
    hotspots: list[Any]  # of get_hotspots
    entry_points: list[str]
    suggested_pages: list[Suggestion]
    next: str
    note: NotRequired[str]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class Structure(NamedTuple):
    """What there is to write about; files of the map by falling rank."""

    map: str
    files: "tuple[MappedFile, ...]"
    packages: list[Json]
    hotspots: list[Json]
    entry_points: list[str]
    warnings: list[str]


class Generated(NamedTuple):
    """The new wiki."""

    record: IndexRecord
    wiki: "Wiki"
    archived: bool
    structure: Structure
    prefix: str  # of paths of the index, as sources of pages have them

    @property
    def warnings(self) -> list[str]:
        return self.structure.warnings


def wiki_generate(call: Call, asked: Arguments) -> Generated:
    """Start the project's wiki: returns the parts of the project and the pages to write with wiki_contribute."""
    record = call.find().records[0]
    app, place = meant(call, writes=True)
    wikis = app.wikis
    there = wikis.find(place)
    if there is not None and not asked.force:
        raise SafetyError(
            "this repository has a wiki", hint="continue with it, or pass force to archive it and start over"
        )
    structure = _structure(call, record)
    wiki = wikis.start(place, force=asked.force)
    below, top = Path(record.root_path).resolve(), place.root.resolve()
    inner = below.relative_to(top).as_posix() if below.is_relative_to(top) else "."
    prefix = "" if inner == "." else f"{inner}/"
    return Generated(record, wiki, there is not None, structure, prefix)


def _structure(call: Call, record: IndexRecord) -> Structure:
    app = call.app(Path(record.root_path))
    packages = answer_of(call, "list_workspace_members", {"index_name": record.name})["members"]
    text, warnings = "", list[str]()
    files: tuple[MappedFile, ...] = ()
    if record.has("graph"):
        from cocosearch_py.model.graph import MapRequest

        text = answer_of(call, "get_repo_map", {"max_tokens": _MAP_TOKENS, "index_name": record.name})["map"]
        request = MapRequest(most_files=_MAP_FILES)
        files = call.look(app, record, lambda: app.graphs.make_map(request, record)).files
    else:
        warnings.append(f"index '{record.name}' was built without a graph, so it has no map")
    hotspots: list[Json] = []
    if record.has("symbol"):
        wanted = {"limit": _HOTSPOTS, "index_name": record.name}
        hotspots = answer_of(call, "get_hotspots", wanted)["hotspots"]
    entries = sorted(entry_points(app, record, "", _ENTRY_POINTS))
    return Structure(text, files, packages, hotspots, entries, warnings)


def _suggestions(made: Generated) -> Iterator[Json]:
    """Pages in the order in which they are best written."""
    structure = made.structure
    central = [one.path for one in structure.files]
    yield _page(made, "architecture", "Architecture", "architecture", central, "how the parts work together")
    for folder, files in _modules(structure):
        title = f"Module {folder}"
        yield _page(made, f"mod-{folder}", title, "module", files, f"it has {len(files)} of the central files")
    for path, name in _types(structure.files):
        yield _page(made, f"entity-{name}", name, "entity", [f"{path}#{name}"], "many files refer to it")
    if structure.hotspots:
        files = list(dict.fromkeys(str(one["file"]) for one in structure.hotspots))
        yield _page(made, "complex-code", "Complex code", "topic", files, "functions that are hard to understand")


def _page(made: Generated, name: str, title: str, page_type: str, files: Sequence[str], why: str) -> Json:
    from cocosearch_py.wiki.naming import slug

    sources = [made.prefix + one for one in files[:_SOURCES]]
    return {"page": slug(name), "title": title, "page_type": page_type, "source_files": sources, "why": why}


def _modules(structure: Structure) -> list[tuple[str, list[str]]]:
    """Members of a workspace, or where there is one alone the folders that most central files are in."""
    folders: dict[str, list[str]] = {}
    members = [one["path"] for one in structure.packages if one["path"] != "."]
    for file in structure.files:
        owner = next((one for one in members if file.path.startswith(f"{one}/")), None)
        folder = owner or file.path.rpartition("/")[0]
        if folder:
            folders.setdefault(folder, []).append(file.path)
    return sorted(folders.items(), key=lambda one: -len(one[1]))[:_FOLDERS]


def _types(files: "Sequence[MappedFile]") -> list[tuple[str, str]]:
    """(path, name) of the types that most refer to."""
    found = [(one.weight, file.path, one.name) for file in files for one in file.symbols if _is_type(one.signature)]
    return [(path, name) for _, path, name in sorted(found, key=lambda one: (-one[0], one[1:]))[:_TYPES]]


def _is_type(signature: str) -> bool:
    return any(f" {head}" in f" {signature}" for head in _HEADS)


def _answer(made: Generated, _: Arguments) -> Json:
    pages = list(_suggestions(made))
    pages = list({one["page"]: one for one in reversed(pages)}.values())[::-1]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {
            "repository": made.wiki.repository,
            "archived": made.archived,
            "repo_map": made.structure.map,
            "packages": made.structure.packages,
            "hotspots": made.structure.hotspots,
            "entry_points": made.structure.entry_points,
            "suggested_pages": list(kept),
            "next": "read what a page is about, then write it with wiki_contribute; link pages as [[page]]",
            **quoted(made.structure.map),
        }
        warnings = list(made.structure.warnings)
        if len(kept) < len(pages):
            answer["truncated"] = True
            warnings.append(f"{len(kept)} of {len(pages)} suggested pages are shown")
        return {**answer, "warnings": warnings} if warnings else answer

    return cast("Json", fit(pages, build))


OPERATION = Operation(
    name="wiki_generate",
    title="Begin a wiki",
    arguments=Arguments,
    run=wiki_generate,
    shape=_answer,
    answer=Answer,
    toolset="wiki",
    order=1,
    listed=False,
    about_indexes=True,
    writes=True,
    command=Command(
        name="wiki generate",
        help="Start a wiki of the repository, and show which pages to write.",
    ),
)
