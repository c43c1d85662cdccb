"""A large tree of source files to measure with: real repositories, and copies of them that say other things.

    python benchmarks/corpus.py OUT SOURCE... [--copies N] [--files N]

SOURCE is a folder with files or a git directory, of which HEAD is taken. Copy 0 has the files as they are. In each
further copy every word takes the place of another one of about the same frequency, the same one throughout the copy,
in identifiers, comments, strings and paths; words of programming languages and of file names with a meaning stay. So
texts, terms and vectors differ as those of different projects do, files parse and imports lead where they led, and
there are about as many common and rare words as before. The same arguments give the same tree; what is there already
is not made again.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

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

Mapping = dict[bytes, bytes]


def read_source(source: Path) -> Iterator[tuple[str, bytes]]:
    """(path, content) of the files of a folder or of a git directory's HEAD, in the order of their paths."""
    if (source / "objects").is_dir():
        yield from _read_git(source)
        return
    for parent, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(source).as_posix(), path.read_bytes()


def _read_git(source: Path) -> Iterator[tuple[str, bytes]]:
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    git = ["git", f"--git-dir={source}"]
    listing = subprocess.run([*git, "ls-tree", "-rz", "HEAD"], capture_output=True, check=True, env=environment).stdout
    blobs = subprocess.Popen([*git, "cat-file", "--batch"], stdin=-1, stdout=-1, env=environment)
    assert blobs.stdin and blobs.stdout
    with blobs:
        for entry in filter(None, listing.split(b"\0")):
            head, path = entry.split(b"\t", 1)
            mode, kind, number = head.split()
            if kind != b"blob" or mode == b"120000":
                continue
            blobs.stdin.write(number + b"\n")
            blobs.stdin.flush()
            reply = blobs.stdout.readline().split()
            if len(reply) == 3 and reply[1] == b"blob":  # else the copy of the repository lacks it
                content = blobs.stdout.read(int(reply[2]) + 1)[:-1]
                yield path.decode("utf-8", "replace"), content
        blobs.stdin.close()


def count_words(sources: list[Path]) -> Counter[bytes]:
    """Words in lower case, with their numbers in a part of the files."""
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
    """Words that the grammars know, and those that name files of a kind."""
    found = set(MEANING.encode().split())
    for language in LANGUAGES:
        if grammar := load_grammar(language):
            kinds = grammar.parser.language
            assert kinds
            for number in range(kinds.node_kind_count):
                if not kinds.node_kind_is_named(number):
                    found.update(map(bytes.lower, WORD.findall((kinds.node_kind_for_id(number) or "").encode())))
    return found


def exchange(counts: Counter[bytes], fixed: set[bytes], seed: int) -> Mapping:
    """word -> the word in its place, among those of about its frequency; as written small, large and capitalised."""
    chance = random.Random(seed)
    words = sorted((word for word in counts if word not in fixed), key=lambda word: (-counts[word], word))
    mapping: Mapping = {}
    start, size = 0, float(FIRST_BAND)
    while start < len(words):
        band = words[start : start + int(size)]
        others = chance.sample(band, len(band))
        for word, other in zip(band, others, strict=True):
            mapping |= {word: other, word.upper(): other.upper(), word.capitalize(): other.capitalize()}
        start, size = start + len(band), size * BAND_GROWTH
    return mapping


def changer(mapping: Mapping) -> Callable[[bytes], bytes]:
    def replaced(match: re.Match[bytes]) -> bytes:
        word = match.group()
        return mapping.get(word, word)

    return lambda text: WORD.sub(replaced, text)


def changed_path(path: str, change: Callable[[bytes], bytes]) -> str:
    """The path with its words changed, but for what follows the first dot of each part."""
    parts = []
    for part in PurePosixPath(path).parts:
        stem, dot, rest = part.partition(".")
        parts.append(change(stem.encode()).decode("utf-8", "replace") + dot + rest)
    return "/".join(parts)


def write_copy(source: Path, folder: Path, change: Callable[[bytes], bytes] | None, limit: int) -> int:
    """Write the text files of a source, at most so many; return how many there are now."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--copies", type=int, default=1, help="beside the files as they are")
    parser.add_argument("--files", type=int, default=10**9, help="at most so many")
    options = parser.parse_args()
    counts, fixed = count_words(options.sources) if options.copies else Counter(), keywords()
    total = 0
    for copy in range(options.copies + 1):
        change = changer(exchange(counts, fixed, copy)) if copy else None
        for source in options.sources:
            name = source.parent.name if source.name == "repo" else source.name
            (options.out / f"copy{copy}").mkdir(parents=True, exist_ok=True)
            total += write_copy(source, options.out / f"copy{copy}" / name, change, options.files - total)
        sys.stderr.write(f"copy {copy}: {total} files so far\n")


if __name__ == "__main__":
    main()
