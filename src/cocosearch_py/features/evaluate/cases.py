"""Cases mined from a repository's history and definitions: questions whose answer is known. Pure.

Five sources; `pasted` has those that the files themselves give. The subject of a commit asks for the files that it
changed; the name of a test asks for the file under test; the name of a definition asks for the only file that defines
it; the first sentence of a definition's comment asks for the file that it stands in. The last is easy, since the
sentence itself is indexed: it tells whether prose is found at all. The message of a commit that fixes an issue asks for
all the source files that it changed.
"""

import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from cocosearch_py.analysis.paths import is_example, is_secondary, is_test, name_words
from cocosearch_py.analysis.words import STOP_WORDS, TOKEN, name_key, split_identifier, stem
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.storage.queries.facts import DefinitionFacts

CLASSES = {  # class -> its sources
    "commits": ("commit", "test", "symbol", "doc"),
    "issues": ("issue",),
    "names": ("name",),
    "literals": ("literal_quoted", "literal_bare"),
    "paths": ("path", "tail", "line"),
}
SOURCES = tuple(source for sources in CLASSES.values() for source in sources)
IN_FILES = frozenset({"names", "literals", "paths"})  # classes whose questions stand in the files themselves
COUNTED = ("commit", "test", "symbol")  # in the overall figures; weights are tuned on them alone
LOG_FORMAT = "%x01%s%x02%b%x02"  # what `read_commits` reads, with --name-only

MOST_ANSWERS = 2  # a commit that changes more source files says little about any of them
MOST_FIXED = 5  # source files of a fix: all of them can be among the first five
_QUERY_WORDS = range(3, 13)  # shorter subjects name nothing, longer ones are sentences about several things
_DOC_WORDS = range(4, 16)
_TEST_NAME_WORDS = range(2, 10)
_NAME_CHARS = 5  # shorter names are common words

