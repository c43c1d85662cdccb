"""`build_context`, `cocosearch-py context`: what one has to know of a code base for a task, within so many tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.counts import counted
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import QUOTED, Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.files import stored_prefixes
from cocosearch_py.tools.fitting import fit, room
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import commit_meant
from cocosearch_py.tools.sizes import QUERY
from cocosearch_py.tools.tokens import count_tokens
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.search import Confidence, SearchFilters
    from cocosearch_py.tools.bundles import Entry, Gathered, Passage

MAX_LIMIT = 50
MAX_NAMES = 20
DEFAULT_TOKENS = 6_000
_MAX_NAME_CHARS = 1_000
_FIRST_SHARE = 0.55  # of the tokens, for the first passages; the graph around them comes next, then further ones
_SUGGESTED_FILES = 3
_TOKENS_PER_CALL = 300  # of the answer, for each suggested call
_SPECIAL = re.compile(r"[\[\]{}*?!\\]")  # in globs
SECTIONS = ("files", "snippets", "symbols", "callers", "tests", "imports")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of build_context."""

    task: Annotated[
        str | None,
        About("Task in words"),
        QUERY,
        Flag(
            metavar="[TASK...]",
            type=given.Texts,
            default=None,
            read=given.joined,
            piped=True,
            help="Task in words. @FILE reads a file, - reads standard input.",
        ),
    ] = None
    paths: Annotated[
        list[str] | None,
        About("Files that the task is about"),
        Flag(names=("--file",), metavar="FILE", help="File that the task is about; can be repeated."),
    ] = None
    symbols: Annotated[
        list[str] | None,
        About("Names that the task is about"),
        Flag(names=("--symbol",), metavar="NAME", help="Definition that the task is about; can be repeated."),
    ] = None
    diff: Annotated[
        str | None,
        About("Changes since this branch, tag or commit"),
        Flag(names=("--diff",), metavar="REF", help="Changes since this branch, tag or commit."),
    ] = None
    stack_trace: Annotated[
        str | None,
        About("Error text with its frames"),
        QUERY,
        Flag(names=("--stack-trace",), metavar="TEXT", help='Error text with its frames, such as "$(cat error.txt)".'),
    ] = None
    path_prefix: Annotated[
        str | None,
        About("Search only this folder"),
        Flag(names=("--in",), metavar="FOLDER", help="Search only this folder."),
    ] = None
    path_glob: given.PathGlob = None
    language: given.Languages = None
    limit: Annotated[
        int,
        About("Passages, 1-50"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of passages (1–50).",
        ),
    ] = 10
    max_tokens: given.ListedMaxTokens = DEFAULT_TOKENS
    index_name: given.IndexName = None
    member: given.Member = None


class Snippet(TypedDict):
    """Lines of a file: of what was named, has changed, or was found by the search."""

    file_path: str
    start_line: Count
    end_line: Count
    because: Literal["named", "changed", "found"]
    kind: NotRequired[str]
    name: NotRequired[str]
    text: str


class Near(TypedDict):
    """A definition in a file that was named, or that a passage calls."""

    file_path: str
    line: Count
    kind: str
    name: str
    signature: str


class Using(TypedDict):
    """A line that uses a definition, in the function with this signature; or a test that imports these files."""

    file_path: str
    line: NotRequired[Count]
    uses: NotRequired[str]
    text: NotRequired[str]
    signature: NotRequired[str]
    imports: NotRequired[list[str]]
    imported_by: NotRequired[list[str]]


class Joined(TypedDict):
    """A file that imports files of the task, or is imported by them."""

    file_path: str
    imports: NotRequired[list[str]]
    imported_by: NotRequired[list[str]]


class Suggested(TypedDict):
    """A call of a tool that goes on from here."""

    tool: str
    arguments: Any
    why: str


