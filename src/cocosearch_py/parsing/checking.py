"""Whether versions of files can be parsed, and in which lines they cannot. What two versions share is parsed once."""

from collections import OrderedDict
from dataclasses import dataclass, field

from tree_sitter import Tree

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.model.difference import difference
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.syntax import Soundness
from cocosearch_py.parsing.health import check_health
from cocosearch_py.parsing.nesting import nested_too_deep
from cocosearch_py.parsing.parsers import parser_of
from cocosearch_py.parsing.source import MAX_PARSED_BYTES, parse_source

MOST_TREES = 4  # that are kept, the last ones; each takes up to 100 times the memory of its source


@dataclass(slots=True)
class SoundnessChecker:
    """Parses one version of a file after the other, without a deadline: its process can be ended. Not for threads."""

    _kept: OrderedDict[str, tuple[bytes, Tree]] = field(default_factory=OrderedDict)

    def check(self, language_id: str, path: str, source: bytes) -> Soundness:
        """Judge a source in UTF-8; `path` names the other version that it is compared with."""
        language, parser = LANGUAGES.get(language_id), parser_of(language_id)
        if language is None or parser is None:
            return Soundness(ParseStatus.NO_GRAMMAR)
        deep = nested_too_deep(source, language.max_indentation_levels)
        if len(source) > MAX_PARSED_BYTES or deep is not None:
            return Soundness(ParseStatus.ERROR, deep or "too large to parse", (1,))
        if language.rewrite is not None:  # its text is not the one that was kept
            return _with_repairs(language_id, source)
        key = f"{language_id}\0{path}"
        old = self._kept.pop(key, None)
        tree = parser.parse(source) if old is None else parser.parse(source, _edited(*old, source))
        self._kept[key] = (source, tree)
        while len(self._kept) > MOST_TREES:
            self._kept.popitem(last=False)
        health = check_health(tree.root_node, source, bare_calls=language.bare_calls)
        if health.error and (language.repair is not None or language.readings is not None):
            return _with_repairs(language_id, source)
        return Soundness(health.status, health.error, _lines(source, health.errors))


def _with_repairs(language_id: str, source: bytes) -> Soundness:
    """As indexing sees the file: what it mends is no error."""
    parsed = parse_source(language_id, source)
    return Soundness(parsed.status, parsed.error, _lines(source, parsed.error_places))


def _lines(source: bytes, places: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    return tuple(sorted({source.count(b"\n", 0, start) + 1 for start, _ in places}))


def _edited(old: bytes, tree: Tree, new: bytes) -> Tree:
    """A tree of the old source that says where the new one differs."""
    start, old_end, new_end = difference(old, new)
    tree.edit(start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end))
    return tree


def _point(source: bytes, at: int) -> tuple[int, int]:
    return source.count(b"\n", 0, at), at - (source.rfind(b"\n", 0, at) + 1)