_PREFIX = re.compile(r"^(?:[\w/.-]+(?:\([^)]*\))?!?:\s+)|^\[[^\]]*\]\s*")
_REFERENCE = re.compile(
    r"\((?:#|gh-)\d+\)|\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?)?\s*(?:#|gh-)\d+", re.IGNORECASE
)
_FIXES = re.compile(
    r"\b(?:clos|fix|resolv|address)(?:es|ed|e|s|ing)?\b:?\s+(?:(?:the\s+)?(?:issues?|bugs?)\s+)?"
    r"(?:https?://\S+/issues/|(?:[\w.-]+/[\w.-]+)?#|gh-)\d+",
    re.IGNORECASE,
)
_KEY = re.compile(r"^(?:(?:#|(?i:gh-))\d+:?\s|[A-Z]{2,10}-\d+:|\[(?:#|(?i:gh-)|[A-Z]{2,10}-)\d+\])\s*")
_ROUTINE = re.compile(
    r"typos?|releas\w*|versions?|bump\w*|lint\w*|format(?:ting)?|changelog|merge\w*|revert\w*|style|warnings?|clippy"
    r"|comments?|docs?|documentation|readme|ci|tests?|testing|review|wip|clean ?ups?|dependenc\w+|upgrade\w*|copyright"
    r"|license|nits?|cs|misc|minor",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(?:fix(?:e[sd]|ing)?|add(?:s|ed|ing)?|remov(?:e[sd]?|ing)|refactor(?:s|ed|ing)?|improv(?:e[sd]?|ing)"
    r"|updat(?:e[sd]?|ing)|us(?:e[sd]?|ing)|allow(?:s|ed|ing)?|support(?:s|ed|ing)?|implement(?:s|ed|ing)?"
    r"|chang(?:e[sd]?|ing)|renam(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|simplif(?:y|ies|ied)|avoid(?:s|ed|ing)?"
    r"|handl(?:e[sd]?|ing)|ensur(?:e[sd]?|ing)|mak(?:e|es|ing)|drop(?:s|ped)?)\s+(?:(?:the|an?|support for)\s+)*",
    re.IGNORECASE,
)
_TEST_MARK = frozenset({"test", "tests", "spec", "specs", "suite", "bench", "unit", "integration", "should", "it"})
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n|\s@\w+|\s:param|\s:return")
_MARKUP = re.compile(r"<[^>]+>|\{@\w+|[`*{}\"'|]")
_TASK_NOTE = re.compile(r"TODO|FIXME|XXX|HACK|licen[sc]e|copyright|https?:|noqa|eslint|deprecated", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """A question and the files, relative to the index's root, that answer it."""

    source: str  # one of SOURCES
    query: str
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class Commit:
    """The subject line of a commit, the paths that it touched, and the rest of its message."""

    subject: str
    paths: tuple[str, ...]
    body: str = ""


def read_commits(log: str, prefix: str = "") -> list[Commit]:
    """Commits of a `git log --name-only` in LOG_FORMAT; paths below `prefix` are made relative to it."""
    commits = []
    for entry in log.split("\x01")[1:]:
        subject, _, rest = entry.partition("\x02")
        body, _, paths = rest.rpartition("\x02")
        inside = tuple(path[len(prefix) :] for path in paths.splitlines() if path and path.startswith(prefix))
        commits.append(Commit(subject.strip(), inside, body.strip()))
    return commits


def commit_cases(commits: Iterable[Commit], indexed: Mapping[str, str]) -> list[Case]:
    """Cases of commits that changed one or two source files which the index still holds.

    `indexed`: path -> language id.
    """
    return _history_cases("commit", ((clean_subject(one.subject), one) for one in commits), indexed, MOST_ANSWERS)


def issue_cases(commits: Iterable[Commit], indexed: Mapping[str, str]) -> list[Case]:
    """Cases of commits that say which issue they fix, and changed one to five source files that the index still holds.

    `indexed`: path -> language id.
    """
    return _history_cases("issue", ((issue_question(one), one) for one in commits), indexed, MOST_FIXED)


def _history_cases(
    source: str, asked: Iterable[tuple[str, Commit]], indexed: Mapping[str, str], most: int
) -> list[Case]:
    cases: dict[str, Case] = {}
    for query, commit in asked:
        changed = [path for path in commit.paths if not is_side_file(path, indexed)]
        if query and 0 < len(changed) <= most and all(path in indexed for path in changed):
            cases.setdefault(query, Case(source, query, frozenset(changed)))
    return list(cases.values())


def issue_question(commit: Commit) -> str:
    """Return the description of the issue that a commit fixes, in one line; empty if it names none.

    Issues are named as in `Fixes #12`, `closes GH-12`, `Fix owner/name#12`, and at the start as in `#12: title`,
    `[GH-12] title`, `KEY-12: title`. A number in parentheses at the end is a pull request's.
    """
    subject = _KEY.sub("", commit.subject)
    if subject == commit.subject and not _FIXES.search(f"{commit.subject}\n{commit.body}"):
        return ""
    lines = (subject, commit.body.split("\n", maxsplit=1)[0])
    return next(filter(None, (clean_subject(_FIXES.sub("", line)) for line in lines)), "")


def clean_subject(subject: str) -> str:
    """The question in a commit's subject: no prefix, reference or leading verb; empty for routine work."""
    text = _REFERENCE.sub("", _PREFIX.sub("", subject)).strip(" .,:;-")
    text = " ".join(_VERB.sub("", text).split()).strip(" .,:;-()")
    if (
        len(text.split()) not in _QUERY_WORDS
        or _mentions_routine(text)
        or _mentions_routine(subject.split(":", maxsplit=1)[0])
    ):
        return ""
    return text


def _mentions_routine(text: str) -> bool:
    return any(_ROUTINE.fullmatch(word.strip("().,:;!")) for word in text.split())


def is_side_file(path: str, indexed: Mapping[str, str]) -> bool:
    """Whether a commit changes the file along with what it is about: tests, examples, documents, settings, data."""
    if is_test(path) or is_example(path) or is_secondary(path):
        return True
    language = indexed.get(path)
    return language is not None and _kind(language) != "code"


def _kind(language_id: str) -> str:
    language = LANGUAGES.get(language_id)
    return language.kind if language else "data"


def tested_cases(definitions: Iterable[DefinitionFacts], indexed: Mapping[str, str]) -> list[Case]:
    """Cases of tests in files whose name tells which single source file they test; one that defines nothing is none."""
    sources: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    definitions = list(definitions)
    holding = {definition.path for definition in definitions}
    for path, language in indexed.items():
        if path in holding and not is_side_file(path, indexed) and _kind(language) == "code":
            sources[name_words(path)[0]].append(path)
    cases: dict[str, Case] = {}
    for definition in definitions:
        if not is_test(definition.path):
            continue
        tested = [word for word in name_words(definition.path)[0] if word not in _TEST_MARK]
        words = [word for word in split_identifier(definition.name) if word not in _TEST_MARK]
        found = _same_suffix(definition.path, sources.get(tuple(tested), []))
        if len(found) == 1 and len(words) in _TEST_NAME_WORDS:
            query = " ".join(words)
            cases.setdefault(query, Case("test", query, frozenset(found)))
    return list(cases.values())


def _same_suffix(path: str, candidates: Collection[str]) -> list[str]:
    suffix = PurePosixPath(path).suffix
    return [candidate for candidate in candidates if PurePosixPath(candidate).suffix == suffix]


def symbol_cases(definitions: Iterable[DefinitionFacts], indexed: Mapping[str, str]) -> list[Case]:
    """Cases of names that one source file alone defines, outside functions."""
    holders: defaultdict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    for definition in definitions:
        key = name_key(definition.name)
        holders[key].add(definition.path)
        if definition.function_depth == 0 and len(definition.name) >= _NAME_CHARS:
            names.setdefault(key, definition.name)
    return [
        Case("symbol", names[key], frozenset(paths))
        for key, paths in holders.items()
        if key in names and len(paths) == 1 and not is_side_file(next(iter(paths)), indexed)
    ]


def doc_cases(definitions: Iterable[DefinitionFacts], indexed: Mapping[str, str]) -> list[Case]:
    """Cases of the first sentence of a definition's comment."""
    cases: dict[str, Case] = {}
    for definition in definitions:
        sentence = first_sentence(definition.doc)
        if sentence and not is_side_file(definition.path, indexed):
            cases.setdefault(sentence, Case("doc", sentence, frozenset({definition.path})))
    return list(cases.values())


def first_sentence(doc: str) -> str:
    """The first sentence of a comment without its markers; empty when it is none, or a note."""
    text = "\n".join(line.strip().lstrip("/#*-;!|% ").strip() for line in doc.strip().splitlines())
    text = _SENTENCE_END.split(_MARKUP.sub(" ", text).strip(), maxsplit=1)[0]
    text = " ".join(text.split()).strip(" .:-")
    return text if len(text.split()) in _DOC_WORDS and not _TASK_NOTE.search(text) else ""


def answerable(cases: Iterable[Case], definitions: Iterable[DefinitionFacts]) -> list[Case]:
    """Those cases whose question has a word of a right file's path, definitions or their comments.

    The subject of a commit or the name of a test that shares no word with the file is about something else, or says it
    in words that only its author connects with the file: no search could know, so it measures none.
    """
    said: defaultdict[str, set[str]] = defaultdict(set)
    for definition in definitions:
        said[definition.path] |= _stems(f"{definition.name} {definition.doc}")
    return [case for case in cases if any(_stems(case.query) & (said[path] | _stems(path)) for path in case.paths)]


def _stems(text: str) -> set[str]:
    words = [word for token in TOKEN.findall(text) for word in split_identifier(token)]
    return {stem(word) for word in words if word not in STOP_WORDS and word not in _TEST_MARK}


def sample(cases: Sequence[Case], most: int, seed: int = 0) -> list[Case]:
    """At most so many of each source, the same for the same cases."""
    chosen = []
    for source in SOURCES:
        own = sorted((case for case in cases if case.source == source), key=lambda case: case.query)
        chosen += random.Random(seed).sample(own, min(most, len(own)))
    return chosen
