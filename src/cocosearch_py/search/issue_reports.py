"""A bug report as a query: words and names, each with the weight of the best line that it stands in. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from cocosearch_py.analysis.words import STOP_WORDS, TOKEN, split_identifier, terms_of
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.search import Distilled, FileLocation, QueryAnalysis
from cocosearch_py.search.locations import find_locations
from cocosearch_py.search.query import analyze_text
from cocosearch_py.search.report_lines import is_report, read_report, without_versions

_MOST_NAMES = 20
_MOST_TOKEN_CHARS = 64
_REPEATED = 0.25  # what a word gains when its mentions double
_PART_OF_NAME = 0.6
_FORM_IN_TITLE = 0.3  # "wrong result when": what reports are written with, in a title

# What a word counts by the kind of line; with a ! if it has the form of a name. A broad optimum: half or double of any
# single one is within the noise.
KIND_WEIGHTS: Mapping[str, float] = {
    "title": 1.0,
    "title!": 1.0,
    "heading": 0.4,
    "heading!": 0.5,
    "prose": 0.4,
    "prose!": 0.6,
    "ticked": 0.5,
    "ticked!": 0.6,
    "quoted": 0.4,
    "quoted!": 0.5,
    "error": 0.4,
    "error!": 0.5,
    "frame": 0.5,
    "frame!": 0.5,
    "code": 0.1,
    "code!": 0.2,
    "steps": 0.2,
    "steps!": 0.3,
    "log": 0.03,
    "log!": 0.1,
}
_MARKED = frozenset({"ticked", "frame"})  # what is named there is a name in whatever form
# Words that reports are written with, whatever they are about.
_REPORT_WORDS = frozenset(
    "actual actually add additional already another anyone anything appear attempt behavior behaviour below "
    "best better bit bug case change code comment correct correctly current currently describe description "
    "difference different due either else encounter environment even ever every exactly example expect expected "
    "explain fact feature find fine first fix following found full further get gets getting give given go good "
    "got great happen happening happens hello help hi however idea include info information installed instead "
    "issue issues just kind know last let like line lines look looking looks make makes many may maybe me might "
    "more most motivation much must my need needed needs new no none nothing now one only original other out "
    "output perhaps please point possible post problem propose question quite rather really reason related "
    "release report reproduce request result results right same screenshot see seem seems show since solution "
    "some something soon sorry specific still such suggest support supported sure system take thank thanks "
    "thing think though tried try trying two understand unexpected until up update version versions very want "
    "wanted way well while without wonder work working works write written wrong yes yet".split()
)


def analyze_query(original: str, text: str) -> QueryAnalysis:
    """Analyze a question or a bug report, given without its filters."""
    return analyze_report(original, text) if is_report(text) else analyze_text(original, text)


def analyze_report(original: str, text: str) -> QueryAnalysis:
    """The title as it would be searched alone, with the weighted terms and names of the whole report."""
    report = read_report(text)
    title = analyze_text(original, without_versions(report.title))
    weights = dict.fromkeys(title.terms, KIND_WEIGHTS["title"]) | _term_weights(report.mentions)
    names = dict(title.identifiers)
    for name, weight in _names(report.mentions):
        names[name] = max(weight, names.get(name, 0.0))
    return replace(
        title,
        kind="report",
        has_identifier=title.has_identifier or bool(names),
        identifiers=tuple(names.items()),
        words=tuple(dict.fromkeys([*title.words, *_compounds(report.title)])),
        terms=tuple(weights),
        whole_name=None,
        phrases=(),  # a report quotes much that is not in the code
        locations=tuple(
            one for one in find_locations(text) if one.line is not None or not _is_aside(one, report.title)
        ),
        distilled=Distilled(report.title, weights, tuple(dict.fromkeys(report.errors)), is_trace=report.is_trace),
    )


def _names(mentions: Iterable[tuple[str, str]]) -> list[tuple[str, float]]:
    """Return the words that have the form of a name, or are marked as one, best first."""
    found: dict[str, float] = {}
    for word, kind in mentions:
        if (kind.endswith("!") or kind in _MARKED) and len(word) > 2 and word.lower() not in STOP_WORDS:
            found[word] = max(KIND_WEIGHTS[kind], found.get(word, 0.0))
    return sorted(found.items(), key=lambda item: -item[1])[:_MOST_NAMES]


def _is_aside(location: FileLocation, title: str) -> bool:
    """Whether a file is a document that only the body names: a guide for contributors, as templates link to it."""
    if location.line is not None:
        return False
    language = LANGUAGES.get(detect_language(location.parts[-1], b""))
    return language is not None and language.kind == "docs" and location.parts[-1] not in title


def _compounds(title: str) -> Iterator[str]:
    """Words of several parts as the names of files spell them: CTVNews may be about ctvnews.py."""
    for token in TOKEN.findall(title):
        if len(split_identifier(token)) > 1 and "_" not in token:
            yield token.lower()


def _term_weights(mentions: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Term -> what its IDF is multiplied by."""
    best: dict[str, float] = {}
    times = Counter(word for word, _ in mentions)
    for word, kind in mentions:
        if len(word) <= _MOST_TOKEN_CHARS:
            best[word] = max(KIND_WEIGHTS[kind], best.get(word, 0.0))
    weights: dict[str, float] = {}
    for word, weight in best.items():
        words, terms = split_identifier(word), terms_of(word)
        labels = words if len(words) == len(terms) else (word.lower(), *words)
        for label, term in zip(labels, terms, strict=True):
            form = label in _REPORT_WORDS
            if label in STOP_WORDS or len(label) < 2 or (form and weight < KIND_WEIGHTS["title"]):
                continue
            share = weight * (1 + _REPEATED * math.log2(times[word])) * (_FORM_IN_TITLE if form else 1.0)
            if len(labels) > 1 and label != word.lower():
                share *= _PART_OF_NAME
            weights[term] = max(share, weights.get(term, 0.0))
    return weights
