"""Which passages of a file answer a question, and which definition each of them is about. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cocosearch_py.model.search import QueryAnalysis
from cocosearch_py.search.candidates import FileCandidate
from cocosearch_py.search.exact_names import FUNCTION_KINDS, TYPE_KINDS
from cocosearch_py.search.features import OTHER_KIND, definition_value
from cocosearch_py.search.matches import QuestionWords
from cocosearch_py.search.query import identifier_keys
from cocosearch_py.storage.queries.passages import EnclosingDefinition, NamedDefinition
from cocosearch_py.storage.queries.search import ChunkKey, Definition

_WORTH_SHOWING = 0.3  # `verbatim` from which the passage says more than a definition
# What the nearest passage by meaning, and a name that says the whole question, are worth beside the best passage by
# words. Fitted on changed functions by the subjects of commits (docs/retrieval.md); weights around these do as well.
_MEANING = 0.5
MOST_LIKELY = 5  # passages of a file that may be shown
_NAME = 1.2
_DECLARED = 0.6  # of that for a type or a macro: seldom is something done there
# Shares of the best passage's worth, and of what its names say, from which a second passage answers too.
_AS_GOOD = 0.8
_AS_NAMED = 0.7
_LINES = 0.5  # what filling a passage is worth beside holding all words of the question

_LEADING = re.compile(r"\s*(?:#|//|/?\*|--|(?:;|%|@|\[|\(\*|<)\s*\S)")  # a comment or an attribute before a definition
_DOING = FUNCTION_KINDS - {"macro"}
_DECLARING = TYPE_KINDS | {"macro"}
TELLING_KINDS = _DOING | _DECLARING  # whose names count

Named = Mapping[ChunkKey, Sequence[NamedDefinition]]


class _Worth(NamedTuple):
    """Worth of a passage: its places in both rankings and the definition in it whose name says most of the question."""

    chunk_no: int
    total: float
    named: float  # how well that name says it, 0..1
    symbol_no: int | None  # of that definition


class Choice(NamedTuple):
    """A passage to show, and the definition it is shown for, if a definition is why, or the lines that answer."""

    chunk_no: int
    symbol_no: int | None = None
    lines: tuple[int, ...] = ()


def likely_passages(files: Sequence[FileCandidate]) -> list[ChunkKey]:
    """The passages of the files that may be shown: of each the MOST_LIKELY by their places in both rankings."""
    keys: list[ChunkKey] = []
    for file in files:
        if file.located is None and not file.exact:
            placed = _placed(file)
            likely = sorted(placed, key=placed.__getitem__, reverse=True)[:MOST_LIKELY]
            keys += [(file.file_id, chunk_no) for chunk_no in likely]
    return keys


def choose(file: FileCandidate, analysis: QueryAnalysis, words: QuestionWords, named: Named) -> list[Choice]:
    """The passage to show, and a second one if that answers too.

    The first is the place that the question names, the definition of the name that it is, the lines of settings that
    answer, the passage where it stands word by word, the best definition of a name in it, or else the best passage.
    Beside a definition the best passage is the second if names in it say something of the question; beside the best
    passage the next one, if it is nearly as good and names in it say nearly as much.

    Args:
        named: definitions in the file's passages whose name has words of the question.
    """
    if file.located is not None:
        lines = () if file.located.line is None else (file.located.line,)
        return [Choice(file.located.chunk_no, file.located.symbol_no, lines)]
    if file.exact:
        chosen = max(file.exact, key=lambda one: (definition_value(one), -one.start_line))
        return [Choice(chosen.chunk_no, chosen.symbol_no)]
    if file.answer is not None:
        return [Choice(file.answer.chunk_no, lines=file.answer.lines)]
    if file.verbatim is not None and file.features["verbatim"] >= _WORTH_SHOWING:
        return [Choice(file.verbatim)]
    best = sorted(_worth(file, words, named), key=lambda one: (-one.total, one.chunk_no))
    if (defined := _named_definition(file, analysis)) is not None:
        others = [Choice(one.chunk_no) for one in best[:1] if one.named and one.chunk_no != defined.chunk_no]
        return [Choice(defined.chunk_no, defined.symbol_no), *others]
    if best:
        others = [Choice(one.chunk_no) for one in best[1:] if _answers_too(one, best[0])]
        return [Choice(best[0].chunk_no), *others[:1]]
    return [Choice(file.definitions[0].chunk_no, file.definitions[0].symbol_no)]


def _answers_too(second: _Worth, first: _Worth) -> bool:
    if second.symbol_no == first.symbol_no:
        return False  # another part of the same, or nothing says that it is something else
    return second.total >= _AS_GOOD * first.total and second.named >= _AS_NAMED * first.named > 0


def _named_definition(file: FileCandidate, analysis: QueryAnalysis) -> Definition | None:
    """The best definition of the names in the question; a member rather than its type if both are named."""
    if not file.telling or not file.definition_weight:
        return None
    keys = identifier_keys(analysis)

    def value(one: Definition) -> float:
        return keys.get(one.name_key, 0.0) * definition_value(one)

    chosen = max(file.telling, key=lambda one: (value(one), -one.start_line))
    if value(chosen) < OTHER_KIND and file.keyword:
        return None
    members = [
        one for one in file.telling if _is_within(one, chosen) and keys.get(one.name_key, 0.0) >= keys[chosen.name_key]
    ]
    return max(members, key=value, default=chosen)


def _is_within(inner: Definition, outer: Definition) -> bool:
    return inner != outer and outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


def _placed(file: FileCandidate) -> dict[int, float]:
    """chunk_no -> worth of the passage by its places in both rankings."""
    placed: dict[int, float] = {}
    for ranking, weight in ((file.keyword, 1.0), (file.vector, _MEANING)):
        most = ranking[0].score if ranking and ranking[0].score > 0 else 1.0
        for chunk in ranking:
            placed[chunk.chunk_no] = placed.get(chunk.chunk_no, 0.0) + weight * max(0.0, chunk.score) / most
    return placed


def _worth(file: FileCandidate, words: QuestionWords, named: Named) -> list[_Worth]:
    """The passages of both rankings."""
    worth = []
    for chunk_no, value in _placed(file).items():
        most, symbol_no = 0.0, None
        if around := named.get((file.file_id, chunk_no)):
            most, symbol_no = max([(_name_value(one, words), one.symbol_no) for one in around])
        worth.append(_Worth(chunk_no, value + _NAME * most, most, symbol_no))
    return worth


def _name_value(one: EnclosingDefinition | NamedDefinition, words: QuestionWords) -> float:
    """How well a definition's name says the question: of a function all over it, of a type or macro where it begins."""
    if one.kind in _DOING:
        return words.likeness(one.name)
    return _DECLARED * words.likeness(one.name) if one.kind in _DECLARING and one.starts_here else 0.0


