"""Gathers the context of a task: snippets, then callees, callers, tests and imports around them."""

import re
from collections.abc import Sequence
from typing import Any

from cocosearch_py.comparison.changes import find_changes
from cocosearch_py.comparison.report import ChangeRequest
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.context.gathering import Entry, Gathering, related
from cocosearch_py.features.context.tools import (
    MAX_LIMIT,
    BuildContextArguments,
    Context,
    NearDefinition,
    SuggestedCall,
)
from cocosearch_py.model.code import CodeTarget
from cocosearch_py.model.counts import counted
from cocosearch_py.model.paths import is_text
from cocosearch_py.model.search import Confidence, SearchFilters, SearchRequest
from cocosearch_py.search.request import build_filters
from cocosearch_py.search.unmatched import explain_doubts
from cocosearch_py.search.verify import explain_stale
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Shrinkable, plain
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.fitting import room
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.revisions import commit_meant
from cocosearch_py.tools.tokens import count_tokens
from cocosearch_py.tools.warnings import remarks_on

_SECTIONS = ("files", "snippets", "symbols", "callers", "tests", "imports")
_MAX_NAMES = 20
_MAX_NAME_CHARS = 1_000
_FIRST_SHARE = 0.55  # Share of the tokens for the first snippets; the graph around them comes before further snippets.
_SUGGESTED_FILES = 3
_TOKENS_PER_CALL = 300  # Tokens of an answer for each suggested call.
_SPECIAL = re.compile(r"[\[\]{}*?!\\]")  # in globs


