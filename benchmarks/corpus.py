"""A large tree of source files to measure with: repositories, and copies of them with other words.

Copy 0 has the files as they are. In each further copy every word takes the place of another one of about the same
frequency, the same throughout the copy, in identifiers, comments, strings and paths; words of programming languages and
of file names with a meaning stay. So texts, terms and vectors differ as those of different projects do, files parse,
and imports lead where they led.
"""

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

from benchmarks.frame import Folders, benchmark, note
from benchmarks.rows import Figures
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.parsing.parsers import load_grammar

WORD = re.compile(rb"[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])")
FIRST_BAND, BAND_GROWTH = 20, 1.5  # words are exchanged among as many as follow each other in the order of frequency
MAX_BYTES = 1_000_000  # larger files are not indexed
SAMPLED_SHARE = 0.2  # of the files, for the frequencies
MEANING = (  # parts of names by which files and folders are known
    "package json index init main mod lib src test tests spec specs makefile dockerfile readme license changelog setup "
    "pyproject cargo gemfile rakefile composer gradle build cmake lists conf docs doc vendor node modules github "
    "workflows tsconfig yarn lock requirements txt"
)

Exchange = dict[bytes, bytes]


def read_source(source: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of the files of a folder, in the order of their paths."""
    for parent, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(source).as_posix(), path.read_bytes()


def count_words(sources: Sequence[Path]) -> Counter[bytes]:
    """Numbers of words in lower case, in a sample of the files."""
    counts: Counter[bytes] = Counter()
    chance = random.Random(0)
    for source in sources:
        for _, content in read_source(source):
            if chance.random() < SAMPLED_SHARE and is_text(content):
                counts.update(map(bytes.lower, WORD.findall(content)))
    return counts


def is_text(content: bytes) -> bool:
    return len(content) <= MAX_BYTES and b"\0" not in content


def keywords() -> set[bytes]:
    """Words of the grammars, and those of file names with a meaning."""
    words = set(MEANING.encode().split())
    for language in LANGUAGES:
        if grammar := load_grammar(language):
            kinds = grammar.parser.language
            assert kinds
            for number in range(kinds.node_kind_count):
                if not kinds.node_kind_is_named(number):
                    words.update(map(bytes.lower, WORD.findall((kinds.node_kind_for_id(number) or "").encode())))
    return words


def exchange(counts: Counter[bytes], fixed: set[bytes], seed: int) -> Exchange:
    """Word by the word that it takes the place of, of about its frequency; small, large and capitalised."""
    chance = random.Random(seed)
    words = sorted((word for word in counts if word not in fixed), key=lambda word: (-counts[word], word))
    mapping: Exchange = {}
    start, size = 0, float(FIRST_BAND)
    while start < len(words):
        band = words[start : start + int(size)]
        others = chance.sample(band, len(band))
        for word, other in zip(band, others, strict=True):
            mapping |= {word: other, word.upper(): other.upper(), word.capitalize(): other.capitalize()}
        start, size = start + len(band), size * BAND_GROWTH
    return mapping


def changer(mapping: Exchange) -> Callable[[bytes], bytes]:
    def replaced(match: re.Match[bytes]) -> bytes:
        word = match.group()
        return mapping.get(word, word)

    return lambda text: WORD.sub(replaced, text)


def changed_path(path: str, change: Callable[[bytes], bytes]) -> str:
    """Path with its words changed, except after the first dot of each part."""
    parts = []
    for part in PurePosixPath(path).parts:
        stem, dot, rest = part.partition(".")
        parts.append(change(stem.encode()).decode("utf-8", "replace") + dot + rest)
    return "/".join(parts)


def write_copy(source: Path, folder: Path, change: Callable[[bytes], bytes] | None, limit: int) -> int:
    """Write the text files of a source up to a limit; return their number."""
    if folder.exists():
        return sum(len(names) for _, _, names in os.walk(folder))
    unfinished = folder.with_name(folder.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    written = 0
    for path, content in read_source(source):
        if written >= limit:
            break
        if not is_text(content):
            continue
        target = unfinished / (changed_path(path, change) if change else path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(change(content) if change else content)
        written += 1
    if written:
        unfinished.rename(folder)
    return written


@benchmark
def corpus(
    folders: Folders, *, out: Annotated[Path, "folder to write to; copies that are there are not made again"],
    copies: Annotated[int, "number of copies beside the files as they are"] = 1,
    files: Annotated[int, "maximum number of files"] = 1_000_000,
) -> Figures:  # fmt: skip
    """Make a tree of any size, of repositories and of copies of them with other words; use it with --no-row."""
    counts, fixed = count_words(folders) if copies else Counter(), keywords()
    total = 0
    for copy in range(copies + 1):
        change = changer(exchange(counts, fixed, copy)) if copy else None
        for source in folders:
            (out / f"copy{copy}").mkdir(parents=True, exist_ok=True)
            total += write_copy(source, out / f"copy{copy}" / source.name, change, files - total)
        note(f"copy {copy}: {total} files so far")
    return {"files": total}
