"""Links from the words of a question to definitions and files of the index."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cocosearch_py.analysis.paths import is_test
from cocosearch_py.features.ask.investigation import Inquiry
from cocosearch_py.features.ask.questions import names_in
from cocosearch_py.languages.detect import detect_language, is_file_name
from cocosearch_py.languages.table import TEXT_LANGUAGE_ID
from cocosearch_py.model.definitions import Definition

_MOST_DEFINITIONS = 20
_MOST_FILES = 5
_MODULE = re.compile(r"[A-Za-z_][\w-]*(?:(?:\.|::|/)[A-Za-z_][\w-]*)*")


@dataclass(frozen=True, slots=True)
class Linked:
    """Definitions of a name, else files; neither for a name that nothing defines."""

    name: str
    definitions: Sequence[Definition] = ()
    count: int = 0
    files: Sequence[str] = ()
    is_written: bool = True  # in a form that prose does not have

    @property
    def label(self) -> str:
        """How the definition is called, or what was asked for."""
        return self.definitions[0].qualified_name if self.definitions else self.name

    @property
    def first(self) -> str:
        """The likeliest definition, as `path#name`."""
        one = self.definitions[0]
        return f"{one.path}#{one.qualified_name}"


def link(inquiry: Inquiry, subject: str, *, files_first: bool = False, or_word: bool = False) -> Linked | None:
    """Resolve a subject; None if it is no name. `or_word`: a single word counts as a name."""
    written, others = names_in(subject)
    for name in (*written, *others):
        if _is_path(name):
            linked = _to_files(inquiry, name) or _to_definitions(inquiry, name)
        elif files_first:
            linked = _to_files(inquiry, name)
            if linked is None or all(map(is_test, linked.files)):  # tests of it, which nobody asks for by its name
                linked = _to_definitions(inquiry, name) or linked
        else:
            linked = _to_definitions(inquiry, name) or _to_files(inquiry, name)
        if linked is not None:
            return replace(linked, is_written=name in written)
    if or_word and not written and len(others) == 1 and " " not in subject.strip():
        return Linked(others[0])
    return Linked(written[0]) if written else None


def namesakes(inquiry: Inquiry, linked: Linked) -> set[tuple[str, str]]:
    """(path, qualified name) of all definitions of the name, of whatever owner."""
    bare = linked.definitions[0].name if linked.definitions else linked.name
    found = linked.definitions if bare == linked.name else inquiry.sources.definitions(bare, _MOST_DEFINITIONS)[0]
    return {(one.path, one.qualified_name) for one in found if one.name == bare}


def _to_definitions(inquiry: Inquiry, name: str) -> Linked | None:
    found, count = inquiry.look(
        "symbol", name, lambda: inquiry.sources.definitions(name, _MOST_DEFINITIONS), lambda pair: pair[1]
    )
    return Linked(name, found, count) if found else None


def _to_files(inquiry: Inquiry, name: str) -> Linked | None:
    """Files of a name, of a path, or of a module; a word alone is none."""
    if not _is_path(name) and not _MODULE.fullmatch(name):
        return None
    found = inquiry.look("file", name, lambda: _files(inquiry, name), len)
    return Linked(name, files=found) if found else None


def _is_path(name: str) -> bool:
    return "/" in name or is_file_name(name) or ("." in name and detect_language(name, b"") != TEXT_LANGUAGE_ID)


def _files(inquiry: Inquiry, name: str) -> list[str]:
    parts = [part for part in re.split(r"/|::", name.strip("/")) if part not in ("", ".")]
    if not parts:
        return []
    readings = [parts] if "." not in parts[-1] else [parts, [*parts[:-1], *parts[-1].split(".")]]
    for reading in readings:
        if ends := _ending(inquiry, reading):
            return ends
    return []


def _ending(inquiry: Inquiry, parts: Sequence[str]) -> list[str]:
    """Files that end in these folders and this name, with or without its ending; or those that stand for a folder."""
    paths = [path for path, _ in inquiry.sources.files(" ".join(parts), 200)]
    wanted = [part.lower() for part in parts]
    found = [path for path in paths if _ends(path, wanted)]
    return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_FILES]


def _ends(path: str, wanted: Sequence[str]) -> bool:
    parts = path.lower().split("/")
    stem = parts[-1].partition(".")[0]
    ways = [parts, [*parts[:-1], stem]]
    if stem in ("__init__", "index", "mod", "lib", "main", "init"):
        ways.append(parts[:-1])
    return any(way[-len(wanted) :] == list(wanted) for way in ways)
