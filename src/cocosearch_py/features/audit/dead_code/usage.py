"""The definitions of an index that could be unused, and where all texts name them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from cocosearch_py.features.audit import queries as store
from cocosearch_py.features.audit.dead_code.entries import Told, is_compiler_setting, without_names_of_others
from cocosearch_py.features.audit.dead_code.imports import Imports
from cocosearch_py.features.audit.dead_code.unreachable_files import Paths, candidates, closed, imports_of_document
from cocosearch_py.features.audit.dead_code.words import Names, Places, Scanner, words_of
from cocosearch_py.features.audit.queries import AuditedFile, Definition
from cocosearch_py.languages import facts_query
from cocosearch_py.languages.liveness import Liveness, liveness_of
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.sources import SourceFile, text_of

_KINDS = (
    "function",
    "method",
    "class",
    "interface",
    "type",
    "enum",
    "struct",
    "trait",
    "constant",
    "variable",
    "macro",
)
_OF_TYPES = frozenset({"class", "struct", "object", "enum"})  # whose methods are looked at
_FILES_AT_ONCE = 200
_MOST_DATA_CHARS = 20_000  # of a file of data that is read as settings
_NOT_READ = frozenset({"lock", "snapshot", "issue_template"})
DOCUMENTS = frozenset({"docs"})
_NAME = re.compile(r"#?[\w$]+")
_OWNED = re.compile(r"[\w$#.:]+")  # else it adds to what others define


@dataclass(slots=True, eq=False)
class Suspect:
    """A definition that may be unused.

    Attributes:
        file: its number.
        uses: (file, line) outside of it that may use it.
        mentions: where comments and documents name it.
        doubts: why it may be in use all the same.
        is_kept: something uses it that does not name it, or that is no code.
        is_public: others than this repository may use it.
    """

    file: int
    one: Definition
    liveness: Liveness
    uses: list[tuple[int, int]] = field(default_factory=list)
    mentions: list[tuple[int, int]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    is_kept: bool = False
    is_public: bool = False

    @property
    def decides(self) -> bool:
        """Whether imports tell who uses it, and not names."""
        return self.liveness.read_exports is not None and self.one.qualified_name == self.one.name

    def holds(self, file: int, line: int) -> bool:
        """Whether a line is one of its own."""
        return file == self.file and self.one.start_line <= line <= self.one.end_line


@dataclass(slots=True, eq=False)
class Survey:
    """Facts about an index: files by number, suspects, and the places of words.

    Attributes:
        types: (file, symbol number) -> class.
        published: folders of packages that others install, by the liveness of their language.
        paths: where the paths of files stand that no import seems to lead to.
    """

    files: list[AuditedFile]
    suspects: list[Suspect]
    imports: Imports
    places: Places
    types: dict[tuple[int, int], Definition]
    told: Told = field(default_factory=Told)
    published: dict[Liveness, set[str]] = field(default_factory=lambda: defaultdict(set))
    livenesses: list[Liveness] = field(default_factory=list)
    paths: Paths = field(default_factory=Paths)

    def importers(self) -> dict[int, set[int]]:
        """File -> those that import it, but for documents with a link to it."""
        return {
            file: {one.file for one in found if self.files[one.file].content_class not in DOCUMENTS}
            for file, found in self.imports.of.items()
        }

    def is_test(self, file: int) -> bool:
        return self.files[file].content_class == "tests"


@cache
def _is_read(language_id: str) -> bool:
    """Whether the references of a language are known."""
    return facts_query(language_id) is not None


def take(conn: Connection, index_id: int) -> Survey:
    """Look at all definitions, imports and texts of an index."""
    files = store.audited_files(conn, index_id)
    numbers = {one.file_id: number for number, one in enumerate(files)}
    types: dict[tuple[int, int], Definition] = {}
    suspects = list(_suspects(store.definitions(conn, index_id, _KINDS), files, numbers, types))
    of_interest = {one.one.name for one in suspects} | {one.name for one in types.values()}
    imports = Imports.read(store.imports(conn, index_id), numbers, of_interest)
    names, starts = _names(suspects, imports)
    scanner = Scanner(names)
    made = Survey(files, suspects, imports, scanner.places, types)
    made.livenesses = list({id(one): one for one in (liveness_of(file.language_id) for file in files)}.values())
    for file in closed(candidates(files), made.importers()):
        made.paths.expect(file, files[file].path)
    _read(conn, index_id, made, scanner, starts)
    return made


def _suspects(
    definitions: Iterable[Definition],
    files: Sequence[AuditedFile],
    numbers: Mapping[int, int],
    types: dict[tuple[int, int], Definition],
) -> Iterable[Suspect]:
    """The definitions of the project's own code that other code could use."""
    for one in definitions:
        file = numbers.get(one.file_id)
        if file is None:
            continue
        if one.kind == "class":
            types[file, one.symbol_no] = one
        if one.depth or one.is_test or not _NAME.fullmatch(one.name):
            continue
        if not _OWNED.fullmatch(one.qualified_name) or _is_member_of_value(one):
            continue
        if files[file].content_class == "code" and _is_read(files[file].language_id):
            yield Suspect(file, one, liveness_of(files[file].language_id))


