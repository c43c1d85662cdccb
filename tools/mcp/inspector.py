"""Drives the product with the command line of MCP's Inspector: over stdio, streamable HTTP and SSE, in both eras.

    python tools/mcp/inspector.py [--work FOLDER]

Lists the tools with its strict check of schemas and calls every tool once, lists the resources and reads each; then the
same of a server with the tools for edits, the wiki, audits and pipelines. Needs npm, and the network for the first run
in a work folder. Exits with 1 when anything fails.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from common import INDEX, Programs, Sample, install, sample, serving, table, work_folder

PACKAGE = "@modelcontextprotocol/inspector@2.12.0"
TOKEN = "loopback-test-token"  # guards a server that lives for this run
CALL_TIMEOUT_S = 60
# The order matters: what deletes comes last.
CALLS: dict[str, dict[str, object]] = {
    "search_code": {"query": "retry with backoff", "index_name": INDEX},
    "analyze_query": {"query": "format price", "index_name": INDEX},
    "search_text": {"query": "percent", "index_name": INDEX},
    "find_symbol": {"name": "Cart", "index_name": INDEX},
    "find_references": {"symbol": "call", "index_name": INDEX},
    "read_code": {"path": "shop/cart.py", "index_name": INDEX},
    "summarize": {"paths": ["shop"], "index_name": INDEX},
    "list_indexes": {},
    "index_stats": {"index_name": INDEX},
    "index_codebase": {"path": ".", "index_name": INDEX},
    "index_status": {"index_name": INDEX},
    "clear_index": {"index_name": INDEX, "dry_run": True},
}
MORE_TOOLS = ("--toolsets", "edit,wiki", "--tools", "audit_code,run_pipeline")
TEXT = "made = 1\n"
# What no list has; the last of them is answered with a text that says so.
MORE_RESOURCES = ("repo://status", f"mimir://indexes/{INDEX}/status.json", "mimir://indexes/none/log.md")


@dataclass(frozen=True, slots=True)
class Way:
    """How to reach the server: a name, and the arguments of the Inspector that say so."""

    name: str
    arguments: tuple[str, ...]


def main() -> int:
    """Run all; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--work", type=Path, help="folder for packages; kept")
    given = parser.parse_args()
    with work_folder(given.work) as work:
        programs = install(work / "inspector", [PACKAGE])
        with sample(work) as made:
            rows = _all(programs, made, work)
    print(table(f"{PACKAGE}", [("transport", "method", "verdict"), *rows]))
    return 0 if all(row[2].startswith("ok") for row in rows) else 1


def more_calls(number: int) -> dict[str, dict[str, object]]:
    """Calls of the tools that `MORE_TOOLS` lists, of files and pages of their own each time."""
    file, page = f"shop/made_{number}.py", f"cart-{number}"
    known = blake2b(TEXT.encode(), digest_size=16).hexdigest()
    calls: dict[str, dict[str, object]] = {
        "create_file": {"path": file, "content": TEXT},
        "patch_file": {"path": file, "range_start": 1, "content": "made = 2", "if_hash": known},
        "list_changes": {},
        "audit_code": {"include": ["dead-code", "secrets", "duplicates"]},
        "run_pipeline": {"pipeline": "symbols Cart | callers | limit 2"},
        "wiki_generate": {"force": True},
        "wiki_update": {},
        "wiki_contribute": {
            "page": page,
            "title": f"The cart, {number}",
            "content": "# The cart\n\nIt holds items.\n",
            "page_type": "entity",
            "source_files": ["shop/cart.py"],
        },
        "wiki_read": {"page": page},
        "wiki_status": {},
        "wiki_search": {"query": "what holds items?"},
        "wiki_record_failure": {
            "symptom": f"the sum is wrong, {number}",
            "attempted_fix": "rounding",
            "diagnosis": "prices are cents",
        },
        "wiki_compound": {"synthesis": "The cart holds items until they are paid.", "apply": False},
    }
    return {name: {**values, "index_name": INDEX} for name, values in calls.items()}


