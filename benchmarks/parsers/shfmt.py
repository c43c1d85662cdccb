"""Prints the functions of shell scripts as shfmt sees them: paths in, [path, line, end line, kind, name] out."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any


def main() -> None:
    for path in filter(None, sys.stdin.read().split("\n")):
        with open(path, "rb") as source:
            done = subprocess.run(["shfmt", "--to-json"], stdin=source, capture_output=True, check=False)
        if done.returncode:
            print(json.dumps({"bad": path}))
            continue
        for one in functions(json.loads(done.stdout)):
            print(json.dumps([path, one["Pos"]["Line"], one["End"]["Line"], "function", one["Name"]["Value"]]))


def functions(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for one in node:
            yield from functions(one)
    elif isinstance(node, dict):
        if node.get("Type") == "FuncDecl":
            yield node
        for one in node.values():
            yield from functions(one)


if __name__ == "__main__":
    main()
