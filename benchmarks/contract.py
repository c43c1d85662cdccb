"""Record the answers of a source tree to every tool and command, and compare a tree with such a record.

    python benchmarks/contract.py record --src SRC --out RECORD FOLDER...
    python benchmarks/contract.py compare RECORD --src SRC FOLDER... [--only PATTERN]
    python benchmarks/contract.py compare RECORD RECORD [--only PATTERN]

SRC is the `src` folder of the tree; the interpreter that runs this program also runs the tree. Each FOLDER is copied,
indexed into a database of its own, and asked the calls of `contract.txt`: over one stdio server for tools, and as
one process per command. `compare` repeats the calls of the record, so that a tree cannot change the questions. It
prints each difference, and exits with 1 if there is one. Values that differ between two runs of one tree are masked.

PATTERN is a regular expression over the names of calls, such as `tool get_h|run .*hotspots`. Calls that write depend on
each other: if the pattern matches one of them, all run, and the matching ones are compared.
"""

import argparse
import datetime
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import contractcalls

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "contract", "version": "1"}}
SERVER = ("--toolsets", "all,edit")
COLUMNS = 100
PROCESSES = 2  # commands at a time
SHOWN = 12  # differences printed per call
MODIFIED = 1_700_000_000  # time of the first file of a copy; each further file is a minute younger
MASK = "~"
# Keys whose values differ between two runs of one tree.
VARYING = re.compile(
    r"(^|_)(ms|seconds|elapsed|duration|pid|port|cursor|uptime)$"
    r"|_(at|ms|s|mb)$"
    r"|^(job_id|index_id|workspace_id|sha256|storage_size|storage_size_pretty)$"
)
# Parts of texts that differ between two runs of one tree.
VARYING_TEXTS = (
    (re.compile(r"/var/lib/cocosearch-py/\w+(-\w+)?"), "/SERVER"),
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b"), MASK),  # ids of indexes
    (re.compile(r"(?<![@\w])[0-9a-f]{12}\b"), MASK),  # ids of jobs
    (re.compile(rf" +\d+\.\d +{MASK}"), f" {MASK} {MASK}"),  # seconds and ids of jobs in tables
    (re.compile(r" *\b\d+(\.\d+)? (ms|s|seconds?)\b"), f" {MASK} s"),
    (re.compile(r"_ms +\d+\.\d+"), f"_ms {MASK}"),
    (re.compile(r"\d+\.\d GiB free"), f"{MASK} GiB free"),
)
STAGES = re.compile(r"^[a-z]+\n", re.MULTILINE)  # stages of a run, which are printed only if they last
Answers = dict[str, Any]  # by call
Record = dict[str, dict[str, Answers]]  # by folder and phase