def _all(programs: Programs, made: Sample, work: Path) -> list[tuple[str, str, str]]:
    rows = []
    with _ways(made, work, ()) as ways:
        for way in ways:
            rows += _try_resources(programs, way) + _try(programs, way, CALLS)
    with _ways(made, work, MORE_TOOLS) as ways:
        for number, way in enumerate(ways):
            rows += _try(programs, way, more_calls(number))
    return rows


@contextmanager
def _ways(made: Sample, work: Path, options: Sequence[str]) -> Iterator[list[Way]]:
    """The ways to servers with these options."""
    variables = [f"{name}={made.environment[name]}" for name in ("PYTHONPATH", "COCOSEARCH_DATA_DIR")]
    program = made.command("mcp", str(made.folder), *options)
    local = (*program, *(part for pair in variables for part in ("-e", pair)))
    http = [*program, "--transport", "http", "--port", "0", "--auth-token", TOKEN]
    with serving(http, made.environment, work) as address:
        allowed = ("--header", f"Authorization: Bearer {TOKEN}")
        yield [
            Way("stdio", local),
            Way("stdio, 2026-07-28", (*local, "--protocol-era", "modern")),
            Way("stdio, structured", (*local, "--structured-content")),
            Way("http", (f"{address}/mcp", *allowed)),
            Way("http, 2026-07-28", (f"{address}/mcp", *allowed, "--protocol-era", "modern")),
            Way("sse", (f"{address}/sse", "--transport", "sse", *allowed)),
        ]


def _try(programs: Programs, way: Way, calls: Mapping[str, Mapping[str, object]]) -> list[tuple[str, str, str]]:
    code, out, error = _inspect(programs, way, "tools/list", "--strict")
    if code:
        return [(way.name, "tools/list --strict", f"FAILED ({code}): {error[-300:]}")]
    if "Warning" in error:
        return [(way.name, "tools/list --strict", f"FAILED: {error[-300:]}")]
    listed = [tool["name"] for tool in json.loads(out)["tools"]]
    rows = [(way.name, "tools/list --strict", f"ok, {len(listed)} tools")]
    unknown = set(listed) ^ set(calls)
    if unknown:
        rows.append((way.name, "tools/list --strict", f"FAILED: no call is known for {', '.join(sorted(unknown))}"))
    for name, values in calls.items():
        arguments = json.dumps(values)
        rows.append(
            (
                way.name,
                name,
                _verdict(*_inspect(programs, way, "tools/call", "--tool-name", name, "--tool-args-json", arguments)),
            )
        )
    return rows


def _try_resources(programs: Programs, way: Way) -> list[tuple[str, str, str]]:
    rows, uris = [], []
    for method, member in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")):
        code, out, error = _inspect(programs, way, method)
        found = json.loads(out)[member] if code == 0 else []
        uris += [one["uri"] for one in found if "uri" in one]
        rows.append((way.name, method, f"ok, {len(found)}" if found else f"FAILED ({code}): {error[-300:]}"))
    for uri in [*uris, *MORE_RESOURCES]:
        code, out, error = _inspect(programs, way, "resources/read", "--uri", uri)
        content = json.loads(out)["contents"][0] if code == 0 else {}
        size = len(content.get("text") or content.get("blob") or "")
        rows.append((way.name, uri, f"ok, {size} characters" if size else f"FAILED ({code}): {(error or out)[-300:]}"))
    return rows


def _inspect(programs: Programs, way: Way, method: str, *more: str) -> tuple[int, str, str]:
    command = ["--cli", *way.arguments, "--connect-timeout", str(CALL_TIMEOUT_S * 1000), "--method", method, *more]
    done = programs.run("mcp-inspector", command, CALL_TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def _verdict(code: int, out: str, error: str) -> str:
    if code:
        return f"FAILED ({code}): {(error or out)[-300:]}"
    answer = json.loads(out)
    if answer.get("structuredContent"):
        return f"ok, structured, {len(json.dumps(answer['structuredContent']))} characters"
    text = answer["content"][0]["text"]
    return f"ok, {len(text)} characters" if json.loads(text) else "FAILED: an empty answer"


if __name__ == "__main__":
    sys.exit(main())
