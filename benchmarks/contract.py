"""Whether the JSON of this version still has every key that another one had, with values of the same type.

    python benchmarks/contract.py FOLDER... --peer SRC [--values] [--json OUT]

`--peer` names the `src` folder of the other, older version, which the same interpreter runs. Each version indexes a
copy of each FOLDER into a database of its own, and is asked the same by its tools (over stdio) and its commands: those
that both have are compared, mistakes included. A key that is gone or whose values have other types is printed with the
calls it is missing from; new keys are allowed, and counted. Exits with 1 if anything is gone.

`--values` also lists where the values under a key that both have are others, in any order: those that only one version
has, and in which calls. What differs between any two runs (times, identities, sizes on disk) is left out. A difference
is not counted as a fault: whether it is meant is for a reader to say.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "contract", "version": "1"}}
QUERIES = (
    "where are errors handled",
    "main",
    "configuration of the request",
    "lang:python path:src test",
    "zqxjkv wvut",
)
Shape = dict[str, set[str]]  # path of a key -> types of its values
Values = dict[str, Counter[str]]  # path of a key -> its values, as JSON
# Keys whose values are others in every run.
_VARYING = re.compile(r"(_at|_ms|_s|_id|_mb|_bytes|seconds|duration|elapsed|time|pid|port|size|rate|_pretty|_prefix)$")
_SHOWN = 3  # values of a difference

TOOLS: list[tuple[str, dict[str, Any]]] = [
    *(("search_code", {"query": query}) for query in QUERIES),
    ("search_code", {"query": "error", "compact": True}),
    ("search_code", {"query": "error", "include_content": False, "offset": 2, "limit": 3}),
    ("search_code", {"query": "error", "max_tokens": 400}),
    ("search_code", {"query": "error", "context_lines": 2, "snippet_chars": 50, "symbol_type": "function"}),
    ("search_code", {"query": "error", "index_names": ["*"]}),
    ("search_code", {"query": "error", "index_name": "nowhere"}),
    ("search_code", {"query": ""}),
    *(("analyze_query", {"query": query}) for query in QUERIES),
    ("analyze_query", {"query": "error", "explain_path": "no/such/file.py"}),
    ("list_indexes", {}),
    ("index_stats", {}),
    ("index_stats", {"index_name": "NAME", "include_failures": True, "include_skipped": True}),
    ("index_status", {}),
    ("index_status", {"index_name": "NAME"}),
    ("index_status", {"job_id": "nothing"}),
    ("index_codebase", {"path": "."}),
    ("index_codebase", {"path": ".", "fresh": True}),
    ("index_codebase", {"path": "no-such-folder"}),
    ("cancel_indexing", {"job_id": "nothing"}),
    ("clear_index", {"index_name": "NAME", "dry_run": True}),
    ("clear_index", {"index_name": "nowhere"}),
    ("clear_index", {"all": True}),
    ("clear_index", {"index_name": "NAME"}),
]
COMMANDS: list[list[str]] = [
    *(["search", query] for query in QUERIES[:3]),
    ["search", "error", "--files-only"],
    ["search", "error", "--index", "nowhere"],
    ["analyze", "where are errors handled"],
    ["list"],
    ["stats"],
    ["languages"],
    ["index", "."],
    ["index", "no-such-folder"],
    ["config", "show"],
    ["config", "path"],
    ["config", "check"],
    ["db", "url"],
    ["db", "current"],
    ["doctor"],
    ["eval", "--limit", "5"],
    ["clear", "nowhere", "--force"],
]


class Version:
    """One version of the program, with a database of its own."""

    def __init__(self, source: Path, scratch: Path) -> None:
        self.scratch = scratch
        self.environment = {**os.environ, "PYTHONPATH": str(source), "COCOSEARCH_DATA_DIR": str(scratch / "data")}
        scratch.mkdir()

    def command(self, *arguments: str, folder: Path) -> Any:
        """The JSON that a command prints, on whichever stream; None if that is none."""
        program = [sys.executable, "-P", "-m", "cocosearch_py", "--json", "--quiet", *arguments]
        ran = subprocess.run(program, cwd=folder, env=self.environment, capture_output=True, text=True, check=False)
        for text in (ran.stdout, ran.stderr.strip().rpartition("\n")[2]):
            try:
                return json.loads(text)
            except ValueError:
                continue
        return None

    def tools(self, folder: Path, name: str) -> Iterator[tuple[str, Any]]:
        """What each call answers, of the tools that this version lists."""
        pipe = subprocess.PIPE
        program = [sys.executable, "-P", "-m", "cocosearch_py", "mcp"]
        server = subprocess.Popen(
            program, cwd=folder, env=self.environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        with server:
            assert server.stdin and server.stdout

            def ask(number: int, method: str, **parameters: Any) -> dict[str, Any]:
                assert server.stdin and server.stdout
                request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
                server.stdin.write(json.dumps(request) + "\n")
                server.stdin.flush()
                while (answer := json.loads(server.stdout.readline())).get("id") != number:
                    continue
                return answer

            ask(0, "initialize", **HELLO)
            server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            for number, (tool, arguments) in enumerate(TOOLS, start=1):
                given = {key: name if value == "NAME" else value for key, value in arguments.items()}
                answer = ask(number, "tools/call", name=tool, arguments=given)
                yield f"{tool} {json.dumps(arguments)}", content(answer)
            server.stdin.close()

    def answers(self, folder: Path) -> dict[str, Any]:
        """By call, about a copy of the folder that is gone afterwards with its index."""
        copy = shutil.copytree(folder, self.scratch / folder.name, symlinks=True)
        name = self.command("index", ".", folder=copy)["index_name"]
        made = {f"$ {' '.join(words)}": self.command(*words, folder=copy) for words in COMMANDS}
        made |= dict(self.tools(copy, name))
        shutil.rmtree(copy)
        text = json.dumps(made).replace(str(self.scratch), "SCRATCH")
        return dict(json.loads(text))

    def stop(self) -> None:
        self.command("db", "stop", folder=self.scratch)


def content(answer: dict[str, Any]) -> Any:
    """What a tool answers: its structured content, or its texts read as JSON."""
    result = answer.get("result", answer)
    texts = [part["text"] for part in result.get("content", ()) if part.get("type") == "text"]
    read = []
    for text in texts:
        try:
            read.append(json.loads(text))
        except ValueError:
            read.append(text)
    return {"isError": bool(result.get("isError")), "structured": result.get("structuredContent"), "texts": read}


def shape(value: Any, path: str = "") -> Shape:
    """The keys of a document, with the types of their values; items of a list share one path."""
    found: Shape = defaultdict(set)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    found[path].add("number" if is_number else type(value).__name__)
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(f".{key}", one) for key, one in value.items()]
    elif isinstance(value, list):
        inner = [("[]", one) for one in value]
    for key, one in inner:
        for below, types in shape(one, path + key).items():
            found[below] |= types
    return found


def values(value: Any, path: str = "") -> Values:
    """The values of a document by the path of their key; items of a list share one path."""
    found: Values = defaultdict(Counter)
    if isinstance(value, dict):
        inner = [(f".{key}", one) for key, one in value.items() if not _VARYING.search(key)]
    elif isinstance(value, list):
        inner = [("[]", one) for one in value]
    else:
        found[path][json.dumps(value, ensure_ascii=False)] += 1
        return found
    for key, one in inner:
        for below, some in values(one, path + key).items():
            found[below] += some
    return found


def other_values(before: dict[str, Any], now: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Path of a key -> calls in which its values are others, and some of those that only one version has."""
    other: dict[str, dict[str, Any]] = {}
    for call, old_answer in before.items():
        old, new = values(old_answer), values(now.get(call))
        for path in old.keys() & new.keys():
            if old[path] != new[path]:
                told = other.setdefault(path, {"calls": []})
                told["calls"].append(call)
                told.setdefault("before", list(old[path] - new[path])[:_SHOWN])
                told.setdefault("now", list(new[path] - old[path])[:_SHOWN])
    return dict(sorted(other.items()))


