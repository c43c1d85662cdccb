"""Questions about uses: who calls, uses, throws or inherits from something, and what it calls itself."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from cocosearch_py.analysis.words import split_identifier
from cocosearch_py.features.ask.evidence import Evidence
from cocosearch_py.features.ask.investigation import Inquiry
from cocosearch_py.features.ask.linking import Linked, namesakes
from cocosearch_py.model.usages import Place, Usage, UsageKind, UsageReport

_RELEVANCE = {"resolved": 0.95, "scoped": 0.9, "name_only": 0.6}
_STEP = 0.001  # of relevance, from one to the next of the same kind
_UNSURE = 0.3  # less for uses of which nothing but the name is known
_FARTHER = 0.2  # less for each further call
_FEW_NAMESAKES = 2
_FEWEST_CHARS = 3
_VOWELS = frozenset("aeiou")
_MOST_FOLLOWED = 10  # definitions whose callers are looked up, at each further step
_MOST_TYPES = 10  # that are looked up for uses of which only the name is known
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "record", "object", "protocol"})
# Members of what standard libraries define, in the languages in which a name of several words is telling otherwise.
_STANDARD = frozenset(
    "toString toJSON toISOString valueOf hasOwnProperty isPrototypeOf forEach indexOf lastIndexOf findIndex flatMap "
    "charAt charCodeAt startsWith endsWith toLowerCase toUpperCase addEventListener removeEventListener dispatchEvent "
    "appendChild removeChild insertBefore querySelector querySelectorAll getElementById getAttribute setAttribute "
    "preventDefault stopPropagation hashCode compareTo getClass getName toArray ToString GetHashCode CompareTo "
    "is_alive is_dir is_file is_set read_text write_text read_bytes write_bytes as_posix create_task set_result "
    "set_exception add_argument parse_args to_string to_owned to_vec as_str as_ref as_mut into_iter".split()
)
_HEAD_LINES = 3  # that are shown of a definition which is called
# What raises an error, in the languages that there are; `return` counts where nothing else does.
_RAISES = (
    r"\b(?:raise|throw|throws|rethrow|throwIO|throwM|throwError|panic|bail|Err|reject|rejects|fail|failure|error)\b"
)
_BEFORE_NAME = r"[!(\s&*@]*(?:new\s+)?(?:[\w$]+(?:\.|::|\\|->))*\\?"


class Uses(NamedTuple):
    """Uses of a name, and how many of those that became evidence probably mean the definition."""

    report: UsageReport
    shown: int


def callers(inquiry: Inquiry, linked: Linked, kinds: Sequence[UsageKind] = ("call",)) -> Uses:
    """Add its callers, over several steps if the question asks for them; if few are sure, also the possible ones."""
    report = _usages(inquiry, linked.name, kinds)
    verb = "calls" if kinds == ("call",) else "uses"

    def via(one: Usage) -> str:
        return f"{_verb(verb, report, one)} {_called(linked, one)}"

    found, possible = _judged(inquiry, linked, report)
    shown = inquiry.add(_around(inquiry, found, via))
    if len(possible) > len(found):
        if not found:
            inquiry.add(_definitions(inquiry, [(None, report.definitions[0])], f"definition of {linked.label}"))
        inquiry.add(_around(inquiry, possible, via, _UNSURE))
    level = [one.around for one in found if one.around is not None and one.kind == "call"]
    hops = max(2, inquiry.bounds.max_hops) if inquiry.question.is_far else 1
    seen: set[Place] = set()
    for distance in range(2, hops + 1):
        level = _callers_of(inquiry, [one for one in dict.fromkeys(level) if one not in seen], distance)
        seen.update(level)
    return Uses(report, shown)


def _callers_of(inquiry: Inquiry, places: Sequence[Place], distance: int) -> list[Place]:
    """Add the callers of these definitions; gives those that are surely so."""
    further: list[Place] = []
    for place in places[:_MOST_FOLLOWED]:
        if not inquiry.room:
            break
        report = _usages(inquiry, f"{place.path}#{place.qualified_name}", ("call",))
        bound = [one for one in report.usages if one.confidence != "name_only"]
        told = f"calls {place.qualified_name}, {distance} calls away"
        inquiry.add(_around(inquiry, bound, lambda _, told=told: told, _FARTHER * (distance - 1)))  # type: ignore[misc]
        further += [one.around for one in bound if one.around is not None]
    return further


def callees(inquiry: Inquiry, linked: Linked) -> UsageReport:
    """Return what a definition calls: definitions of the index, then names defined elsewhere."""
    name = linked.first if linked.count == 1 else linked.name
    report = inquiry.look(
        "callgraph",
        f"calls in {linked.name}",
        lambda: inquiry.sources.usages(name, ("call",), callees=True),
        lambda report: len(report.usages),
    )
    inquiry.add(_called_by(inquiry, linked, report.usages))
    return report


def what_comes_next(inquiry: Inquiry, name: str, most: int) -> list[Evidence]:
    """Return the indexed definitions that a definition calls, by imports and scopes, in order."""
    report = inquiry.look(
        "callgraph",
        f"calls in {name}",
        lambda: inquiry.sources.usages(name, ("call",), callees=True),
        lambda report: len(report.usages),
    )
    bound = [one for one in report.usages if one.target is not None and one.confidence != "name_only"]
    found = _definitions(inquiry, [(one, one.target) for one in bound], f"is called by {name.rpartition('#')[2]}")
    return [one for one in found if not inquiry.shows(one)][:most]


def heirs(inquiry: Inquiry, linked: Linked) -> UsageReport:
    """Return the types that inherit from a type."""
    report = _usages(inquiry, linked.name, ("inherit",), "heirs of")
    found = [one for one in sure(inquiry, linked, report) if one.around is not None]
    inquiry.add(_definitions(inquiry, [(one, one.around) for one in found], f"inherits from {linked.label}"))
    return report


def bases(inquiry: Inquiry, linked: Linked) -> UsageReport:
    """Return the types that a type inherits from."""
    report = inquiry.look(
        "symbol",
        f"bases of {linked.name}",
        lambda: inquiry.sources.usages(linked.first, ("inherit",), callees=True),
        lambda report: len(report.usages),
    )
    inquiry.add(_definitions(inquiry, [(one, one.target) for one in report.usages], f"is a base of {linked.label}"))
    inquiry.add(
        Evidence(
            one.path, one.line, one.line, _RELEVANCE["scoped"], inquiry.step, f"names the base {one.name}", linked.label
        )
        for one in report.usages
        if one.target is None
    )
    return report


def thrown(inquiry: Inquiry, linked: Linked) -> UsageReport:
    """Where an error is raised: the lines of its uses that do so."""
    report = _usages(inquiry, linked.name, ("call", "read", "type"), "lines that raise")
    names = {one.name for one in report.usages} or {linked.name.rpartition(".")[2]}
    ends = "|".join(map(re.escape, sorted(names)))
    raising = re.compile(rf"{_RAISES}{_BEFORE_NAME}(?:{ends})\b")
    returning = re.compile(rf"\breturn\b.*(?<!\w)(?:{ends})\b")
    for pattern in (raising, returning):
        found = [one for one in report.usages if pattern.search(one.text)]
        if inquiry.add(_around(inquiry, found, lambda one: f"raises {one.name}")):
            break
    return report


def path(inquiry: Inquiry, linked: Linked, end: Linked) -> int:
    """The shortest ways of calls from one definition to another; gives how many there are."""
    depth = max(4, inquiry.bounds.max_hops)
    report = inquiry.look(
        "callgraph",
        f"{linked.name} to {end.name}",
        lambda: inquiry.sources.calls(linked.name, end.name, depth),
        lambda report: len(report.paths),
    )
    lines = {(edge.source, edge.target): edge.line for edge in report.edges}
    for ways in report.paths:
        for at, (source, target) in enumerate(pairwise(ways)):
            place, called = report.nodes[source].place, report.nodes[target].place
            line = lines.get((source, target), place.start_line)
            told = f"step {at + 1} of {len(ways) - 1}: calls {called.qualified_name}"
            inquiry.add([Evidence(place.path, line, line, 0.95 - at * 0.01, inquiry.step, told, place.qualified_name)])
        if ways:
            last = report.nodes[ways[-1]].place
            inquiry.add(_definitions(inquiry, [(None, last)], "is the end of the call path"))
    return len(report.paths)


def sure(inquiry: Inquiry, linked: Linked, report: UsageReport) -> list[Usage]:
    """The uses that most likely mean the definition: of those that only the name tells of, what else speaks for them.

    A name of several words that hardly anything else has is taken for the definition; a name of one word (`update`) or
    one that standard libraries have is often that of something else, and counts after a variable named like its type
    alone (`ctx` of a `Context`), unless its file imports a type of a library that is named like the variable, too. What
    the file says to be of another type, of the index or of a library, counts never.
    """
    return _judged(inquiry, linked, report)[0]


def _judged(inquiry: Inquiry, linked: Linked, report: UsageReport) -> tuple[list[Usage], list[Usage]]:
    """The uses that probably mean the definition, see `sure`, and the others that do not clearly mean another one."""
    if not report.definitions or "name_only" not in report.confidences:
        return list(report.usages), []
    alike = namesakes(inquiry, linked)
    own = {_owner(one.qualified_name) for one in report.definitions} - {""}
    others = {_owner(name) for _, name in alike} - own - {""}
    types_only = {one for one in others if one[:1].isupper()}  # an object may well be of the type that is meant
    bare = report.definitions[0].qualified_name.rpartition(".")[2]
    is_rare = len(alike) <= _FEW_NAMESAKES and len(split_identifier(bare)) > 1 and bare not in _STANDARD
    unsure = [one for one in report.usages if one.confidence == "name_only"]
    outside = inquiry.sources.names_from_outside({one.path for one in unsure})
    types = _types(inquiry, {_type(one) for one in unsure} - own - {""})
    kept, possible = [], []
    for one in report.usages:
        library = outside.get(one.path, ())
        is_own = any(_is_named_like(one.qualifier, owner) for owner in own)
        rivals = types_only if is_own else others
        is_rival = any(_is_named_like(one.qualifier, owner) for owner in rivals)
        is_another = one.qualifier.startswith("super") or _type(one) in types
        is_another = is_another or (_type(one) not in own and _type(one) in library)
        is_foreign = _is_of_library(one.qualifier, library)
        if one.confidence != "name_only" or (
            not is_another and not is_rival and (is_rare or (is_own and not is_foreign))
        ):
            kept.append(one)
        elif not is_another and (is_own or not is_rival):
            possible.append(one)
    return kept, possible


def _type(one: Usage) -> str:
    """The type that stands before a use, or that its file says of what stands there; "" for none."""
    name = (one.receiver or one.qualifier).rpartition(".")[2]
    return name if one.receiver or (name[:1].isupper() and not name.isupper()) else ""


def _types(inquiry: Inquiry, names: Collection[str]) -> set[str]:
    """Those of these names that the index defines as types, and as nothing else; of many the first are looked at."""
    found = set()
    for name in sorted(names)[:_MOST_TYPES]:
        definitions, _ = inquiry.sources.definitions(name, _MOST_TYPES)
        kinds = {one.kind for one in definitions if one.name == name}
        if kinds and kinds <= _TYPES:
            found.add(name)
    return found


def _owner(qualified_name: str) -> str:
    return qualified_name.rpartition(".")[0].rpartition(".")[2]


def _is_of_library(qualifier: str, names: Iterable[str]) -> bool:
    """Whether a variable ends like one of these types: `runner` of a `CliRunner`."""
    last = split_identifier(qualifier.rpartition(".")[2])[-1:]
    return any(name[:1].isupper() and split_identifier(name)[-1:] == last for name in names)


def _is_named_like(qualifier: str, owner: str) -> bool:
    last = qualifier.rpartition(".")[2]
    if last.startswith("__"):  # `__dict__` is the dict of any object
        return False
    words, wanted = split_identifier(last), split_identifier(owner)
    if set(words).intersection(wanted):
        return True
    if any(one.startswith(word) for one in wanted for word in words if len(word) >= _FEWEST_CHARS):
        return True
    return any(_is_short_for(short, owner.lower()) for short in _abbreviations(last, words))


def _abbreviations(name: str, words: Sequence[str]) -> Iterator[str]:
    """Return short names of a type: the whole name, or a word without vowels at its end (`internal_db`)."""
    if len(name.strip("_")) >= _FEWEST_CHARS:
        yield name.strip("_").lower()
    yield from (word for word in words[-1:] if len(word) > 1 and _VOWELS.isdisjoint(word))


def _is_short_for(short: str, name: str) -> bool:
    """Whether all letters of one stand in another, in order and from its first on: `ctx` of `context`."""
    letters = iter(name)
    return short[0] == name[0] and all(letter in letters for letter in short)


def _usages(inquiry: Inquiry, name: str, kinds: Sequence[UsageKind], what: str = "") -> UsageReport:
    told = what or ("calls of" if kinds == ("call",) else "uses of")
    return inquiry.look(
        "callgraph",
        f"{told} {name}",
        lambda: inquiry.sources.usages(name, kinds),
        lambda report: report.total,
    )


def _verb(verb: str, report: UsageReport, one: Usage) -> str:
    """Return the verb of a use, weakened if only names suggest it."""
    return f"may {verb[:-1]}" if one.confidence == "name_only" and report.definitions else verb


def _called(linked: Linked, one: Usage) -> str:
    return one.target.qualified_name if one.target is not None else linked.label


def _around(
    inquiry: Inquiry, usages: Sequence[Usage], told: Callable[[Usage], str], less: float = 0.0
) -> Iterator[Evidence]:
    """One piece of evidence for each definition that uses are in, the line of the first."""
    seen: set[tuple[str, int, str]] = set()
    places: set[tuple[str, int]] = set()
    for at, one in enumerate(usages):
        place = one.path, one.around.start_line if one.around else 0
        if (*place, told(one)) in seen or (one.confidence == "name_only" and place in places):
            continue
        seen.add((*place, told(one)))
        places.add(place)
        relevance = max(0.05, _RELEVANCE[one.confidence] - less - at * _STEP)
        name = one.around.qualified_name if one.around else ""
        yield Evidence(one.path, one.line, one.line, relevance, inquiry.step, told(one), name)


def _called_by(inquiry: Inquiry, linked: Linked, usages: Sequence[Usage]) -> Iterator[Evidence]:
    inside = [one for one in usages if one.target is not None]
    yield from _definitions(inquiry, [(one, one.target) for one in inside], f"is called by {linked.label}")
    names: set[str] = set()
    for one in usages:
        if one.target is None and one.name not in names:
            names.add(one.name)
            yield Evidence(
                one.path, one.line, one.line, 0.5, inquiry.step, f"{linked.label} calls {one.name}", linked.label
            )


def _definitions(inquiry: Inquiry, pairs: Sequence[tuple[Usage | None, Place | None]], via: str) -> Iterator[Evidence]:
    """The heads of definitions, each once."""
    seen: set[Place] = set()
    for at, (one, place) in enumerate(pairs):
        if place is not None and place not in seen:
            seen.add(place)
            relevance = max(0.05, (_RELEVANCE[one.confidence] if one else 0.9) - at * _STEP)
            last = min(place.end_line, place.start_line + _HEAD_LINES - 1)
            yield Evidence(place.path, place.start_line, last, relevance, inquiry.step, via, place.qualified_name)
