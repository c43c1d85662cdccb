"""Files and lines that a query holds: `a/b.go:147`, `File "x.py", line 3`, the frames of a stack trace. Pure."""

import re
from collections.abc import Iterator, Sequence

from cocosearch_py.languages.detect import detect_language, is_file_name
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.search import FileLocation

MOST_LOCATIONS = 12  # of a stack trace: the deepest frames, which is where things go wrong

_PYTHON_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)')
# `at com.acme.Cart$Item.add(Cart.java:12)`: the package is the folder.
_JVM_FRAME = re.compile(r"\bat\s+(?:[\w.@-]+/)*((?:[\w$`-]+\.)+)[\w$<>`-]+\(([\w.-]+\.\w+):(\d+)\)")
_JVM_LIBRARY = re.compile(r"(?:java|javax|jdk|sun|com\.sun|kotlin|scala)\.")
_LINE = r"(?::(\d+)(?::\d+)?(?!\w)|\((\d+)(?:[,:]\d+)?\)|#L(\d+)|:line (\d+)|\"?,? (?:on |at )?line (\d+))?"
_PART = r"[\w.@~$+\[\]\\/-]"  # a character of a path
# It begins where none stands before it: else a long run of them would be read from each.
_PATH = re.compile(rf"(?<!{_PART})((?:[A-Za-z]:)?{_PART}*[\w\])]\.[A-Za-z]\w{{0,11}})(?![\w/\\])" + _LINE)
_WHOLE = re.compile(r"\s*([^\n\"'`<>|:*?]+?)(?::(\d+)(?::\d+)?|#L(\d+)(?:-L?\d+)?)?\s*")
_SEPARATOR = re.compile(r"[/\\]+")
# Folders of code that was installed rather than written here.
_INSTALLED = frozenset(
    {"site-packages", "dist-packages", "node_modules", "rustc", "registry", "gems", "rubygems", "pkg"}
)


def find_locations(query: str) -> tuple[FileLocation, ...]:
    """Return the places that a query names, the most telling first: of a stack trace, the deepest frame.

    A name without folders counts only with a line, or when it is the whole query; `node.js` in a sentence is a word.
    """
    if "\n" not in query and (whole := _whole(query)) is not None:
        return (whole,)
    found = [(match.start(), _location(match[1], match[2])) for match in _PYTHON_FRAME.finditer(query)]
    found.reverse()  # the most recent call is the last
    if not found:
        found = [
            (match.start(), _class_location(match[1], match[2], int(match[3]))) for match in _JVM_FRAME.finditer(query)
        ] or [(match.start(), _location(match[1], *match.groups()[1:])) for match in _PATH.finditer(query)]
    kept = [one for _, one in found if len(one.parts) > 1 or one.line is not None]
    return tuple(dict.fromkeys(kept))[:MOST_LOCATIONS]


def _whole(query: str) -> FileLocation | None:
    match = _WHOLE.fullmatch(query)
    if match is None or " " in match[1] or not ({"/", "\\", "."} & set(match[1]) or is_file_name(match[1])):
        return None
    return _location(*match.groups()) if match[1].strip("/\\.~") else None


def _location(path: str, *lines: str | None) -> FileLocation:
    line = next((int(given) for given in lines if given), None)
    if path.startswith("[") and "]" not in path:  # the text of a Markdown link
        path = path[1:]
    parts = tuple(part for part in _SEPARATOR.split(path) if part not in {"", ".", "..", "~"})
    return FileLocation(parts, line, not _INSTALLED.isdisjoint(parts))


def _class_location(owner: str, file: str, line: int) -> FileLocation:
    folders = owner.split(".")[:-2]  # a class and a dot come last
    return FileLocation((*folders, file), line, _JVM_LIBRARY.match(owner) is not None, is_package=True)


def names_file(location: FileLocation) -> bool:
    """Whether it can only be a file: `Cart.add` may be a name, `cart.py`, `shop/cart.x` and `Cart.add:3` are none."""
    is_path = len(location.parts) > 1 or location.line is not None
    return is_path or detect_language(location.parts[-1], b"") in LANGUAGES


def best_matches(location: FileLocation, paths: Sequence[str]) -> list[str]:
    """Those of the paths with the longest common end with a location, the shortest path first; none if too little is.

    The file's name must be the same but for its case. What is left of the location may be another checkout's folders,
    what is left of the path may be folders that the location does not name.
    """
    wanted = [part.lower() for part in location.parts]
    shared = {path: common for path in paths if (common := _common_end(wanted, path.lower().split("/")))}
    longest = max(shared.values(), default=0)
    found = sorted((path for path, common in shared.items() if common == longest), key=lambda path: (len(path), path))
    alone = len(found) == 1 and location.is_package and not location.installed
    return found if alone else [path for path in found if _is_enough(location, longest, path)]


def _common_end(wanted: Sequence[str], parts: Sequence[str]) -> int:
    pairs = zip(reversed(wanted), reversed(parts), strict=False)
    return next((number for number, (one, other) in enumerate(pairs) if one != other), min(len(wanted), len(parts)))


def _is_enough(location: FileLocation, common: int, path: str) -> bool:
    if common > 1 or len(location.parts) == 1:
        return True
    return "/" not in path and not location.installed  # a file of the root, from another checkout


def file_names(locations: Sequence[FileLocation]) -> Iterator[str]:
    """The names of the files, each once."""
    yield from dict.fromkeys(location.parts[-1] for location in locations)
