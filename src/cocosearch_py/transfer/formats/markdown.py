"""An overview of an index for people and agents to read: figures, folders, and what the code's files offer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from cocosearch_py.model.definitions import OutlineEntry
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.queries.whole import WholeFile

_MOST_LEVELS = 4  # of folders in the tree
_CODE = ("code",)
_HIDDEN = ("private",)


def make(record: IndexRecord, files: Iterator[WholeFile], _: frozenset[str]) -> Iterator[bytes]:
    """Markdown; tests, documents and others' code are counted and not listed."""
    listed, languages, folders = list[str](), Counter[str](), Counter[str]()
    count = lines = 0
    for file in files:
        path = PurePosixPath(file.source.path)
        count, lines = count + 1, lines + file.source.line_count
        languages[file.source.language_id] += file.source.line_count
        folders.update(str(folder) for folder in path.parents if len(folder.parts) <= _MOST_LEVELS)
        if file.content_class in _CODE and (offered := _offered(file.symbols)):
            listed += [f"### {_literal(file.source.path)}", "", *offered, ""]
    counts = f"{count:,} files, {lines:,} lines, {record.chunk_count:,} passages"
    at = record.git_commit or "no commit known"
    head = [
        f"# {record.name}",
        "",
        f"{counts}; {at}, {record.updated_at:%Y-%m-%d %H:%M} UTC.",
        "",
        "| language | lines |",
        "|---|---:|",
        *(f"| {name} | {number:,} |" for name, number in sorted(languages.items(), key=lambda one: (-one[1], one[0]))),
        "",
        "## Folders",
        "",
        *_tree(folders),
        "",
        "## Public definitions",
        "",
    ]
    yield "\n".join([*head, *listed]).encode()


def _tree(folders: Counter[str]) -> Iterator[str]:
    for path in sorted((one for one in folders if one != "."), key=lambda one: one.split("/")):
        *above, name = path.split("/")
        yield f"{'  ' * len(above)}- {_literal(name + '/')} ({folders[path]:,})"


def _offered(symbols: Sequence[OutlineEntry]) -> list[str]:
    """Return public definitions that other files can reach, by place; members follow their owners."""
    levels: dict[int, int] = {}
    shown = []
    for one in symbols:
        if one.function_depth or one.visibility in _HIDDEN or (one.parent is not None and one.parent not in levels):
            continue
        levels[one.number] = level = 0 if one.parent is None else levels[one.parent] + 1
        shown.append(f"{'  ' * level}- {_literal(one.signature or one.qualified_name)} L{one.start_line}")
    return shown


def _literal(text: str) -> str:
    """Text of a repository as code, whatever stands in it."""
    text = " ".join(text.split())
    fence = "`" * (max((len(run) for run in text.split() for run in _runs(run)), default=0) + 1)
    gap = " " if "`" in text else ""
    return f"{fence}{gap}{text}{gap}{fence}"


def _runs(word: str) -> Iterator[str]:
    """The runs of backquotes in a word."""
    run = ""
    for char in word + " ":
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""
