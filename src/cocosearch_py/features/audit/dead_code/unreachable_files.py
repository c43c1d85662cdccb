"""Files that nothing loads: no import leads to them from a file that something loads, and no text has their path.

Only of languages whose imports decide what is used. Whatever is loaded by the name of its folder is left alone.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from cocosearch_py.features.audit.queries import AuditedFile
from cocosearch_py.languages.liveness import Liveness, liveness_of

_ENDING = r"(?:\.d)?\.[cm]?[jt]sx?"
_CUT = re.compile(f"{_ENDING}$")
_WORD = re.compile(r"[\w$]+")
_LOADED = re.compile(r"^\s*import\b.*", re.MULTILINE)
_BEFORE, _AFTER = r"(?<![\w$-])", r"(?![\w$-])"
_LOADS_MANY = re.compile(
    r"\bglob\w*\s*[(<]|\brequire\.context\s*\(|\breaddir|\b(?:import|require)\s*\(\s*(?:`|[\w.]+\s*[+,)])"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """How a file is named by others.

    Attributes:
        folder, base: the folder that it is in, and the one above that; of an `index` one further up, which is called
            by its folder.
        whole: with two folders.
        far: with one, by files above or below `base`.
        near: by its own name.
        relative: from `folder`, or from below it.
        many: by its folder, where all files of one are loaded.
    """

    file: int
    folder: str
    base: str
    whole: re.Pattern[str]
    far: re.Pattern[str]
    near: re.Pattern[str]
    relative: re.Pattern[str]
    many: re.Pattern[str]

    def is_in(self, folder: str, text: str, *, has_imports: bool) -> bool:
        """Whether a text names it, of a file in some folder."""
        if self.whole.search(text) or (not has_imports and self.near.search(text)):
            return True
        if (_is_at(folder, self.base) or _is_at(self.base, folder)) and self.far.search(text):
            return True
        return _is_at(folder, self.folder) and any(
            folder == self.folder or found.group().startswith("..", 1) for found in self.relative.finditer(text)
        )


@dataclass(slots=True, eq=False)
class Paths:
    """Finds the paths of files in texts.

    Attributes:
        named_by: file -> those with its path in them.
    """

    named_by: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    _by_word: dict[str, list[_Path]] = field(default_factory=lambda: defaultdict(list))

    def expect(self, file: int, path: str) -> None:
        """Look for a file."""
        *folders, name = _CUT.sub("", path).split("/")
        *above, parent = folders or [""]
        own, called = re.escape(name), name
        if name == "index" and parent:
            own, called, folders = f"{re.escape(parent)}(?:/index)?", parent, above
        far = "/".join(map(re.escape, [*folders[-1:], ""])) + own
        whole = "/".join(map(re.escape, [*folders[-2:], ""])) + own
        made = _Path(
            file,
            "/".join(folders),
            "/".join(folders[:-1]),
            re.compile(f"{_BEFORE}{whole}{_AFTER}" if len(folders) > 1 else "(?!)"),
            re.compile(f"{_BEFORE}{far}{_AFTER}" if folders else "(?!)"),
            re.compile(f"{_BEFORE}{own}{_ENDING}{_AFTER}"),
            re.compile(f"[\"'`](?:\\.{{0,2}}/)*{own}(?:{_ENDING})?[\"'`?]"),
            re.compile(f"{_BEFORE}{re.escape(parent)}[\"'`/]" if parent else "[\"'`]\\."),
        )
        for word in {found.group() for one in (called, parent) if (found := _WORD.search(one)) is not None}:
            self._by_word[word].append(made)

    def read(self, file: int, path: str, text: str, words: Collection[str], liveness: Liveness) -> None:
        """Find them in a text that has these words, outside of its comments."""
        code: str | None = None
        has_imports = liveness.read_exports is not None
        folder = path.rpartition("/")[0]
        for word in self._by_word.keys() & words:
            for one in self._by_word[word]:
                if one.file == file or file in self.named_by[one.file]:
                    continue
                if code is None:
                    code = "\n".join(line for line in text.split("\n") if not _is_comment(line, liveness))
                loads_many = has_imports and _LOADS_MANY.search(code) is not None and one.many.search(code) is not None
                if loads_many or one.is_in(folder, code, has_imports=has_imports):
                    self.named_by[one.file].add(file)


def imports_of_document(text: str) -> str:
    """The lines of a document that load something: as MDX has them."""
    return "\n".join(_LOADED.findall(text))


def _is_comment(line: str, liveness: Liveness) -> bool:
    """Whether a line is nothing else."""
    return liveness.comment.match(line) is not None and not ("*/" in line and line.rpartition("*/")[2].strip())


def _is_at(folder: str, other: str) -> bool:
    """Whether a folder is another one or below it."""
    return not other or folder == other or folder.startswith(other + "/")


def candidates(files: Iterable[AuditedFile]) -> set[int]:
    """Files that something has to load, by their number: of code, and nothing begins with their kind."""
    return {
        number
        for number, one in enumerate(files)
        if one.content_class == "code" and one.status == "indexed"
        and (liveness := liveness_of(one.language_id)).read_exports is not None
        and not liveness.entries.search(one.path)
    }  # fmt: skip


def closed(some: Collection[int], *users: Mapping[int, Collection[int]]) -> set[int]:
    """Those of some files that only others of them use, or none."""
    found = set(some)
    while used := {one for one in found if any(not found.issuperset(each.get(one, ())) for each in users)}:
        found -= used
    return found
