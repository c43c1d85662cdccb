"""The order of an answer: what is asked, what that names, the steps that follow, how sure the result is."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from cocosearch_py.features.ask import confidence, files, uses
from cocosearch_py.features.ask.evidence import Answered, Bounds, Evidence, Sources
from cocosearch_py.features.ask.investigation import Inquiry
from cocosearch_py.features.ask.linking import Linked, link
from cocosearch_py.features.ask.questions import names_written, read_question
from cocosearch_py.features.ask.tools import Sureness
from cocosearch_py.model.definitions import Definition
from cocosearch_py.model.search import SearchReport
from cocosearch_py.model.usages import UsageKind

_DEFINITION_LINES = 40
_WITHOUT_GRAPH = frozenset({"how", "configured", "defined"})
_FILE_INTENTS = frozenset({"importers", "imports", "dependents"})
_SEARCHED = frozenset({"how", "configured"})
_ALSO_PROSE = frozenset({"defined", "tests", "uses"})  # a word after these need be no name
_ALL_USES: Sequence[UsageKind] = ("call", "type", "inherit", "read")
_SETTINGS = 4  # files of settings that a question about them is shown at most
_MOST_NEAREST = 5
_MOST_NEXT = 3
_FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_LAST_PART = re.compile(r"\.|::|/|#")


def needs_graph(text: str) -> bool:
    """Report whether a question is answered by references and imports, and not by definitions and search alone."""
    return read_question(text).intent not in _WITHOUT_GRAPH


def answer(text: str, sources: Sources, bounds: Bounds) -> Answered:
    """Evidence for a question, and how it was found. The same index and question give the same answer."""
    question = read_question(text)
    inquiry = Inquiry(question, sources, bounds)
    linked = None
    if question.intent not in _SEARCHED:
        intent = question.intent
        linked = link(inquiry, question.subject, files_first=intent in _FILE_INTENTS, or_word=intent not in _ALSO_PROSE)
    sure = None if linked is None else _follow(inquiry, linked)
    if sure is None:
        sure = _search(inquiry)
    _suggest(inquiry, linked, sure)
    return Answered(
        question.intent,
        tuple(inquiry.evidence),
        tuple(inquiry.steps),
        sure,
        tuple(inquiry.next_calls),
        tuple(inquiry.notes),
    )


def _follow(inquiry: Inquiry, linked: Linked) -> Sureness | None:
    """Take the steps of an intent; None if there are none for what is named, which is then searched for."""
    if linked.definitions:
        return _OF_DEFINITIONS[inquiry.question.intent](inquiry, linked)
    if linked.files:
        return _of_files(inquiry, linked)
    return _of_nothing(inquiry, linked)


def _callers(inquiry: Inquiry, linked: Linked) -> Sureness:
    return _with_definition(inquiry, linked, confidence.of_uses(linked, *uses.callers(inquiry, linked)))


def _uses(inquiry: Inquiry, linked: Linked) -> Sureness:
    return _with_definition(inquiry, linked, confidence.of_uses(linked, *uses.callers(inquiry, linked, _ALL_USES)))


def _callees(inquiry: Inquiry, linked: Linked) -> Sureness:
    uses.callees(inquiry, linked)
    if not inquiry.evidence:
        return _with_definition(inquiry, linked, confidence.made(0.8, f"{linked.name} calls nothing"))
    return confidence.made(0.9, f"calls made in {linked.name}")


def _path(inquiry: Inquiry, linked: Linked) -> Sureness | None:
    end = link(inquiry, inquiry.question.other)
    if end is None or not end.definitions:
        return None if end is None else _absent(inquiry, end)
    count = uses.path(inquiry, linked, end)
    if not count:
        _define(inquiry, linked, 1)
        _define(inquiry, end, 1)
        return confidence.made(0.5, f"no call path leads from {linked.name} to {end.name}")
    return confidence.made(0.9, f"{count} call path{'s' if count > 1 else ''}")


def _thrown(inquiry: Inquiry, linked: Linked) -> Sureness:
    uses.thrown(inquiry, linked)
    if inquiry.evidence:
        return confidence.made(0.93, f"lines that raise {linked.name}")
    return _with_definition(inquiry, linked, confidence.made(0.5, f"no line raises {linked.name} by name"))


def _defined(inquiry: Inquiry, linked: Linked) -> Sureness | None:
    """The definitions; of words that are no name beyond doubt, also what a search finds."""
    _define(inquiry, linked, inquiry.bounds.limit)
    if linked.is_written:
        return confidence.made(0.95, f"it defines {linked.name}")
    found = _search(inquiry)
    return found if found.value > 0.8 else confidence.made(0.8, f"it defines {linked.definitions[0].name}")


def _importers(inquiry: Inquiry, linked: Linked) -> Sureness:
    return _with_definition(inquiry, linked, confidence.of_links(files.importers(inquiry, linked), "its importers"))


def _imports(inquiry: Inquiry, linked: Linked) -> Sureness:
    paths = list(dict.fromkeys(one.path for one in linked.definitions))[:1]
    count = files.neighbours(inquiry, paths, "dependencies", 1)
    return confidence.made(0.8, f"{count} files imported by the file that defines {linked.name}")


def _dependents(inquiry: Inquiry, linked: Linked) -> Sureness:
    """Uses of the definition, and then files that depend on these, or on its own where nothing uses it by name."""
    sure = confidence.of_uses(linked, *uses.callers(inquiry, linked, _ALL_USES))
    if inquiry.bounds.max_hops > 1 and inquiry.room:
        using = list(dict.fromkeys(one.path for one in inquiry.evidence)) or [linked.definitions[0].path]
        files.neighbours(inquiry, using, "dependents", inquiry.bounds.max_hops - 1)
    return sure


def _heirs(inquiry: Inquiry, linked: Linked) -> Sureness:
    report = uses.heirs(inquiry, linked)
    return _with_definition(inquiry, linked, confidence.of_uses(linked, report, len(inquiry.evidence)))


def _bases(inquiry: Inquiry, linked: Linked) -> Sureness:
    uses.bases(inquiry, linked)
    told = "named in its definition" if inquiry.evidence else f"{linked.name} inherits from nothing"
    return _with_definition(inquiry, linked, confidence.made(0.9, told))


def _tests(inquiry: Inquiry, linked: Linked) -> Sureness:
    return _with_definition(inquiry, linked, confidence.of_links(files.tests(inquiry, linked), "its tests"))


_OF_DEFINITIONS: Mapping[str, Callable[[Inquiry, Linked], Sureness | None]] = {
    "callers": _callers,
    "callees": _callees,
    "path": _path,
    "uses": _uses,
    "thrown": _thrown,
    "defined": _defined,
    "importers": _importers,
    "imports": _imports,
    "dependents": _dependents,
    "heirs": _heirs,
    "bases": _bases,
    "tests": _tests,
}


def _of_files(inquiry: Inquiry, linked: Linked) -> Sureness | None:
    intent, depth = inquiry.question.intent, inquiry.bounds.max_hops
    if intent in ("importers", "uses", "callers"):
        return confidence.of_links(files.neighbours(inquiry, linked.files, "dependents", 1), "its importers")
    if intent == "dependents":
        return confidence.of_links(
            files.neighbours(inquiry, linked.files, "dependents", depth), "files that depend on it"
        )
    if intent in ("imports", "callees"):
        return confidence.of_links(files.neighbours(inquiry, linked.files, "dependencies", 1), "its imports")
    if intent == "tests":
        return confidence.of_links(files.tests(inquiry, linked), "its tests")
    if intent == "defined":
        inquiry.add(Evidence(path, 1, 20, 0.9, inquiry.step, "file of this name") for path in linked.files)
        return confidence.made(0.9, "a file of this name exists")
    return None


def _of_nothing(inquiry: Inquiry, linked: Linked) -> Sureness | None:
    """Of a name that the index does not define: what uses or imports it, for it may come from elsewhere."""
    intent = inquiry.question.intent
    if intent == "importers" and (count := files.importers(inquiry, linked)):
        return confidence.of_links(count, "its importers")
    report = None
    if intent in ("callers", "uses", "dependents"):
        report, _ = uses.callers(inquiry, linked, ("call",) if intent == "callers" else _ALL_USES)
    elif intent == "thrown":
        report = uses.thrown(inquiry, linked)
    elif intent == "heirs":
        report = uses.heirs(inquiry, linked)
    if report is not None and inquiry.evidence:
        return confidence.of_uses(linked, report, len(inquiry.evidence))
    return _absent(inquiry, linked)


def _absent(inquiry: Inquiry, linked: Linked) -> Sureness:
    """Of a name that nothing defines or uses: where its text stands, if it does."""
    name, bare = linked.name, _LAST_PART.split(linked.name)[-1]
    report = inquiry.look("text", bare, lambda: inquiry.sources.search(bare, 3), lambda found: len(found.hits))
    if report.unknown_name is None and report.confidence.level != "low":
        inquiry.add(_hits(inquiry, report))
        return confidence.made(0.3, f"no definition is called '{name}': these lines are the closest matches")
    nearest = inquiry.look("symbol", f"names like {name}", lambda: inquiry.sources.nearest(name), len)
    if nearest:
        inquiry.notes.append(f"similar names: {', '.join(nearest[:_MOST_NEAREST])}")
    return confidence.absent(name)


def _with_definition(inquiry: Inquiry, linked: Linked, sure: Sureness) -> Sureness:
    """Where nothing else was found, show what the question is about."""
    if not inquiry.evidence:
        _define(inquiry, linked, 1)
    return sure


def _define(inquiry: Inquiry, linked: Linked, most: int) -> None:
    inquiry.add(_definition(inquiry, one, at) for at, one in enumerate(linked.definitions[:most]))


def _definition(inquiry: Inquiry, one: Definition, at: int) -> Evidence:
    last = min(one.end_line, one.start_line + _DEFINITION_LINES - 1)
    relevance = max(0.05, one.score - 0.02 * at)
    return Evidence(
        one.path,
        one.start_line,
        last,
        relevance,
        inquiry.step,
        f"definition of {one.qualified_name}",
        one.qualified_name,
    )


def _search(inquiry: Inquiry) -> Sureness:
    """Passages for the words of the question: of tests or of settings, where it is about those."""
    question, limit = inquiry.question, inquiry.bounds.limit
    if question.intent == "tests":
        _add_search(inquiry, ("tests",), limit)
    report = _add_search(inquiry, (), limit)
    if confidence.is_about_something_else(report):  # the steps stay, their results do not
        inquiry.evidence.clear()
        return confidence.of_search(report)
    if question.intent == "configured":
        _add_settings(inquiry)
    sure = confidence.of_search(report)
    absent = [name for name in names_written(question.text) if _is_unknown(name, report)]
    if question.intent == "how" and sure.level == "high" and inquiry.bounds.max_hops > 1:
        _go_on(inquiry, report)
    if absent and sure.level != "high":
        return confidence.made(min(sure.value, 0.1), f"nothing in this index is called '{absent[0]}'")
    return sure


def _go_on(inquiry: Inquiry, report: SearchReport) -> None:
    """Where the first passage answers, show what its function calls instead of the last ones."""
    first = report.hits[0]
    if first.symbol_name and first.symbol_type in _FUNCTIONS:
        found = uses.what_comes_next(inquiry, f"{first.file_path}#{first.symbol_name}", _MOST_NEXT)
        del inquiry.evidence[max(1, inquiry.bounds.limit - len(found)) :]
        inquiry.add(found)


def _is_unknown(name: str, report: SearchReport) -> bool:
    return name.lower() in {word.lower() for word in report.confidence.unknown}


def _add_search(inquiry: Inquiry, content: Sequence[str], limit: int) -> SearchReport:
    text = _words(inquiry)
    report = inquiry.look(
        "text", text, lambda: inquiry.sources.search(text, limit, content), lambda found: len(found.hits)
    )
    inquiry.add(_hits(inquiry, report))
    return report


def _words(inquiry: Inquiry) -> str:
    """Return the words to search for: the question without its politeness."""
    question = inquiry.question
    return question.subject if question.intent == "how" else question.text


def _add_settings(inquiry: Inquiry) -> None:
    """Put the best files of settings before the last passages, if they hold the words of the question."""
    text = _words(inquiry)
    report = inquiry.look(
        "text",
        f"settings: {text}",
        lambda: inquiry.sources.search(text, _SETTINGS, ("config",)),
        lambda one: len(one.hits),
    )
    found = [
        one
        for one in _hits(inquiry, report, "settings")
        if one.lines not in {other.lines for other in inquiry.evidence}
    ]
    if report.confidence.level != "low":
        kept = inquiry.evidence[: max(0, inquiry.bounds.limit - len(found))]
        inquiry.evidence[:] = kept
        inquiry.add(found)


def _hits(inquiry: Inquiry, report: SearchReport, via: str = "search") -> Iterator[Evidence]:
    for hit in report.hits:
        name = hit.symbol_name or hit.hierarchy
        yield Evidence(hit.file_path, hit.start_line, hit.end_line, round(hit.score, 3), inquiry.step, via, name)


def _suggest(inquiry: Inquiry, linked: Linked | None, sure: Sureness) -> None:
    """Calls that go on from here."""
    question = inquiry.question
    if linked is not None and linked.definitions:
        inquiry.suggest("read_code", {"path": linked.first}, "the whole definition")
        if question.intent == "callers":
            inquiry.suggest(
                "get_call_graph", {"symbol": linked.first, "direction": "callers", "depth": 3}, "further callers"
            )
        elif question.intent != "callees":
            inquiry.suggest("find_references", {"symbol": linked.first}, "all uses, and whether the list is complete")
    elif linked is not None and not linked.files:
        inquiry.suggest("find_symbol", {"name": linked.name, "match": "fuzzy"}, "similar names")
        inquiry.suggest("search_text", {"query": linked.name.rpartition(".")[2]}, "every line that contains the text")
    elif inquiry.evidence:
        first = inquiry.evidence[0]
        inquiry.suggest("read_code", {"path": f"{first.path}:{first.start_line}-{first.end_line}"}, "the first lines")
        if first.name and "." not in first.name.strip("."):
            inquiry.suggest("explain_symbol", {"name": first.name}, "its signature, documentation and members")
    if sure.level == "low":
        inquiry.suggest("get_repo_map", {"max_tokens": 1_000}, "the names in this repository, to ask with")
