"""Secrets beside detect-secrets: what each finds in the same files, how much of it is one, time and memory.

    python benchmarks/audit_secrets.py REPOSITORIES NAMES --peer PROGRAM [--verdicts FILE] [--out FILE]

Each repository, or folder of one, is given to `PROGRAM scan --no-verify --all-files .` and to our scan, one after the
other in one run; `--kept FOLDER` takes answers of the peer that were kept there as NAME.json, with NAME.time, which GNU
time wrote. A finding is a line of a file with a kind. `--verdicts` is a table made by hand: for each line that
either of the two names, a class, and whether that class is a secret; line 0 is all of a file.

Recall is the share of the peer's true lines that are ours as well; false alarms are lines of other classes. Lines
without a verdict are counted apart and listed, without the values.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from cocosearch_py.analysis.paths import is_example, is_test
from cocosearch_py.audit.common import is_secondary
from cocosearch_py.audit.secrets.detector import _is_settings
from cocosearch_py.audit.secrets.scan import PUBLIC_IP, Scanned, Secret, scan
from cocosearch_py.discovery.classes import class_of_path
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Skip, inspect
from cocosearch_py.model.files import ContentClass, SkipReason

MAX_BYTES = 2 * 1024 * 1024
Line = tuple[str, str, int]  # repository, path, line


def files_of(root: Path) -> list[str]:
    """All files, as the peer sees them with `--all-files`."""
    found = [Path(folder, name) for folder, _, names in os.walk(root) for name in names if ".git/" not in f"{folder}/"]
    return sorted(path.relative_to(root).as_posix() for path in found if not path.is_symlink())


def ours(root: Path) -> dict[tuple[str, int], str]:
    """Line to rule, of our own detector over the same files."""
    found: list[tuple[str, bytes, Secret]] = []
    doubtful: list[tuple[str, bytes, Secret]] = []
    with FolderReader(str(root.resolve()), MAX_BYTES) as reader:
        for path in files_of(root):
            naming = class_of_path(path)
            if naming is not None and naming.content_class in (
                ContentClass.LOCK,
                ContentClass.VENDORED,
                ContentClass.GENERATED,
                ContentClass.SNAPSHOT,
            ):
                continue
            data = reader.read(path)
            if isinstance(data, Skip):
                continue
            text = inspect(path, data)
            if isinstance(text, Skip) and text.reason is not SkipReason.SECRET:
                continue
            source = data if isinstance(text, Skip) else text.source
            scanned: Scanned = scan(source, bare=_is_settings(path, source))
            found += ((path, source, one) for one in scanned.secrets)
            doubtful += ((path, source, one) for one in scanned.doubtful)
    known = {one.value for _, _, one in found}
    found += (one for one in doubtful if one[2].value in known)
    return {
        (path, source.count(b"\n", 0, one.start) + 1): one.rule
        for path, source, one in found
        if one.rule != PUBLIC_IP or not (is_test(path) or is_example(path) or is_secondary(path, "code"))
    }


def theirs(root: Path, name: str, program: str, kept: Path | None) -> tuple[dict[tuple[str, int], str], float, int]:
    """Line to kind, of the peer; seconds of the processor; kilobytes."""
    file = kept / f"{name.replace('/', '__')}.json" if kept else None
    if file is not None and file.exists() and file.stat().st_size:
        report, used = json.loads(file.read_text()), file.with_suffix(".time").read_text().split()[-3:]
        seconds, memory = float(used[1]), int(used[2])
    else:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [program, "scan", "--no-verify", "--all-files", "."], cwd=root, capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        report, seconds, memory = json.loads(done.stdout), after.ru_utime - before.ru_utime, after.ru_maxrss
    found: dict[tuple[str, int], str] = {}
    for path, rows in report["results"].items():
        for row in rows:
            found.setdefault((path.removeprefix("./"), row["line_number"]), row["type"])
    return found, seconds, memory


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repositories", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--peer", required=True)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    table = json.loads(asked.verdicts.read_text()) if asked.verdicts else {"classes": {}, "lines": []}
    verdicts = {(row[0], row[1], row[2]): row[3] for row in table["lines"]}
    counts: Counter[tuple[str, str]] = Counter()
    rows, open_lines, times = [], [], []
    for name in asked.names:
        root = asked.repositories / name
        peer, peer_seconds, peer_memory = theirs(root, name, asked.peer, asked.kept)
        begun = time.process_time()
        mine = ours(root)
        seconds = time.process_time() - begun
        times.append([name, round(seconds, 2), round(peer_seconds, 2), peer_memory])
        for path, line in sorted({*peer, *mine}):
            verdict = verdicts.get((name, path, line)) or verdicts.get((name, path, 0))
            kinds = (peer.get((path, line)), mine.get((path, line)))
            if verdict is None:
                open_lines.append([name, path, line, *kinds])
                continue
            is_true = "true" if table["classes"][verdict] else "false"
            for who, kind in zip(("peer", "ours"), kinds, strict=True):
                counts[who, is_true] += kind is not None
            counts["both", is_true] += None not in kinds
            rows.append([name, path, line, verdict, *kinds])
    peer_true, ours_false, peer_false = counts["peer", "true"], counts["ours", "false"], counts["peer", "false"]
    report = {
        "recall_of_true_lines_of_peer": counts["both", "true"] / max(peer_true, 1),
        "false_alarms_by_those_of_peer": ours_false / max(peer_false, 1),
        "lines": {f"{who} {what}": count for (who, what), count in sorted(counts.items())},
        "without_verdict": len(open_lines),
        "classes": {
            kind: {
                "secret": table["classes"][kind],
                "peer": sum(1 for row in rows if row[3] == kind and row[4]),
                "ours": sum(1 for row in rows if row[3] == kind and row[5]),
            }
            for kind in sorted({row[3] for row in rows})
        },
        "seconds": {"ours": round(sum(row[1] for row in times), 1), "peer": round(sum(row[2] for row in times), 1)},
        "kilobytes": {
            "ours": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            "peer": max(row[3] for row in times),
        },
        "by_repository": times,
    }
    if asked.out:
        asked.out.write_text(json.dumps(report, indent=1) + "\n")
    json.dump({**report, "open": open_lines}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
