"""`get_repo_map`, `cocosearch-py map`: the most important files and definitions of a repository, in few tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import UNLISTED, About, Command, Flag, Operation
from cocosearch_py.tools.files import stored_paths, stored_prefixes
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.graph import MappedFile, MappedSymbol, RepositoryMap
    from cocosearch_py.storage.connection import Connection

DEFAULT_TOKENS, MIN_TOKENS, MAX_TOKENS = 2_000, 256, 20_000
PAGE_TOKENS = 8_000  # of the map as a page
MAX_FOCUS = 20
_MAX_FOCUS_CHARS = 1_000
_SIGNATURE_CHARS = 100
_FOUND_FILES = 5  # of a search for what is neither a path nor a name
_FILES_PER_TOKEN = 1 / 20  # a file has a line of its own and two definitions, at the least


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_repo_map."""

    focus: Annotated[
        list[str] | None,
        About("Paths, names or words that matter most"),
        Flag(metavar="[FOCUS...]", type=given.Texts, default=None, help="Paths, names or words that matter most."),
    ] = None
    max_tokens: Annotated[
        int,
        About("256-20000"),
        Flag(
            names=("--max-tokens",),
            metavar="N",
            minimum=MIN_TOKENS,
            maximum=MAX_TOKENS,
            help="Maximum tokens of the map (256–20000).",
        ),
    ] = DEFAULT_TOKENS
    path: Annotated[
        str | None,
        About("Only this folder"),
        Flag(names=("--path",), metavar="FOLDER", help="Only this folder."),
    ] = None
    include_tests: Annotated[
        bool, About("Include test files"), UNLISTED, Flag(names=("--tests",), help="Include test files.")
    ] = False
    index_name: given.IndexName = None
    member: given.Member = None


class Answer(TypedDict):
    """A map: paths, and below each its definitions by line; `files` of `total` are shown, the most important first."""

    root: str
    map: str
    files: Count
    symbols: Count
    total: Count
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """The map of an index, and what is to be known of it."""

    record: IndexRecord
    report: "RepositoryMap"
    warnings: tuple[str, ...]


def get_repo_map(call: Call, asked: Arguments) -> Mapped:
    """Show an overview of a repository in few tokens: its central files and the signatures that other files use."""
    from cocosearch_py.model.graph import MapRequest

    words = [text.strip() for text in asked.focus or () if text.strip()]
    if len(words) > MAX_FOCUS or not all(is_text(text) and len(text) <= _MAX_FOCUS_CHARS for text in words):
        raise ValidationError(
            f"focus has more than {MAX_FOCUS} entries, or an entry that is too long or not text",
            hint="pass fewer or shorter entries",
        )
    found = call.find()
    record = found.records[0]
    bounded = Bounded()
    tokens = bounded.value("max_tokens", asked.max_tokens, MIN_TOKENS, MAX_TOKENS)
    focus, doubts = _focus(call, found, words)
    request = MapRequest(
        focus=tuple(focus),
        prefix=stored_prefixes(call, record, asked.path, inside(found, asked.member))[0],
        with_tests=asked.include_tests,
        most_files=_most_files(tokens),
    )
    report = call.look(found.app, record, lambda: found.app.graphs.make_map(request, record))
    warnings = [*bounded.notes, *doubts, *remarks_on(call, found, [report.stale])]
    if report.unknown:
        warnings.append(f"neither a path nor a name in the index: {', '.join(map(_short, report.unknown))}")
    if not report.files:
        warnings.append("no definitions were found there")
    return Mapped(record, report, tuple(warnings))


def bundled(conn: "Connection", record: IndexRecord) -> str | None:
    """The map that a bundle has: the page made of its rows alone, with nothing of the disk or the machine in it."""
    from cocosearch_py.graph.maps import make_map
    from cocosearch_py.model.graph import MapRequest

    features = record.options.get("features")
    if isinstance(features, dict) and not features.get("graph", True):
        return None
    report = make_map(MapRequest(most_files=_most_files(PAGE_TOKENS)), record, conn)
    mapped = Mapped(replace(record, root_path=""), report, ())
    return as_page("Map of the repository", _answer(mapped, Arguments(max_tokens=PAGE_TOKENS)))


def as_page(title: str, answer: Json) -> str:
    """A map as Markdown."""
    count = f"{answer['files']:,} of {answer['total']:,} files, {answer['symbols']:,} definitions"
    warnings = "".join(f"> {text}\n\n" for text in answer.get("warnings", ()))
    return f"# {title}\n\n{count}, the most central first.\n\n{warnings}```\n{answer['map']}\n```\n"


def _most_files(tokens: int) -> int:
    return max(MAX_FOCUS, int(tokens * _FILES_PER_TOKEN))


def _focus(call: Call, found: Found, words: list[str]) -> tuple[list[str], list[str]]:
    """Paths and names as the map reads them; for what is neither, the files that a search finds, with its doubts."""
    from cocosearch_py.model.search import SearchRequest
    from cocosearch_py.search.unmatched import explain_words_only

    record = found.records[0]
    focus, doubts = [], []
    for text in words:
        if "/" in text and len(text.split()) == 1:
            focus.append(stored_paths(call, record, text)[0])
        elif len(text.split()) == 1:
            focus.append(text)
        else:
            _, report = call.search(found.app, SearchRequest(text, limit=_FOUND_FILES), record)
            focus += dict.fromkeys(hit.file_path for hit in report.hits)
            doubts.append(explain_words_only(report))
    return focus, list(dict.fromkeys(filter(None, doubts)))


def _answer(mapped: Mapped, asked: Arguments) -> Json:
    return cast("Json", fit(_by_weight(mapped.report.files), lambda kept: _built(mapped, kept), asked.max_tokens))


def _by_weight(files: "Sequence[MappedFile]") -> "list[tuple[MappedFile, MappedSymbol]]":
    """Definitions by how much there is to be learnt from each: by the rank of its file and its place among its uses."""
    weighed = []
    for file in files:
        weighed += [(file.rank / (1 + place) ** 0.5, file, one) for place, one in enumerate(file.symbols)]
    weighed.sort(key=lambda one: -one[0])
    return [(file, symbol) for _, file, symbol in weighed]


def _built(mapped: Mapped, kept: "Sequence[tuple[MappedFile, MappedSymbol]]") -> Json:
    shown: dict[str, list[MappedSymbol]] = {}
    for file, symbol in kept:
        shown.setdefault(file.path, []).append(symbol)
    lines = []
    for path, symbols in shown.items():
        lines.append(path)
        lines += [f"  {one.line}: {_short(one.signature)}" for one in sorted(symbols, key=lambda one: one.line)]
    answer: Json = {
        "root": mapped.record.root_path,
        "map": "\n".join(lines),
        "files": len(shown),
        "symbols": len(kept),
        "total": mapped.report.total,
        **quoted(kept),
    }
    return {**answer, "warnings": list(mapped.warnings)} if mapped.warnings else answer


def _short(signature: str) -> str:
    return signature if len(signature) <= _SIGNATURE_CHARS else signature[: _SIGNATURE_CHARS - 1] + "…"


OPERATION = Operation(
    name="get_repo_map",
    title="Map of the repository",
    arguments=Arguments,
    run=get_repo_map,
    shape=_answer,
    answer=Answer,
    toolset="graph",
    order=5,
    listed=False,
    about_indexes=True,
    needs="graph",
    command=Command(
        name="map",
        help="""Show the most important files of a repository and the definitions that other files use, in few tokens.

        Files rank by their importers (PageRank), starting from the focus if one is given.
        """,
    ),
)
