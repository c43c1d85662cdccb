"""Duplicates beside jscpd: how many of its lines are found, whether exact copies are the same, time and memory.

    python benchmarks/duplicates.py FOLDER --peer PROGRAM [--out FILE]

`PROGRAM --mode weak` (without comments, from 50 tokens) and our search look at the same folder, one after the other.
Compared are the pairs of the peer both of whose files we compare, too: not documents and settings, nor what is
generated. A line counts if a token stands on it. Of our exact copies the tokens of every place are read again and
compared with those of the first.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from pathlib import Path

from cocosearch_py.audit.duplicates.places import find_clones
from cocosearch_py.audit.files import read_text
from cocosearch_py.discovery.classes import class_of_path
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.walk import discover
from cocosearch_py.languages import LANGUAGES, TEXT_LANGUAGE_ID, detect_language
from cocosearch_py.model.audit import Place
from cocosearch_py.model.files import DiscoveredFile
from cocosearch_py.parsing.tokens import token_spans

MAX_BYTES = 2 * 1024 * 1024


def code_files(root: Path) -> list[tuple[str, str]]:
    """Path and language of the files that an audit compares."""
    found = []
    for entry in discover(root, DiscoveryOptions()):
        if isinstance(entry, DiscoveredFile) and class_of_path(entry.path) is None:
            with (root / entry.path).open("rb") as file:
                language = detect_language(entry.path, file.read(2_000))
            if LANGUAGES[language].kind == "code" and language != TEXT_LANGUAGE_ID:
                found.append((entry.path, language))
    return found


class Lines:
    """Lines of files that tokens stand on, and the tokens of places."""

    def __init__(self, root: Path, files: list[tuple[str, str]]) -> None:
        self._sources: dict[str, bytes] = {}
        self._spans: dict[str, tuple[array[int], array[int], array[int]]] = {}  # first and last bytes, lines
        with FolderReader(str(root.resolve()), MAX_BYTES) as reader:
            for path, language in files:
                source = read_text(reader, path)
                if isinstance(source, bytes):
                    self._add(path, language, source)

    def _add(self, path: str, language: str, source: bytes) -> None:
        starts = [0, *(at + 1 for at, byte in enumerate(source) if byte == 10)]
        spans = token_spans(language, source)
        begins, ends = array("l", (begin for begin, _ in spans)), array("l", (end for _, end in spans))
        self._sources[path] = source
        self._spans[path] = begins, ends, array("l", (bisect_right(starts, begin) for begin in begins))

    def __contains__(self, path: str) -> bool:
        return path in self._spans

    def of(self, path: str, first: int, last: int) -> set[tuple[str, int]]:
        """Lines of a range with tokens."""
        lines = self._spans[path][2]
        return {(path, line) for line in lines[bisect_left(lines, first) : bisect_right(lines, last)]}

    def texts(self, place: Place, count: int) -> list[bytes]:
        """So many tokens from the first of a place, whose column counts characters."""
        source, (begins, ends, lines) = self._sources[place.path], self._spans[place.path]
        line = source.split(b"\n")[place.start_line - 1].decode("utf-8", "replace")
        column = len(line[: place.start_column - 1].encode())
        begin = sum(map(len, source.split(b"\n")[: place.start_line - 1])) + place.start_line - 1 + column
        at = bisect_left(begins, begin)
        return [source[begins[one] : ends[one]] for one in range(at, min(at + count, len(lines)))]


def run_peer(root: Path, program: str) -> tuple[list[dict[str, object]], float, float, int]:
    """Its pairs; seconds on the clock and of the processor; kilobytes."""
    with tempfile.TemporaryDirectory() as folder:
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
        flags = ["--mode", "weak", "--min-lines", "1", "--no-tips", "-s", "-r", "json", "-o", folder]
        subprocess.run([program, *flags, str(root)], check=False, capture_output=True)
        wall = time.monotonic() - begun
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        pairs = json.loads(Path(folder, "jscpd-report.json").read_text())["duplicates"]
    return pairs, wall, used.ru_utime - before, used.ru_maxrss


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    root = asked.folder.resolve()
    pairs, peer_wall, peer_seconds, peer_memory = run_peer(root, asked.peer)  # first: a fork counts our memory, too
    wall, begun = time.monotonic(), time.process_time()
    files = code_files(root)
    with FolderReader(str(root), MAX_BYTES) as reader:
        found = find_clones(reader, files)
    seconds, wall = time.process_time() - begun, time.monotonic() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    lines = Lines(root, files)
    exact: set[tuple[str, int]] = set()
    renamed: set[tuple[str, int]] = set()
    checked = false = overlapping = 0
    for clone in found.clones:
        by_file: dict[str, list[Place]] = defaultdict(list)
        for place in clone.places:
            (renamed if clone.renamed else exact).update(lines.of(place.path, place.start_line, place.end_line))
            by_file[place.path].append(place)
        for places in by_file.values():
            ends = [(one.end_line, one.end_column) for one in places]
            overlapping += sum((b.start_line, b.start_column) < a for a, b in zip(ends, places[1:], strict=False))
        if not clone.renamed:
            model = lines.texts(clone.places[0], clone.tokens)
            checked += len(clone.places) - 1
            false += sum(lines.texts(place, clone.tokens) != model or not model for place in clone.places[1:])
    theirs: set[tuple[str, int]] = set()
    left_out = compared = 0
    for pair in pairs:
        sides = [pair["firstFile"], pair["secondFile"]]
        ranges = [(Path(side["name"]), side["start"], side["end"]) for side in sides]
        named = [(str(p.relative_to(root)) if p.is_absolute() else str(p), a, b) for p, a, b in ranges]
        if any(path not in lines for path, _, _ in named):
            left_out += 1
            continue
        compared += 1
        for path, first, last in named:
            theirs |= lines.of(path, first, last)
    report = {
        "files": found.file_count,
        "pairs_of_peer": {"compared": compared, "of_files_that_we_leave_out": left_out},
        "lines_of_peer": len(theirs),
        "share_found": len(theirs & (exact | renamed)) / max(len(theirs), 1),
        "share_found_as_exact": len(theirs & exact) / max(len(theirs), 1),
        "ours": {
            "exact": sum(not one.renamed for one in found.clones),
            "renamed": sum(one.renamed for one in found.clones),
            "lines_exact": len(exact),
            "lines_renamed": len(renamed - exact),
        },
        "exact_pairs": {"checked": checked, "false": false},
        "places_that_overlap_in_their_group": overlapping,
        "seconds": {"ours_wall": wall, "ours_cpu": seconds, "peer_wall": peer_wall, "peer_cpu": peer_seconds},
        "kilobytes": {"ours": memory, "peer": peer_memory},
    }
    if asked.out:
        asked.out.write_text(json.dumps(report, indent=1) + "\n")
    json.dump(report, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