def head_line(lines: Sequence[str], first: int, line: int) -> int:
    """The number of the line where the comments and attributes right before a line begin.

    Args:
        lines: of a passage that begins with line `first`; a line before it is its own head.
    """
    while line > first and _LEADING.match(lines[line - first - 1]):
        line -= 1
    return line


def about(
    content: str, start_line: int, around: Sequence[EnclosingDefinition], words: QuestionWords, usual: int | None
) -> EnclosingDefinition | None:
    """The definition that a passage is shown for: whose name and own lines tell most of the question.

    Lines belong to the innermost definition, comments right before one to that. Among equals it is the `usual` one of
    the passage.
    A passage that begins inside a part of that definition is shown for the part.

    Args:
        around: definitions that share lines with the passage, in the order of the file.
    """
    if len(around) < 2:
        return around[0] if around else None
    lines = content.removesuffix("\n").split("\n")
    innermost: list[int | None] = [None] * len(lines)
    for one in around:
        begin = max(0, head_line(lines, start_line, one.start_line) - start_line)
        end = min(len(lines), one.end_line - start_line + 1)
        innermost[begin:end] = [one.symbol_no] * (end - begin)
    own: dict[int | None, set[str]] = {}
    for number, held in words.by_line(content).items():
        if number < len(lines):
            own.setdefault(innermost[number], set()).update(held)

    def value(one: EnclosingDefinition) -> tuple[float, bool]:
        told = _name_value(one, words) + words.share(own.get(one.symbol_no, set()))
        return told + _LINES * innermost.count(one.symbol_no) / len(lines), one.symbol_no == usual

    chosen = max(around, key=value)
    inner = [
        one
        for one in around
        if one.start_line < start_line <= one.end_line
        and chosen.start_line <= one.start_line
        and one.end_line <= chosen.end_line
    ]
    return inner[-1] if inner else chosen
