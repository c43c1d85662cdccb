"""The work of each step: a stream made of the one before it, or of the index, no further than it is asked for.

Each function checks what its step was told and returns how its stream is made, so that whatever is wrong is refused
before anything runs. Requests are made by the single tools, whose services answer them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from cocosearch_py.errors import NotFoundError, SafetyError
from cocosearch_py.features.references.service import usage_request
from cocosearch_py.features.references.tools import FindReferencesArguments
from cocosearch_py.model.code import CodeRequest, CodeTarget, NotFound
from cocosearch_py.model.graph import Direction, WalkReport, WalkRequest
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.search import MAX_LIMIT, SearchRequest
from cocosearch_py.navigation.outline import select_entries
from cocosearch_py.operations import search_text
from cocosearch_py.operations.pipelines.chain import Step
from cocosearch_py.operations.pipelines.items import (
    Item,
    of_definition,
    of_entry,
    of_file,
    of_hit,
    of_match,
    of_part,
    of_usage,
)
from cocosearch_py.operations.pipelines.reader import Reader
from cocosearch_py.operations.pipelines.verbs import DEFAULT_LIMIT, sort_keys
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.files import given_paths, stored_paths
from cocosearch_py.tools.symbols import definition_requests

Stream = Iterator[Item]
Make = Callable[[Stream], Stream]
READ_AT_ONCE = 20
MAX_EDGES = 1_000
_DEFAULT_LEVELS = 2  # of an outline, as the tool's


def _find(step: Step, reader: Reader) -> Make:
    globs = [step.subject] if step.subject else []
    filters = build_filters(language=step.options.get("language"), path_globs=globs)
    request = ListRequest(path=reader.member.folder, filters=filters)
    navigation = reader.found.app.navigation

    def make(_: Stream) -> Stream:
        page = request
        for size in reader.pages(step.wanted):
            page = replace(page, limit=size)
            report = reader.look(lambda page=page: navigation.list_files(page, reader.record))  # type: ignore[misc]
            yield from map(of_file, report.files)
            if report.next is None:
                return
            page = replace(page, after=report.next)

    return make


def _fuzzy(step: Step, reader: Reader) -> Make:
    options = step.options
    globs = [options["path-glob"]] if "path-glob" in options else []
    filters = build_filters(language=options.get("language"), path_globs=globs)
    request = ListRequest(path=reader.member.folder, filters=filters)
    navigation = reader.found.app.navigation

    def make(_: Stream) -> Stream:
        report = reader.look(lambda: navigation.find_paths(step.subject, request, reader.record))
        return (Item(path, {"path": path, "score": score}) for path, score in report.paths)

    return make


def _search(step: Step, reader: Reader) -> Make:
    from cocosearch_py.search.unmatched import explain_doubts, explain_words_only
    from cocosearch_py.search.verify import explain_stale

    options = step.options
    globs = [options["path-glob"]] if "path-glob" in options else []
    filters = build_filters(language=options.get("language"), symbol_type=options.get("kind"), path_globs=globs)
    request = SearchRequest(
        step.subject,
        limit=min(step.wanted or MAX_LIMIT, MAX_LIMIT),
        filters=reader.filters(filters),
        smart_context=False,
    )
    app = reader.found.app

    def make(_: Stream) -> Stream:
        report = reader.call.search(app, request, reader.record, use_cache=app.settings.search.cache)[1]
        reader.doubt(explain_stale(report))
        reader.doubt(explain_words_only(report))
        reader.notes += explain_doubts(report)
        yield from map(of_hit, report.hits)

    return make


def _text(step: Step, reader: Reader) -> Make:
    options = step.options
    asked = search_text.Arguments(
        query=step.subject,
        regex="regex" in options,
        word="word" in options,
        case_sensitive=True if "case-sensitive" in options else None,
        language=options.get("language"),
        path_glob=options.get("path-glob"),
    )
    request, _ = search_text.request_of(asked)
    request = replace(request, filters=reader.filters(request.filters))
    searches = reader.found.app.searches

    def make(_: Stream) -> Stream:
        page = request
        for size in reader.pages(step.wanted):
            left_ms = max(search_text.MIN_TIMEOUT_MS, int(reader.left_s * 1000))
            page = replace(page, limit=size, timeout_ms=min(search_text.MAX_TIMEOUT_MS, left_ms))
            report = reader.look(lambda page=page: searches.search_text(page, reader.record))  # type: ignore[misc]
            yield from map(of_match, report.matches)
            if report.incomplete:
                reader.stop(report.incomplete)
            if report.next is None:
                return
            page = replace(page, after=report.next)

    return make


def _symbols(step: Step, reader: Reader) -> Make:
    options = step.options
    requests = definition_requests(
        step.subject,
        match=options.get("match", "auto"),  # type: ignore[arg-type]  # checked with the chain
        kind=options.get("kind"),
        language=options.get("language"),
        path_glob=options.get("path-glob"),
    )
    requests = [replace(request, filters=reader.filters(request.filters)) for request in requests]
    navigation = reader.found.app.navigation

    def make(_: Stream) -> Stream:
        for request in requests:  # the first way of matching that finds something counts
            begin = 0
            for size in reader.pages(step.wanted):
                page = replace(request, limit=size, offset=begin)
                report = reader.look(lambda page=page: navigation.find_definitions(page, reader.record))  # type: ignore[misc]
                yield from map(of_definition, report.definitions)
                begin += size
                if begin >= report.total:
                    break
            if report.total:
                return

    return make


def _callers(step: Step, reader: Reader) -> Make:
    options = step.options

    def uses(symbol: str) -> Stream:
        asked = FindReferencesArguments(
            symbol=symbol,
            kinds=options.get("kind", "call"),
            language=options.get("language"),
            path_glob=options.get("path-glob"),
        )
        request, _ = usage_request(asked)
        request = replace(request, filters=reader.filters(request.filters))
        graphs, begin = reader.found.app.graphs, 0
        for size in reader.pages(step.wanted):
            page = replace(request, limit=size, offset=begin)
            report = reader.look(lambda page=page: graphs.find_references(page, reader.record))  # type: ignore[misc]
            yield from map(of_usage, report.usages)
            begin += size
            if begin >= report.total:
                return

    usage_request(FindReferencesArguments(symbol=step.subject or "a", kinds=options.get("kind")))
    build_filters(language=options.get("language"))

    def make(stream: Stream) -> Stream:
        if step.subject:
            return uses(step.subject)
        names = _once(stream, lambda item: item.target)
        return (use for item in names for use in uses(item.target))

    return make


def _filter(step: Step, reader: Reader) -> Make:
    options = step.options
    globs = [options["path-glob"]] if "path-glob" in options else []
    wanted = build_filters(language=options.get("language"), symbol_type=options.get("kind"), path_globs=globs)
    ignore_case = step.subject == step.subject.lower()  # a capital makes case count, as where text is searched
    known: dict[str, bool] = {}

    def is_of_language(item: Item) -> bool:
        if item.language is not None:
            return item.language in wanted.languages
        if item.path not in known:
            known[item.path] = reader.is_of(item.path, wanted.languages)
        return known[item.path]

    def is_wanted(item: Item) -> bool:
        if step.subject and not item.holds(step.subject, ignore_case=ignore_case):
            return False
        if wanted.symbol_types and item.kind not in wanted.symbol_types:
            return False
        return not wanted.languages or is_of_language(item)

    def kept(stream: Stream) -> Stream:
        return (item for item in stream if not reader.is_over() and is_wanted(item))

    def kept_inside(stream: Stream) -> Stream:
        left = kept(stream)
        while some := list(islice(left, READ_AT_ONCE)):
            passing = reader.paths_passing({item.path for item in some}, wanted)
            yield from (item for item in some if item.path in passing)

    return kept_inside if globs else kept


def _outline(step: Step, reader: Reader) -> Make:
    kinds = set(build_filters(symbol_type=step.options.get("kind")).symbol_types)
    depth = step.number("depth", _DEFAULT_LEVELS)
    navigation = reader.found.app.navigation
    subject = reader.member.path(given_paths(step.subject, None, 1)[0]) if step.subject else ""

    def entries(path: str, folder: str | None = None) -> Stream:
        report = reader.look(lambda: navigation.outline_file(path, folder, reader.record))
        if (outline := report.outline) is None:
            _miss(step, reader, report.missing or NotFound(path, "is no longer on disk"))
            return
        here = [one for one in outline.entries if not one.function_depth]
        for one in select_entries(here, kinds, depth):
            if not kinds or one.kind in kinds:
                yield of_entry(outline.path, one, outline.language_id)

    def make(stream: Stream) -> Stream:
        if subject:
            return entries(subject, reader.folder)
        return (one for item in _files(stream, reader) for one in entries(item.path))

    return make


def _deps(step: Step, reader: Reader) -> Make:
    return _walk(step, reader, "dependencies")


def _impact(step: Step, reader: Reader) -> Make:
    return _walk(step, reader, "dependents")


def _walk(step: Step, reader: Reader, direction: Direction) -> Make:
    base = WalkRequest(files=(), direction=direction, depth=step.number("depth", 1), limit=MAX_EDGES)
    graphs = reader.found.app.graphs
    given: list[str] = []
    if step.subject:
        given = stored_paths(reader.call, reader.record, given_paths(step.subject, None, 1)[0], reader.member)

    def reached(files: list[str]) -> Stream:
        request = replace(base, files=tuple(files))
        report: WalkReport = reader.look(lambda: graphs.walk(request, reader.record))
        if not report.files:
            _miss(step, reader, NotFound(files[0], "is not in the index"))
        if len(report.edges) < report.total:
            reader.notes.append(f"{files[0]}: {len(report.edges)} of {report.total} imports were followed")
        for edge in report.edges:
            path = edge.target if direction == "dependencies" else edge.source
            yield Item(path, {"path": path, "distance": edge.distance, "from": report.files[0]})

    def make(stream: Stream) -> Stream:
        every = reached(given) if given else (it for item in _files(stream, reader) for it in reached([item.path]))
        return _once(every, lambda item: item.path)

    return make


def _read(step: Step, reader: Reader) -> Make:
    app = reader.found.app
    base = CodeRequest(
        targets=(),
        folder=reader.folder,
        inside=reader.member.folder,
        expand=step.number("context", 0),
        max_file_bytes=app.settings.indexing.max_file_size_kb * 1024,
    )
    at_once = min(step.wanted or READ_AT_ONCE, READ_AT_ONCE)

    def parts(targets: list[CodeTarget]) -> Stream:
        request = replace(base, targets=tuple(targets))
        report = reader.look(lambda: app.navigation.read_code(request, reader.record))
        for missing in report.missing:
            _miss(step, reader, missing)
        not_there = {one.text for one in report.missing}
        left = iter([target for target in targets if target.text not in not_there])
        for part in report.parts:
            target = next((one for one in left if one.path == part.path), None)
            if part.rest is not None and target is not None and len(targets) > 1:
                yield from parts([target])  # what is read at once shares a bound on its lines
            else:
                yield of_part(part)

    def make(stream: Stream) -> Stream:
        if step.subject:
            yield from parts([CodeTarget(step.subject, step.subject)])
            return
        left = stream
        while not reader.is_over() and (some := list(islice(left, at_once))):
            yield from parts([_target(item) for item in some])

    return make


def _target(item: Item) -> CodeTarget:
    if item.lines is None:
        return CodeTarget(item.path, item.path)
    first, last = item.lines
    return CodeTarget(f"{item.path}:{first}-{last}", item.path, None, first, last)


def _sort(step: Step, reader: Reader) -> Make:
    key = step.subject or sort_keys(step.gives)[0]
    reverse = "reverse" in step.options
    return lambda stream: iter(sorted(stream, key=lambda item: item.rank(key), reverse=reverse))


def _limit(step: Step, _: Reader) -> Make:
    most = int(step.subject or DEFAULT_LIMIT)
    return lambda stream: islice(stream, most)


def _count(_step: Step, _reader: Reader) -> Make:
    def make(stream: Stream) -> Stream:
        yield Item("", {"count": sum(1 for _ in stream)})

    return make


def _files(stream: Stream, reader: Reader) -> Stream:
    """The items, each file once, until the time is up."""
    return (item for item in _once(stream, lambda item: item.path) if not reader.is_over())


def _once(stream: Stream, key: Callable[[Item], str]) -> Stream:
    seen: set[str] = set()
    for item in stream:
        if key(item) not in seen:
            seen.add(key(item))
            yield item


def _miss(step: Step, reader: Reader, missing: NotFound) -> None:
    """What a step cannot ask about: an error if it was told so, else something to know."""
    if step.subject:
        told = f"{step.name}: {missing.text[:200]} {missing.why}"
        if missing.is_refused:
            raise SafetyError(told, hint="only indexed files can be queried")
        near = ", ".join(missing.near)
        raise NotFoundError(
            told,
            hint=f"did you mean {near}?" if near else "`find` and `fuzzy` list files",
        )
    reader.left_out.append(missing.text)


WORK: Mapping[str, Callable[[Step, Reader], Make]] = MappingProxyType(
    {
        "find": _find,
        "fuzzy": _fuzzy,
        "search": _search,
        "text": _text,
        "symbols": _symbols,
        "callers": _callers,
        "filter": _filter,
        "outline": _outline,
        "deps": _deps,
        "impact": _impact,
        "read": _read,
        "sort": _sort,
        "limit": _limit,
        "count": _count,
    }
)