class Answer(TypedDict):
    """A bundle, the most telling first in each list; paths are relative to `root`."""

    root: str
    confidence: Literal["high", "medium", "low"]
    reason: str
    note: str
    files: list[str]
    snippets: list[Snippet]
    symbols: list[Near]
    callers: list[Using]
    tests: list[Using]
    imports: list[Joined]
    suggested_next: list[Suggested]
    not_found: NotRequired[list[str]]
    hint: NotRequired[str]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What was found for a task."""

    gathered: "Gathered"
    near: "tuple[Entry, ...]"
    confidence: "Confidence"
    warnings: tuple[str, ...]


def build_context(call: Call, asked: Arguments) -> Bundle:
    """Gather the context for a task in one call: passages, callees, callers, tests, imports, within max_tokens.

    Give the task in words, or by names, paths, a diff or a stack trace, or several of these.
    """
    from cocosearch_py.tools.bundles import Gathered, related

    _check(asked)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    bounded.value("max_tokens", asked.max_tokens, given.LEAST_TOKENS, given.MOST_TOKENS)
    found = call.find()
    gathered = Gathered(call, found, inside(found, asked.member))
    notes = _take_named(gathered, asked, limit)
    confidence, doubts = _take_found(gathered, asked, limit)
    near = tuple(related(gathered))
    stale = gathered.stale
    return Bundle(gathered, near, confidence, (*bounded.notes, *notes, *doubts, *remarks_on(call, found, stale)))


def _check(asked: Arguments) -> None:
    words = [asked.task, asked.diff, asked.stack_trace, *(asked.paths or ()), *(asked.symbols or ())]
    if not any(text and text.strip() for text in words):
        raise ValidationError(
            "no task is given", hint="describe the task, or give files, symbols, a diff or a stack trace"
        )
    for name, texts in (("paths", asked.paths or ()), ("symbols", asked.symbols or ())):
        if len(texts) > MAX_NAMES or not all(is_text(text) and len(text) <= _MAX_NAME_CHARS for text in texts):
            raise ValidationError(
                f"{name} has more than {MAX_NAMES} entries, or an entry that is too long or not text",
                hint="pass fewer or shorter entries",
            )


def _take_named(gathered: "Gathered", asked: Arguments, limit: int) -> list[str]:
    """What is named, and what has changed; what is to be known of that."""
    from cocosearch_py.model.code import CodeTarget

    if names := list(dict.fromkeys(name.strip() for name in asked.symbols or () if name.strip())):
        gathered.read([CodeTarget(name, symbol=name) for name in names], "named")
    notes = _take_changes(gathered, asked.diff, limit) if asked.diff else []
    for path in dict.fromkeys(path for path in asked.paths or () if path.strip()):
        gathered.outline(path)
    return notes


def _take_changes(gathered: "Gathered", ref: str, limit: int) -> list[str]:
    from cocosearch_py.comparison.changes import find_changes
    from cocosearch_py.comparison.report import ChangeRequest
    from cocosearch_py.model.code import CodeTarget

    app, record = gathered.found.app, gathered.found.records[0]
    since = commit_meant(Path(record.root_path), ref)
    most = app.settings.indexing.max_file_size_kb * 1024
    wanted = ChangeRequest(since=since, to=record.commit, paths=(gathered.member.folder,), max_file_bytes=most)
    report = find_changes(wanted, Path(record.root_path))
    here = [file for file in report.files if file.status != "removed"]
    changed = [(file.path, one.name) for file in here for one in file.changes if one.status != "removed"]
    if changed:
        gathered.read([CodeTarget(f"{path}#{name}", path, name) for path, name in changed[:limit]], "changed")
    for file in here:
        if all(one.status == "removed" for one in file.changes) and file.path not in gathered.files:
            gathered.files.append(file.path)
    left = len(changed) - limit
    return [f"{counted(left, 'more definition')} changed since {ref}: get_diff_summary lists them"] if left > 0 else []


def _take_found(gathered: "Gathered", asked: Arguments, limit: int) -> "tuple[Confidence, list[str]]":
    """What a search finds; without words to search for, how sure the rest is."""
    from cocosearch_py.model.search import Confidence, SearchRequest
    from cocosearch_py.search.unmatched import explain_doubts
    from cocosearch_py.search.verify import explain_stale

    query = "\n".join(text.strip() for text in (asked.task, asked.stack_trace) if text and text.strip())
    if query:
        request = SearchRequest(query, limit=limit, filters=_filters(gathered, asked), smart_context=False)
        confidence, report = gathered.search(request)
        stale = explain_stale(report)
        return confidence, [*explain_doubts(report), *([stale] if stale else [])]
    if not gathered.files:
        return Confidence("low", "the given names are not in the index, or are ambiguous"), []
    if gathered.missing:
        return Confidence("medium", "some of the given names are not in the index, or are ambiguous"), []
    return Confidence("high", "all given names are in the index"), []


def _filters(gathered: "Gathered", asked: Arguments) -> "SearchFilters":
    """Of the search; a glob is taken within the folder that is given beside it."""
    from cocosearch_py.search.request import build_filters

    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else list(asked.path_glob or [])
    record = gathered.found.records[0]
    if asked.path_prefix and (prefix := stored_prefixes(gathered.call, record, asked.path_prefix, gathered.member)[0]):
        folder = _SPECIAL.sub("?", prefix)
        inside = [f"{folder}/{glob}" if "/" in glob else f"{folder}/**/{glob}" for glob in globs]
        globs = inside or [folder, f"{folder}/**"]
    return gathered.member.filters(build_filters(language=asked.language, path_globs=globs))


def _answer(bundle: Bundle, asked: Arguments) -> Json:
    entries = _ordered(bundle, room(asked.max_tokens))
    calls = _suggested(bundle, asked)[: room(asked.max_tokens) // _TOKENS_PER_CALL]
    return cast("Json", fit(entries, lambda kept: _built(bundle, calls, kept, len(entries)), asked.max_tokens))


def _ordered(bundle: Bundle, tokens: int) -> "list[Entry]":
    """All of the bundle, first what is most telling: of an answer that is too long, the end is left out."""
    from cocosearch_py.tools.jsontext import to_json

    snippets: list[Entry] = [("snippets", _snippet(one)) for one in bundle.gathered.passages]
    spent, first = 0, 0
    for _, item in snippets:
        spent += count_tokens(to_json(item))
        if first and spent > tokens * _FIRST_SHARE:
            break
        first += 1
    files: list[Entry] = [("files", {"file_path": path}) for path in bundle.gathered.files]
    return [*snippets[:first], *files, *bundle.near, *snippets[first:]]


def _snippet(passage: "Passage") -> Json:
    place = passage.place
    named = {"kind": place.kind, "name": place.qualified_name} if place.qualified_name else {}
    return {
        "file_path": place.path,
        "start_line": place.start_line,
        "end_line": place.end_line,
        "because": passage.because,
        **named,
        "text": passage.text,
    }


def _built(bundle: Bundle, calls: list[Json], kept: "Sequence[Entry]", wanted: int) -> Json:
    lists: dict[str, list[Any]] = {name: [] for name in SECTIONS}
    for name, item in kept:
        lists[name].append(item["file_path"] if name == "files" else item)
    gathered = bundle.gathered
    answer: Json = {
        "root": gathered.found.records[0].root_path,
        "confidence": bundle.confidence.level,
        "reason": bundle.confidence.reason,
        "note": QUOTED,
        **lists,
        "suggested_next": calls,
    }
    if gathered.missing:
        answer["not_found"] = gathered.missing
    warnings = list(bundle.warnings)
    if len(kept) < wanted:
        answer["truncated"] = True
        warnings.append(f"{len(kept)} of {wanted} entries fit: raise max_tokens, or follow suggested_next")
    return {**answer, "warnings": warnings} if warnings else answer


def _suggested(bundle: Bundle, asked: Arguments) -> list[Json]:
    """Calls that go on from here; where it is not sure that this is the right place, those that look elsewhere."""
    gathered = bundle.gathered
    calls: list[tuple[str, Json, str]] = []
    if bundle.confidence.level == "low":
        calls.append(("get_repo_map", {"max_tokens": 1_000}, "the names in this repository, to ask with"))
        words = re.findall(r"\w{4,60}", asked.task or " ".join(asked.symbols or ()))
        if words:
            calls.append(("search_text", {"query": max(words, key=len)}, "every occurrence of this word"))
    if gathered.seeds:
        first = gathered.seeds[0]
        symbol = f"{first.path}#{first.qualified_name}"
        calls.append(("find_references", {"symbol": symbol}, "all uses, and whether the list is complete"))
    called = [f"{item['file_path']}#{item['name']}" for name, item in bundle.near if name == "symbols"]
    if called and not gathered.outlines:
        calls.append(("read_code", {"targets": called[:_SUGGESTED_FILES]}, "definitions that the passages call"))
    if gathered.files:
        calls.append(("get_impact", {"files": gathered.files[:_SUGGESTED_FILES]}, "files that a change may break"))
    index = {"index_name": asked.index_name} if asked.index_name else {}
    return [{"tool": tool, "arguments": {**arguments, **index}, "why": why} for tool, arguments, why in calls]


OPERATION = Operation(
    name="build_context",
    title="Context for a task",
    arguments=Arguments,
    run=build_context,
    shape=_answer,
    answer=Answer,
    toolset="search",
    order=5,
    listed=False,
    about_indexes=True,
    command=Command(
        name="context",
        help="""Gather the context for a task: passages, callees, callers, tests and imports, within a token limit.

        Give the task in words, or by names, files, a diff or a stack trace, or several of these.
        """,
        hidden_names=("brief",),
    ),
    aliases=(
        Alias(name="brief", program="Lexa", parameters={"query": "task", "path": "path_prefix"}),
        Alias(name="get_context_brief", program="Lexa", parameters={"query": "task", "path": "path_prefix"}),
    ),
)
