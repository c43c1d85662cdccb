"""Counts what `tools/list` of the default tools costs an agent, with a real tokenizer.

    python tools/mcp/tokens.py [--work FOLDER]

Needs npm, and the network for the first run in a work folder. Exits with 1 from MAX_TOKENS on. A test without npm
bounds the characters instead; see tests/mcp/test_load.py.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from common import SOURCE, install, table, work_folder

PACKAGE = "gpt-tokenizer@4.0.0"  # carries its data, so that it counts offline
MAX_TOKENS = 3_500
TIMEOUT_S = 60
_SCRIPT = (
    "const {encode} = require('gpt-tokenizer');"
    "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
    "console.log(JSON.stringify(texts.map(text => encode(text).length)));"
)


def main() -> int:
    """Count and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--work", type=Path, help="folder for packages; kept")
    given = parser.parse_args()
    tools = asyncio.run(listed())
    names = [*(tool["name"] for tool in tools), "tools/list"]
    texts = [*map(compact, tools), compact({"tools": tools})]
    with work_folder(given.work) as work:
        programs = install(work / "tokenizer", [PACKAGE])
        counted = subprocess.run(
            ["node", "-e", _SCRIPT],
            cwd=programs.folder,
            env=programs.environment,
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        )
    counts: list[int] = json.loads(counted.stdout)
    rows = [(name, str(len(text)), str(count)) for name, text, count in zip(names, texts, counts, strict=True)]
    print(table(f"{PACKAGE}, o200k_base; the bound is {MAX_TOKENS}", [("tool", "characters", "tokens"), *rows]))
    return 0 if counts[-1] < MAX_TOKENS else 1


async def listed() -> list[dict[str, Any]]:
    """The tools as they go over the wire."""
    sys.path.insert(0, str(SOURCE))
    from fastmcp import Client

    from cocosearch_py.mcp.server import create_server
    from cocosearch_py.server.options import ServerOptions

    def no_engine(_: Path) -> Any:
        raise AssertionError("listing opens no engine")

    server, _ = create_server(no_engine, ServerOptions())
    async with Client(server, mode="legacy") as client:
        found = await client.list_tools_mcp()
    tools: list[dict[str, Any]] = found.model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]
    return tools


def compact(value: Any) -> str:
    """JSON as servers send it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