def _is_member_of_value(one: Definition) -> bool:
    """Whether it belongs to something else than a type, which is used as a whole."""
    return one.nested != (one.kind == "method") or (one.nested and one.around not in _OF_TYPES)


def _names(suspects: Iterable[Suspect], imports: Imports) -> tuple[Names, dict[int, list[int]]]:
    """Which names to look for, and in which files; by file the first lines of suspects."""
    starts: dict[int, list[int]] = defaultdict(list)
    defined: dict[int, set[str]] = defaultdict(set)
    wide, foreign = set[str](), set[str]()
    for one in suspects:
        starts[one.file].append(one.one.start_line)
        if one.decides:
            defined[one.file].add(one.one.name)
            foreign.add(one.one.name)
        else:
            wide.add(one.one.name)
    local = {file: set(names) for file, names in defined.items()}
    for target, importers in imports.of.items():
        wholes = [one.file for one in importers if one.name is None]
        if wholes and (behind := imports.names_behind(target, defined)):
            for file in wholes:
                local.setdefault(file, set()).update(behind)
    return Names(wide, foreign - wide, local), starts


def _read(conn: Connection, index_id: int, made: Survey, scanner: Scanner, starts: Mapping[int, Sequence[int]]) -> None:
    """Find the names in all texts."""
    wanted = [
        (number, one)
        for number, one in enumerate(made.files)
        if one.status == "indexed" and one.content_class not in _NOT_READ
    ]
    for begin in range(0, len(wanted), _FILES_AT_ONCE):
        some = wanted[begin : begin + _FILES_AT_ONCE]
        sources = [SourceFile(one.file_id, one.path, one.language_id, one.lines, one.version) for _, one in some]
        texts = text_of(conn, index_id, sources)
        for number, one in some:
            liveness = liveness_of(one.language_id)
            _tell(made, one, texts[one.path])
            is_document = one.content_class in DOCUMENTS
            is_foreign = liveness.read_exports is None
            kinds = {"is_foreign": is_foreign, "is_document": is_document}
            text = without_names_of_others(one.path, texts[one.path])
            words = words_of(text)
            if one.content_class != "tests" and not is_compiler_setting(one.path):  # a test mocks what it names
                told = imports_of_document(text) if is_document else text
                made.paths.read(number, one.path, told, words, liveness)
            scanner.read(number, text, words, liveness, starts.get(number, ()), **kinds)


def _tell(made: Survey, one: AuditedFile, text: str) -> None:
    """Learn from a file what others begin with, and what is published."""
    folder, _, name = one.path.rpartition("/")
    if one.content_class not in ("docs", "vendored", "generated") and (
        not _is_read(one.language_id) or ".config." in name
    ):
        made.told.read(one.path, text[: _MOST_DATA_CHARS if one.content_class == "data" else None])
    for liveness in made.livenesses:
        if (pattern := liveness.published.get(name)) is not None and pattern.search(text):
            made.published[liveness].add(folder)