class Server:
    """An MCP server over stdio."""

    def __init__(self, tree: "Tree", folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [*tree.program, "mcp", *options],
            cwd=folder,
            env=tree.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.number = 0
        self.send("initialize", HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, method: str, params: Any) -> Any:
        """Return the result, or the error, of one request."""
        assert self.process.stdout
        self.number += 1
        self._write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            if (message := json.loads(line)).get("id") == self.number:
                return message.get("result", message.get("error"))
        raise RuntimeError(f"the server ended before it answered {method}")

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)

    def _write(self, message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


class Tree:
    """A source tree with a database of its own, asked about a copy of a folder."""

    def __init__(self, source: Path, scratch: Path, folder: Path) -> None:
        self.scratch = scratch
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "VIRTUAL_ENV")}
        self.environment = {
            **kept,
            "PYTHONPATH": str(source),
            "HOME": str(scratch),
            "COCOSEARCH_DATA_DIR": str(scratch / "data"),
            "COLUMNS": str(COLUMNS),
            "TZ": "UTC",
        }
        self.program = [sys.executable, "-P", "-m", "cocosearch_py"]
        self.copy = copy_of(folder, scratch / folder.name)
        self.values = {"root": str(self.copy)}
        self.run(["index", "."])
        self.server = Server(self, self.copy, ".", *SERVER)

    def answer(self, call: str) -> Any:
        """Answer one call by its name, as `contractcalls` writes them."""
        kind, _, rest = call.partition(" ")
        if kind == "run":
            return self.run(shlex.split(self._filled(rest)))
        if kind == "list":
            server = Server(self, self.copy, *shlex.split(rest))
            answer = server.send("tools/list", {})
            server.close()
            return answer
        name, _, arguments = self._filled(rest).partition(" ")
        if kind == "rpc":
            return opened(self.server.send(name, json.loads(arguments)))
        return self.tool(name, json.loads(arguments))

    def tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return the answer of a tool, with its next page if it has one."""
        answer = readable(self.server.send("tools/call", {"name": name, "arguments": arguments}))
        self._remember(answer)
        content = answer.get("content")
        if isinstance(content, dict) and content.get("next_cursor") and "cursor" not in arguments:
            answer["next_page"] = self.tool(name, {**arguments, "cursor": content["next_cursor"]})
        return answer

    def run(self, words: list[str]) -> Any:
        """Return exit code and output of a command."""
        ran = subprocess.run(
            [*self.program, *words],
            cwd=self.copy,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        errors = STAGES.sub("", ran.stderr)
        answer = {"exit": ran.returncode, "out": parsed(ran.stdout), "err": parsed(errors)}
        self._remember(answer)
        return answer

    def stop(self) -> None:
        self.server.close()
        self.run(["db", "stop"])

    def _remember(self, answer: Any) -> None:
        """Keep the latest ids and hashes, which later calls name as $job_id, $index_id and $hash."""
        for key, value in pairs(answer):
            if key in ("job_id", "index_id", "hash", "content_hash") and isinstance(value, str):
                self.values["hash" if "hash" in key else key] = value

    def _filled(self, text: str) -> str:
        return re.sub(r"\$(root|job_id|index_id|hash)\b", lambda name: self.values.get(name[1], name[0]), text)


def copy_of(folder: Path, target: Path) -> Path:
    """Copy a folder with its history; modification times are those of every copy."""
    shutil.copytree(folder, target, symlinks=True)
    for number, path in enumerate(sorted(target.rglob("*"))):
        os.utime(path, (MODIFIED + 60 * number,) * 2, follow_symlinks=False)
    return target


def parsed(text: str) -> Any:
    """Read a text as JSON if it is JSON, else as lines."""
    try:
        return json.loads(text)
    except ValueError:
        return text.splitlines()


def readable(result: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a tool with its JSON text read."""
    texts = [parsed(part["text"]) for part in result.get("content", ()) if part.get("type") == "text"]
    rest = {key: value for key, value in result.items() if key != "content"}
    return {**rest, "content": texts[0] if len(texts) == 1 else texts}


def opened(value: Any) -> Any:
    """Return the answer to a request with the JSON texts of resources read."""
    if isinstance(value, dict):
        return {key: parsed(inner) if key == "text" else opened(inner) for key, inner in value.items()}
    return [opened(inner) for inner in value] if isinstance(value, list) else value


def pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key of a document with its value."""
    if isinstance(value, dict):
        yield from value.items()
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from pairs(inner)


def masked(value: Any, texts: tuple[tuple[re.Pattern[str], str], ...]) -> Any:
    """Return a document with a mask for each value that differs between two runs of one tree."""
    if isinstance(value, dict):
        if "sha256" in value or "parts" in value:  # a file with times and ids in it
            value = {**value, "bytes": None}
        return {
            key: masked_type(inner) if VARYING.search(key) else masked(inner, texts) for key, inner in value.items()
        }
    if isinstance(value, list):
        return [masked(inner, texts) for inner in value]
    if isinstance(value, str):
        for pattern, replacement in texts:
            value = pattern.sub(replacement, value)
    return value


def masked_type(value: Any) -> Any:
    """Return the type of a varying value, or the value if it is masked already or has parts."""
    if isinstance(value, dict | list) or str(value).startswith(MASK):
        return value
    return f"{MASK}{type(value).__name__}"


def ask(source: Path, folder: Path, only: re.Pattern[str], old: dict[str, Answers] | None) -> dict[str, Answers]:
    """Return the masked answers of a tree about a folder: to the calls of a record, else to those of the table."""
    # Paths are of one length and shape, since they count as tokens and columns.
    scratch = Path(tempfile.gettempdir()) / f"contract-{os.getpid():08}"
    scratch.mkdir()  # open to the account that runs PostgreSQL for root
    try:
        tree = Tree(source.resolve(), scratch, folder.resolve())
        try:
            calls = old or contractcalls.calls(folder.name, tree.server.send("tools/list", {})["tools"])
            reads = [call for call in calls["read"] if only.search(call)]
            writes = list(calls["write"]) if any(only.search(call) for call in calls["write"]) else []
            answers = {
                "read": read_answers(tree, reads),
                "write": {call: tree.answer(call.partition(" ")[2]) for call in writes},
            }
        finally:
            tree.stop()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    texts = ((re.compile(re.escape(str(scratch))), "SCRATCH"), *times(), *VARYING_TEXTS)
    made: dict[str, Answers] = masked(answers, texts)
    return made


def read_answers(tree: Tree, calls: list[str]) -> Answers:
    """Return the answers to calls that only read: of the server one after the other, of processes two at a time."""
    processes = [call for call in calls if call.startswith(("run ", "list "))]
    answers = {call: tree.answer(call) for call in calls if call not in processes}
    with ThreadPoolExecutor(PROCESSES) as pool:
        return answers | dict(zip(processes, pool.map(tree.answer, processes), strict=True))


def times() -> list[tuple[re.Pattern[str], str]]:
    """Patterns of the times of today, yesterday and tomorrow."""
    now = datetime.datetime.now(datetime.UTC)
    days = "|".join(f"{now - datetime.timedelta(days=ago):%Y-%m-%d}" for ago in (-1, 0, 1))
    return [(re.compile(rf"({days})([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?( ?Z| UTC|[+-]\d\d:?\d\d)?"), MASK)]


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield each difference of two answers with the path of its key."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key not in new or key not in old:
                yield f"{path}.{key}: {'gone' if key in old else 'new'}: {short(old.get(key, new.get(key)))}"
            else:
                yield from differences(old[key], new[key], f"{path}.{key}")
        if list(old) != list(new) and old.keys() == new.keys():
            yield f"{path}: the keys have another order"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and not is_text(old):
        for number, (before, now) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, now, f"{path}[{number}]")
    elif isinstance(old, list) and isinstance(new, list):
        lines = difflib.unified_diff([short(item) for item in old], [short(item) for item in new], n=0, lineterm="")
        yield from (f"{path}: {line.rstrip()}" for line in list(lines)[2:] if not line.startswith("@@"))
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        yield from differences(old.splitlines(keepends=True), new.splitlines(keepends=True), path)
    elif old != new or type(old) is not type(new):
        yield f"{path}: {short(old)} -> {short(new)}"


def is_text(lines: list[Any]) -> bool:
    return any(isinstance(line, str) for line in lines)


def short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * COLUMNS else f"{text[: 2 * COLUMNS]}…"


def read_record(path: Path) -> Record:
    """Read a record, with the masks of today."""
    record: Record = masked(json.loads(path.read_text(encoding="utf-8")), VARYING_TEXTS)
    return record


def compare(before: Record, now: Record, only: re.Pattern[str]) -> int:
    """Print the differences of two records in the folders of the second; return their number."""
    total = 0
    for folder, phases in now.items():
        for phase, answers in before[folder].items():
            other = phases[phase]
            for call in [call for call in {**answers, **other} if only.search(call)]:
                if call not in answers or call not in other:
                    lines = ["gone" if call in answers else "new"]
                else:
                    lines = list(differences(answers[call], other[call]))
                if lines:
                    more = [f"… {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
                    print(f"{folder}: {call}", *lines[:SHOWN], *more, sep="\n    ")
                total += len(lines)
        asked = sum(bool(only.search(call)) for phase in phases.values() for call in phase)
        print(f"{folder}: {asked} calls compared, {total} differences so far", flush=True)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("paths", nargs="+", type=Path, help="folders; `compare` takes a record first")
    parser.add_argument("--src", type=Path)
    parser.add_argument("--out", type=Path, help="file for the record")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="PATTERN")
    given = parser.parse_intermixed_args()
    if given.action == "record":
        made: Record = {folder.name: ask(given.src, folder, given.only, None) for folder in given.paths}
    else:
        before = read_record(given.paths[0])
        if given.src:
            made = {path.name: ask(given.src, path, given.only, before[path.name]) for path in given.paths[1:]}
        else:
            made = read_record(given.paths[1])
    if given.out:
        given.out.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if given.action == "compare":
        sys.exit(compare(before, made, given.only) > 0)


if __name__ == "__main__":
    main()
