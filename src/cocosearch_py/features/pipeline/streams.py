"""Streams of the steps: each is made of the stream before it, or of the index, only as far as items are taken.

Each function checks its step and returns a function that makes the stream. A wrong step is therefore refused before
any step runs. The services of the single tools answer the requests.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from types import MappingProxyType

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.pipeline.chain import Step
from cocosearch_py.features.pipeline.items import (
    Item,
    of_definition,
    of_entry,
    of_file,
    of_hit,
    of_match,
    of_part,
    of_usage,
)
from cocosearch_py.features.pipeline.reader import Reader
from cocosearch_py.features.pipeline.verbs import DEFAULT_LIMIT, sort_keys
from cocosearch_py.model.code import CodeRequest, CodeTarget, NotFound
from cocosearch_py.model.graph import Direction, WalkReport, WalkRequest
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.search import MAX_LIMIT, SearchFilters, SearchRequest
from cocosearch_py.model.texts import TextRequest
from cocosearch_py.navigation.outline import select_entries
from cocosearch_py.search.patterns import text_pattern
from cocosearch_py.search.request import build_filters
from cocosearch_py.search.unmatched import explain_doubts, explain_words_only
from cocosearch_py.search.verify import explain_stale
from cocosearch_py.tools.files import given_paths
from cocosearch_py.tools.symbols import definition_requests
from cocosearch_py.tools.usages import usage_request

Stream = Iterator[Item]
Make = Callable[[Stream], Stream]
READ_AT_ONCE = 20
MAX_EDGES = 1_000
_DEFAULT_LEVELS = 2  # Levels of an outline, as in outline_file.
_MAX_PATH_CHARS = 1_000  # Maximum characters compared with paths, as in list_files.
_MIN_TIMEOUT_MS = 100  # Minimum time for a search for text.


def _find(step: Step, reader: Reader) -> Make:
    filters = build_filters(language=step.options.get("language"), path_globs=[step.subject])
    request = ListRequest(path=reader.index.member.folder, filters=filters)
    navigation = reader.index.app.navigation

    def make(_: Stream) -> Stream:
        page = request
        for size in reader.pages(step.wanted):
            page = replace(page, limit=size)
            report = reader.ask(partial(navigation.list_files, page))
            yield from map(of_file, report.files)
            if report.next is None:
                return
            page = replace(page, after=report.next)

    return make


def _fuzzy(step: Step, reader: Reader) -> Make:
    if len(step.subject) > _MAX_PATH_CHARS:
        raise ValidationError(f"fuzzy: the text is longer than {_MAX_PATH_CHARS:,} characters", hint="make it shorter")
    request = ListRequest(path=reader.index.member.folder, filters=_filters(step))
    navigation = reader.index.app.navigation

    def make(_: Stream) -> Stream:
        report = reader.ask(partial(navigation.find_paths, step.subject, request))
        return (Item(path, {"path": path, "score": score}) for path, score in report.paths)

    return make


def _search(step: Step, reader: Reader) -> Make:
    request = SearchRequest(
        step.subject,
        limit=min(step.wanted or MAX_LIMIT, MAX_LIMIT),
        filters=reader.index.member.filters(_filters(step)),
        smart_context=False,
    )
    index, use_cache = reader.index, reader.index.app.settings.search.cache

    def make(_: Stream) -> Stream:
        report = index.call.search(index.app, request, index.record, use_cache=use_cache)[1]
        reader.doubt(explain_stale(report))
        reader.doubt(explain_words_only(report))
        reader.notes += explain_doubts(report)
        yield from map(of_hit, report.hits)

    return make


def _text(step: Step, reader: Reader) -> Make:
    options = step.options
    pattern = text_pattern(
        step.subject,
        regex="regex" in options,
        word="word" in options,
        case_sensitive=True if "case-sensitive" in options else None,
    )
    request = TextRequest(pattern=pattern, filters=reader.index.member.filters(_filters(step)))
    searches = reader.index.app.searches

    def make(_: Stream) -> Stream:
        page = request
        for size in reader.pages(step.wanted):
            page = replace(page, limit=size, timeout_ms=max(_MIN_TIMEOUT_MS, int(reader.left_s * 1000)))
            report = reader.ask(partial(searches.search_text, page))
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
    requests = [replace(request, filters=reader.index.member.filters(request.filters)) for request in requests]
    navigation = reader.index.app.navigation

    def make(_: Stream) -> Stream:
        for request in requests:  # The first way to match that finds a definition counts.
            begin = 0
            for size in reader.pages(step.wanted):
                page = replace(request, limit=size, offset=begin)
                report = reader.ask(partial(navigation.find_definitions, page))
                yield from map(of_definition, report.definitions)
                begin += size
                if begin >= report.total:
                    break
            if report.total:
                return

    return make


def _callers(step: Step, reader: Reader) -> Make:
    options = step.options
    request_for = partial(
        usage_request,
        kinds=options.get("kind", "call"),
        language=options.get("language"),
        path_glob=options.get("path-glob"),
    )
    request_for(step.subject or "a")  # Wrong options are refused before any step runs.
    graphs = reader.index.app.graphs

    def uses(symbol: str) -> Stream:
        request, begin = request_for(symbol), 0
        request = replace(request, filters=reader.index.member.filters(request.filters))
        for size in reader.pages(step.wanted):
            page = replace(request, limit=size, offset=begin)
            report = reader.ask(partial(graphs.find_references, page))
            yield from map(of_usage, report.usages)
            begin += size
            if begin >= report.total:
                return

    def make(stream: Stream) -> Stream:
        if step.subject:
            return uses(step.subject)
        names = _once(stream, lambda item: item.target)
        return (use for item in names for use in uses(item.target))

    return make


def _filter(step: Step, reader: Reader) -> Make:
    wanted = _filters(step)
    ignore_case = step.subject == step.subject.lower()  # A capital letter makes case count, as in `text`.
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

    def make(stream: Stream) -> Stream:
        return (item for item in stream if not reader.is_over() and is_wanted(item))

    def make_within_globs(stream: Stream) -> Stream:
        left = make(stream)
        while batch := list(islice(left, READ_AT_ONCE)):
            passing = reader.paths_passing({item.path for item in batch}, wanted)
            yield from (item for item in batch if item.path in passing)

    return make_within_globs if wanted.path_globs else make


def _outline(step: Step, reader: Reader) -> Make:
    kinds = set(build_filters(symbol_type=step.options.get("kind")).symbol_types)
    depth = step.number("depth", _DEFAULT_LEVELS)
    navigation = reader.index.app.navigation
    subject = reader.index.member.path(given_paths(step.subject, None, 1)[0]) if step.subject else ""

    def entries(path: str, folder: str | None = None) -> Stream:
        report = reader.ask(partial(navigation.outline_file, path, folder))
        if (outline := report.outline) is None:
            _miss(step, reader, report.missing or NotFound(path, "is no longer on disk"))
            return
        outer = [entry for entry in outline.entries if not entry.function_depth]
        for entry in select_entries(outer, kinds, depth):
            if not kinds or entry.kind in kinds:
                yield of_entry(outline.path, entry, outline.language_id)

    def make(stream: Stream) -> Stream:
        if subject:
            return entries(subject, reader.folder)
        return (entry for item in _files(stream, reader) for entry in entries(item.path))

    return make


def _deps(step: Step, reader: Reader) -> Make:
    return _walk(step, reader, "dependencies")


def _impact(step: Step, reader: Reader) -> Make:
    return _walk(step, reader, "dependents")


def _walk(step: Step, reader: Reader, direction: Direction) -> Make:
    base = WalkRequest(files=(), direction=direction, depth=step.number("depth", 1), limit=MAX_EDGES)
    graphs = reader.index.app.graphs
    given = reader.index.files(given_paths(step.subject, None, 1)[0]) if step.subject else ()

    def reached(files: tuple[str, ...]) -> Stream:
        report: WalkReport = reader.ask(partial(graphs.walk, replace(base, files=files)))
        if not report.files:
            _miss(step, reader, NotFound(files[0], "is not in the index"))
        if len(report.edges) < report.total:
            reader.notes.append(f"{files[0]}: {len(report.edges)} of {report.total} imports were followed")
        for edge in report.edges:
            path = edge.target if direction == "dependencies" else edge.source
            yield Item(path, {"path": path, "distance": edge.distance, "from": report.files[0]})

    def make(stream: Stream) -> Stream:
        every = reached(given) if given else (it for item in _files(stream, reader) for it in reached((item.path,)))
        return _once(every, lambda item: item.path)

    return make


def _read(step: Step, reader: Reader) -> Make:
    app = reader.index.app
    base = CodeRequest(
        targets=(),
        folder=reader.folder,
        inside=reader.index.member.folder,
        expand=step.number("context", 0),
        max_file_bytes=app.settings.indexing.max_file_size_kb * 1024,
    )
    at_once = min(step.wanted or READ_AT_ONCE, READ_AT_ONCE)

    def parts(targets: list[CodeTarget]) -> Stream:
        report = reader.ask(partial(app.navigation.read_code, replace(base, targets=tuple(targets))))
        for missing in report.missing:
            _miss(step, reader, missing)
        not_there = {missing.text for missing in report.missing}
        left = iter([target for target in targets if target.text not in not_there])
        for part in report.parts:
            target = next((target for target in left if target.path == part.path), None)
            if part.rest is not None and target is not None and len(targets) > 1:
                yield from parts([target])  # Targets that are read together share a limit on lines.
            else:
                yield of_part(part)

    def make(stream: Stream) -> Stream:
        if step.subject:
            yield from parts([CodeTarget(step.subject, step.subject)])
            return
        left = stream
        while not reader.is_over() and (batch := list(islice(left, at_once))):
            yield from parts([_target(item) for item in batch])

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


def _filters(step: Step) -> SearchFilters:
    options = step.options
    globs = [options["path-glob"]] if "path-glob" in options else []
    return build_filters(language=options.get("language"), symbol_type=options.get("kind"), path_globs=globs)


def _files(stream: Stream, reader: Reader) -> Stream:
    """Yield the first item of each file until the time is up."""
    return (item for item in _once(stream, lambda item: item.path) if not reader.is_over())


def _once(stream: Stream, key: Callable[[Item], str]) -> Stream:
    seen: set[str] = set()
    for item in stream:
        if key(item) not in seen:
            seen.add(key(item))
            yield item


def _miss(step: Step, reader: Reader, missing: NotFound) -> None:
    """Raise an error if the subject of a step is missing; report a missing item of the stream in the answer."""
    if step.subject:
        reason = f"{step.name}: {missing.text[:200]} {missing.why}"
        if missing.is_refused:
            raise SafetyError(reason, hint="only indexed files can be queried")
        near = ", ".join(missing.near)
        raise NotFoundError(reason, hint=f"did you mean {near}?" if near else "`find` and `fuzzy` list files")
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
