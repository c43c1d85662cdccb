"""Which filters leave nothing of an index, which names it lacks, what comes nearest, and how to say so."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, get_close_matches
from pathlib import PurePosixPath

from cocosearch_py.analysis.words import name_key
from cocosearch_py.languages.table import NEAREST_NAME_CUTOFF
from cocosearch_py.model.search import QueryAnalysis, SearchFilters, SearchReport, UnknownName, UnmatchedFilter
from cocosearch_py.search.confidence import is_in_other_script
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.facts import names_like, read_languages
from cocosearch_py.storage.queries.globs import alternatives
from cocosearch_py.storage.queries.stats import count_classes, count_languages, count_symbols
from cocosearch_py.storage.queries.target import Target

MOST_NEAREST = 3
_MISTYPED = 0.8  # likeness of two names
_LEAST_MISTYPED = 4  # letters of a word; shorter ones are like too many names
_FIELDS = {  # filter -> its field of SearchFilters
    "language": "languages",
    "symbol_type": "symbol_types",
    "symbol_name": "symbol_name",
    "path": "path_globs",
    "content": "content",
    "-language": "excluded_languages",
    "-symbol_type": "excluded_symbol_types",
    "-symbol_name": "excluded_symbol_names",
    "-path": "exclude_globs",
    "-content": "excluded_content",
}
_PART_OF_PATH = re.compile(r"\*\*/(?:([^*?{]+)\*/\*\*|\*([^*?{]+)\*)")
_WILDCARDS = re.compile(r"[*?{}\[\]!,]+")


def find_unmatched(conn: Connection, target: Target) -> tuple[UnmatchedFilter, ...]:
    """The filters of a search without answers that alone match nothing, in the order of `_FIELDS`."""
    found = []
    for name, value, alone in _each_alone(target.filters):
        if store.passes_any(conn, target.asking(alone)):
            continue
        nearest = () if name.startswith("-") else _nearest(conn, target, name, value)
        found.append(UnmatchedFilter(name, value, nearest))
    return tuple(found)


def _each_alone(filters: SearchFilters) -> Iterator[tuple[str, str, SearchFilters]]:
    """(filter, value as shown, filters with this one alone); alternatives stay together, a part of a path too."""
    for name, field in _FIELDS.items():
        if value := getattr(filters, field):
            shown = value if isinstance(value, str) else ",".join(dict.fromkeys(map(_as_typed, value)))
            yield name, shown, replace(SearchFilters(), **{field: value})


def _as_typed(value: str) -> str:
    """A part of a path without the wildcards that `path:` puts around it."""
    found = _PART_OF_PATH.fullmatch(value)
    return found[1] or found[2] if found else value


def _nearest(conn: Connection, target: Target, name: str, value: str) -> tuple[str, ...]:
    if name == "content":
        return _first([found for found, *_ in count_classes(conn, target.index_id) if found])
    if name in {"language", "symbol_type"}:
        languages = (language.language_id for language in count_languages(conn, target.index_id))
        present = list(languages if name == "language" else count_symbols(conn, target.index_id))
        return _first([found for one in value.split(",") for found in _close(one, present)] or present)
    wanted = [core for glob in alternatives(value) if (core := _core(glob))]
    if name == "symbol_name":
        names = {core: names_like(conn, target.index_id, core, name_key) for core in wanted}
        return _first([found for core, known in names.items() for found in _by_likeness(core, known)])
    places = _folders_and_files(list(read_languages(conn, target.index_id)))
    return _first([places[found] for core in wanted for found in _close(PurePosixPath(core).name, list(places))])


def _core(glob: str) -> str:
    """The longest part of a glob without wildcards."""
    return max((part.strip("/ ") for part in _WILDCARDS.split(glob)), key=len, default="")


def _close(wanted: str, known: Sequence[str]) -> list[str]:
    return get_close_matches(wanted.lower(), known, n=MOST_NEAREST, cutoff=NEAREST_NAME_CUTOFF)


def _by_likeness(wanted: str, known: Sequence[str]) -> list[str]:
    """The names that hold the wanted one, and those that are like it, likest first; MOST_NEAREST of them."""
    low = wanted.lower()
    matcher = SequenceMatcher(b=low)
    places: defaultdict[str, int] = defaultdict(int)  # of each letter, as bits
    for place, letter in enumerate(low):
        places[letter] |= 1 << place
    all_places, places_of = (1 << len(low)) - 1, places.get

    def bound(name: str) -> float:
        """Return an upper bound of the ratio, by the longest common subsequence, in a tenth of the time."""
        left = all_places  # those of the subsequence become 0
        for letter in name:
            if (at := places_of(letter)) and (next_ := left & at):
                left = (left + next_ | left - next_) & all_places
        return 2.0 * (len(low) - left.bit_count()) / max(1, len(name) + len(low))

    nearest: list[tuple[float, str]] = []
    for most, name in sorted([(bound(name.lower()), name) for name in known], reverse=True):
        if len(nearest) == MOST_NEAREST and most < -nearest[-1][0]:
            break
        least = NEAREST_NAME_CUTOFF if low not in name.lower() else 0.0
        matcher.set_seq1(name.lower())
        if most >= least and (ratio := matcher.ratio()) >= least:
            nearest = sorted([*nearest, (-ratio, name)])[:MOST_NEAREST]
    return [name for _, name in nearest]


def _first(found: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:MOST_NEAREST]


def _folders_and_files(paths: Sequence[str]) -> dict[str, str]:
    """Lower-case name of each folder and file, and of a file without its ending -> the shortest path that has it."""
    names: dict[str, str] = {}
    for path in sorted(paths, key=len):
        *folders, file = path.split("/")
        for depth, folder in enumerate(folders, start=1):
            names.setdefault(folder.lower(), "/".join(folders[:depth]) + "/")
        names.setdefault(file.lower(), path)
        names.setdefault(file.lower().partition(".")[0] or file.lower(), path)
    return names


def find_unknown_name(conn: Connection, target: Target, name: str) -> UnknownName:
    """A name that the index does not have, with those that come nearest."""
    return UnknownName(name, _first(_by_likeness(name, names_like(conn, target.index_id, name, name_key))))


def find_near_words(conn: Connection, target: Target, analysis: QueryAnalysis) -> UnknownName:
    """A query without a word in the index, with the names that are like its words but for a typing error."""
    words = [word for word in analysis.words if len(word) >= _LEAST_MISTYPED][:MOST_NEAREST]
    found = [(word, find_unknown_name(conn, target, word).nearest[:1]) for word in words]
    return UnknownName(
        analysis.text, _first([name for word, near in found for name in near if is_probably(word, name)])
    )


def is_probably(wanted: str, name: str) -> bool:
    """Whether a name that stands nowhere is another one with a typing error."""
    return SequenceMatcher(None, wanted.lower(), name.lower()).ratio() >= _MISTYPED


_SHOWN_CHARS = 100  # of what stands nowhere
_ALL_TOGETHER = "each filter matches something, but nothing matches all of them: drop one"
_RESEMBLING = "; these results are only similar"
_NOUNS = {"language": "language", "symbol_type": "kind", "symbol_name": "name", "path": "path", "content": "content"}


def explain_no_answer(report: SearchReport) -> tuple[str, ...]:
    """Sentences that say which filters left nothing; none when there are answers, or no filters."""
    if report.hits or report.pre_filter_count or report.filters == SearchFilters():
        return ()
    return tuple(map(_sentence, report.unmatched)) or (_ALL_TOGETHER,)


def explain_filters(conn: Connection, target: Target) -> tuple[str, ...]:
    """Sentences that say which filters let nothing of an index pass; none if something passes all of them."""
    if target.filters == SearchFilters() or store.passes_any(conn, target):
        return ()
    folder = target.filters.folder
    if folder and not store.passes_any(conn, target.asking(SearchFilters(folder=folder))):
        return (f"no indexed file is below {folder}",)
    return tuple(map(_sentence, find_unmatched(conn, target))) or (_ALL_TOGETHER,)


def explain_doubts(report: SearchReport) -> tuple[str, ...]:
    """Sentences on what the answer lacks: filters that leave nothing, phrases and names that stand nowhere."""
    return (*explain_no_answer(report), *_explain_loose(report))


def explain_words_only(report: SearchReport) -> str | None:
    """Why meaning had no part in the answer, if it had none."""
    told = "searched by keywords only, not by meaning"
    if (error := report.unanswered) is not None:
        return f"{told}: {error.message}; {error.hint}" if error.hint else f"{told}: {error.message}"
    return f"{told}: the index {report.words_only}" if report.words_only else None


def explain_missing_phrases(report: SearchReport) -> str | None:
    """Return the sentence about quoted texts that nothing holds, or None."""
    if not report.missing_phrases:
        return None
    quoted = " and ".join(f'"{phrase[:_SHOWN_CHARS]}"' for phrase in report.missing_phrases)
    return f"nothing contains {quoted} exactly{_RESEMBLING if report.hits else ''}"


def _explain_loose(report: SearchReport) -> Iterator[str]:
    for path, line, line_count in report.beyond_end:
        yield f"{path} has no line {line}: it ends at line {line_count}"
    if missing := explain_missing_phrases(report):
        yield missing
    if (unknown := report.unknown_name) and not is_in_other_script(unknown.name):  # `confidence` has a better word
        name = unknown.name[:_SHOWN_CHARS]
        said = (
            f"no word of '{name}' occurs in this index"
            if " " in name
            else f"nothing is named '{name}', and nothing mentions it"
        )
        if unknown.nearest:
            said += f"; similar names: {', '.join(unknown.nearest)}"
        elif not report.hits:
            said += "; check the spelling or try other words"
        yield said + (_RESEMBLING if report.hits else "")


def _sentence(unmatched: UnmatchedFilter) -> str:
    if unmatched.filter.startswith("-"):
        return f"excluding the {_NOUNS[unmatched.filter[1:]]} '{unmatched.value}' leaves nothing"
    noun = _NOUNS[unmatched.filter]
    holder = "indexed file" if noun in {"language", "path", "content"} else "definition"
    said = f"no {holder} has the {noun} '{unmatched.value}'"
    return f"{said}; similar: {', '.join(unmatched.nearest)}" if unmatched.nearest else said