def build_context(call: Call, asked: BuildContextArguments) -> Shrinkable[Entry, Context]:
    """Gather the context for a task.

    Raises:
        ValidationError: no task is given, or a name is not usable.
    """
    _check(asked)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    bounded.value("max_tokens", asked.max_tokens, given.LEAST_TOKENS, given.MOST_TOKENS)
    tokens = room(asked.max_tokens)
    gathering = Gathering(Index.of(call, asked.member))
    notes = [*bounded.notes, *_add_named(gathering, asked, limit)]
    confidence, doubts = _add_results(gathering, asked, limit)
    near = related(gathering)
    warnings = (*notes, *doubts, *remarks_on(call, gathering.index.found, gathering.stale))
    entries = _ordered(gathering, near, tokens)
    calls = tuple(_suggested(gathering, near, confidence, asked)[: tokens // _TOKENS_PER_CALL])

    def build(shown: Sequence[Entry]) -> Context:
        lists: dict[str, Any] = {name: tuple(item for section, item in shown if section == name) for name in _SECTIONS}
        left_out = len(shown) < len(entries)
        advice = f"{len(shown)} of {len(entries)} entries fit: raise max_tokens, or follow suggested_next"
        return Context(
            root=gathering.index.root,
            confidence=confidence.level,
            reason=confidence.reason,
            note=QUOTED,
            **lists,
            suggested_next=calls,
            not_found=tuple(gathering.missing),
            truncated=left_out,
            warnings=(*warnings, advice) if left_out else warnings,
        )

    return Shrinkable(entries, build)


def _check(asked: BuildContextArguments) -> None:
    texts = [asked.task, asked.diff, asked.stack_trace, *(asked.paths or ()), *(asked.symbols or ())]
    if not any(text and text.strip() for text in texts):
        raise ValidationError(
            "no task is given", hint="describe the task, or give files, symbols, a diff or a stack trace"
        )
    for name, entries in (("paths", asked.paths or ()), ("symbols", asked.symbols or ())):
        if len(entries) > _MAX_NAMES or not all(is_text(text) and len(text) <= _MAX_NAME_CHARS for text in entries):
            raise ValidationError(
                f"{name} has more than {_MAX_NAMES} entries, or an entry that is too long or not text",
                hint="pass fewer or shorter entries",
            )


def _add_named(gathering: Gathering, asked: BuildContextArguments, limit: int) -> list[str]:
    """Add named definitions, changes and files; return remarks on them."""
    if names := list(dict.fromkeys(name.strip() for name in asked.symbols or () if name.strip())):
        gathering.read([CodeTarget(name, symbol=name) for name in names], "named")
    notes = _add_changes(gathering, asked.diff, limit) if asked.diff else []
    for path in dict.fromkeys(path for path in asked.paths or () if path.strip()):
        gathering.outline(path)
    return notes


def _add_changes(gathering: Gathering, ref: str, limit: int) -> list[str]:
    index = gathering.index
    wanted = ChangeRequest(
        since=commit_meant(index.folder, ref),
        to=index.record.commit,
        paths=(index.member.folder,),
        max_file_bytes=index.app.settings.indexing.max_file_size_kb * 1024,
    )
    files = [file for file in find_changes(wanted, index.folder).files if file.status != "removed"]
    changed = [(file.path, change.name) for file in files for change in file.changes if change.status != "removed"]
    if changed:
        gathering.read([CodeTarget(f"{path}#{name}", path, name) for path, name in changed[:limit]], "changed")
    for file in files:
        if all(change.status == "removed" for change in file.changes):
            gathering.add_file(file.path)
    left = len(changed) - limit
    return [f"{counted(left, 'more definition')} changed since {ref}: get_diff_summary lists them"] if left > 0 else []


def _add_results(gathering: Gathering, asked: BuildContextArguments, limit: int) -> tuple[Confidence, list[str]]:
    """Add search results; return the confidence in all results, and doubts about them."""
    query = "\n".join(text.strip() for text in (asked.task, asked.stack_trace) if text and text.strip())
    if query:
        filters = _filters(gathering.index, asked)
        report = gathering.search(SearchRequest(query, limit=limit, filters=filters, smart_context=False))
        return report.confidence, [*explain_doubts(report), *filter(None, [explain_stale(report)])]
    if not gathering.files:
        return Confidence("low", "the given names are not in the index, or are ambiguous"), []
    if gathering.missing:
        return Confidence("medium", "some of the given names are not in the index, or are ambiguous"), []
    return Confidence("high", "all given names are in the index"), []


def _filters(index: Index, asked: BuildContextArguments) -> SearchFilters:
    """Return the filters of the search; a glob holds within the folder beside it."""
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else list(asked.path_glob or [])
    if asked.path_prefix and (prefix := index.paths(asked.path_prefix)[0]):
        folder = _SPECIAL.sub("?", prefix)
        inside = [f"{folder}/{glob}" if "/" in glob else f"{folder}/**/{glob}" for glob in globs]
        globs = inside or [folder, f"{folder}/**"]
    return index.member.filters(build_filters(language=asked.language, path_globs=globs))


def _ordered(gathering: Gathering, near: Sequence[Entry], tokens: int) -> list[Entry]:
    """Return all entries, most relevant first: an answer that is too long leaves out the last."""
    snippets: list[Entry] = [("snippets", snippet) for snippet in gathering.snippets]
    spent, first = 0, 0
    for _, snippet in snippets:
        spent += count_tokens(to_json(plain(snippet)))
        if first and spent > tokens * _FIRST_SHARE:
            break
        first += 1
    files: list[Entry] = [("files", path) for path in gathering.files]
    return [*snippets[:first], *files, *near, *snippets[first:]]


def _suggested(
    gathering: Gathering, near: Sequence[Entry], confidence: Confidence, asked: BuildContextArguments
) -> list[SuggestedCall]:
    """Suggest calls that continue from here, or look elsewhere if the confidence is low."""
    calls: list[tuple[str, dict[str, Any], str]] = []
    if confidence.level == "low":
        calls.append(("get_repo_map", {"max_tokens": 1_000}, "the names in this repository, to ask with"))
        words = re.findall(r"\w{4,60}", asked.task or " ".join(asked.symbols or ()))
        if words:
            calls.append(("search_text", {"query": max(words, key=len)}, "every occurrence of this word"))
    if gathering.seeds:
        first = gathering.seeds[0]
        symbol = f"{first.path}#{first.qualified_name}"
        calls.append(("find_references", {"symbol": symbol}, "all uses, and whether the list is complete"))
    called = [f"{item.file_path}#{item.name}" for _, item in near if isinstance(item, NearDefinition)]
    if called and not gathering.outlined:
        calls.append(("read_code", {"targets": called[:_SUGGESTED_FILES]}, "definitions that the passages call"))
    if gathering.files:
        calls.append(("get_impact", {"files": gathering.files[:_SUGGESTED_FILES]}, "files that a change may break"))
    index = {"index_name": asked.index_name} if asked.index_name else {}
    return [SuggestedCall(tool=tool, arguments={**arguments, **index}, why=why) for tool, arguments, why in calls]