def differences(before: dict[str, Shape], now: dict[str, Shape]) -> tuple[dict[str, list[str]], int]:
    """(what is gone or has other types -> calls, number of new keys)."""
    gone: dict[str, list[str]] = defaultdict(list)
    new = set()
    for call, old in before.items():
        current = now.get(call, {})
        new |= {(call, path) for path in current if path not in old}
        for path, types in old.items():
            if path not in current:
                if path.rpartition(".")[0] in current:  # else what holds it is told already
                    gone[f"gone: {path}"].append(call)
            elif lost := types - current[path] - ({"NoneType"} if current[path] - {"NoneType"} else set()):
                gone[f"was {'|'.join(sorted(lost))}, is {'|'.join(sorted(current[path]))}: {path}"].append(call)
    return gone, len(new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--peer", type=Path, required=True)
    parser.add_argument("--values", action="store_true", help="tell of other values, too")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    above = os.path.commonpath([folder.resolve().parent for folder in asked.folders])
    told: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o755)  # the account that runs PostgreSQL for root must be able to enter
        versions = [
            Version(asked.peer.resolve(), Path(temporary) / "before"),
            Version(Path(__file__).resolve().parents[1] / "src", Path(temporary) / "now"),
        ]
        try:
            for folder in asked.folders:
                old, current = (version.answers(folder.resolve()) for version in versions)
                before, now = ({call: shape(one) for call, one in some.items()} for some in (old, current))
                gone, new = differences(before, now)
                name = os.path.relpath(folder.resolve(), above)
                told[name] = {"calls": len(before), "new_keys": new, "gone": gone}
                print(f"{name}: {len(before)} calls, {new} new keys, {len(gone)} gone or of another type", flush=True)
                for what, calls in gone.items():
                    print(f"  {what}  ({len(calls)}: {calls[0]})", flush=True)
                if asked.values:
                    told[name]["other_values"] = others = other_values(old, current)
                    for path, one in others.items():
                        print(f"  other: {path}  ({len(one['calls'])}: {one['calls'][0]})", flush=True)
        finally:
            for version in versions:
                version.stop()
    if asked.json:
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    sys.exit(any(one["gone"] for one in told.values()))


if __name__ == "__main__":
    main()
