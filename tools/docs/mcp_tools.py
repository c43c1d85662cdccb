"""Writes docs/mcp-tools.md from the server itself: `python tools/docs/mcp_tools.py [--check]`.

With --check it writes nothing and exits 1 when the file is out of date.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cocosearch_py.mcp.command import make_parser
from cocosearch_py.mcp.projects import Projects
from cocosearch_py.mcp.server import INSTRUCTIONS, all_tools
from cocosearch_py.mcp.tools import make_tool
from cocosearch_py.mcp.toolsets import PARAMETER_ALIASES, ToolOperation
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.tools.declaration import Alias
from cocosearch_py.tools.registry import dialect

TARGET = Path(__file__).parents[2] / "docs" / "mcp-tools.md"
COMMAND = "python tools/docs/mcp_tools.py"

HEAD = f"""\
# MCP tools

Made by `{COMMAND}` from the server itself; change the texts there, then run it again.

The server tells every client:

> {INSTRUCTIONS}

An answer is one block of text with compact JSON. With `--structured-content` it is structured content instead,
with an array as the member `result`, and `tools/list` has each tool's output schema.
No answer has more than 20,000 tokens, or `max_tokens` if the tool has that parameter. The whole answer counts, with
notes and names. The count is too high rather than too low: in the median by a fifth for Claude's tokenizer, by two
fifths for GPT's.
A failed call is marked as an error. Its text is one object:
`{{"success": false, "error": true, "error_type": "...", "message": "...", "details": {{}},
"actionable_guidance": ["..."]}}`.
`error_type` is `validation_error`, `not_found`, `not_indexed`, `index_collision`, `workspace_error`, `safety_error`,
`conflict`, `timeout`, `permission_denied`, `service_connection_error`, `configuration_error`, `cancelled` or
`operation_error`. In CocoSearch's six tools, `error` is the message; elsewhere it is true.

Besides tools there are [resources](how-to/resources.md), which clients can read by address and subscribe to.

## Elements beside the results of `search_code`

| `type` | where | when |
|---|---|---|
| `search_context` | first | the call named no index: `index_name`, `root_path`, `last_indexed_at`, `detected_by` |
| `confidence` | end | always: `level` is `high`, `medium` or `low`, `message` says why |
| `warning` | end | a value was out of range and the nearest allowed value was used; a filter matches nothing \
(the nearest existing values are listed); or one of several indexes failed |
| `incomplete_index` | end | the last run was interrupted; `files_indexed` and `files_pending` count the files |
| `staleness_warning` | end | the index is older than seven days |
| `stale_results` | end | files of results (`files`) are gone, or have changed and were not indexed again in time. \
A result from such a file has `stale`: `moved` (its line numbers match the disk) or `changed` (its text is old) |
| `branch_staleness_warning` | end | the branch or commit differs from the indexed one |
| `truncated` | end | not all results fit into `max_tokens`, or lines of passages were left out; \
the message says how to get the rest |

If other files contain almost the same passage, a result lists their paths in `copies`. Copies rank after all other
results.

By default, an answer is packed into about 5,800 characters. `full`, `max_tokens`, `snippet_chars`, any context or
`smart_context=false` change that. The first passage is whole, with its context if there is room; the remaining room
goes to the next passages. Other results show only matching lines, or the signature alone. In `content`,
`... line 57:` comes before the next shown line, and `...` marks the end of a shortened passage. Few results (`limit`)
are shown whole.

## Which project a call is about

`index_name` > the client's roots > `?project=` of the address (or `X-Cocosearch-Project`) > PATH or
`--project-from-cwd` > `COCOSEARCH_PROJECT_PATH` > the working folder. `COCOSEARCH_INDEX_NAME` names the index of every
call that names none.

An ID can replace an index name everywhere, here and on the command line. `index_id` is a
[ULID](https://github.com/ulid/spec). An index has it before its first run ends, and keeps it until it is deleted, even
when it is rebuilt. `ws-` plus the first 12 hexadecimal digits of the SHA-256 of the folder's absolute path
(`printf %s "$PWD" | sha256sum`) means that folder's first index by name. A name has priority over an ID.

A call about a folder uses the folder's own index, or else the index of the nearest folder above it in the same
project. A git repository, a linked worktree and a folder with its own configuration file are each a project; a
submodule belongs to the project around it. Outside every project, the nearest index above is used, except an index of
`/` or of a home folder. `search_context` names the index.

On Windows and in WSL one folder may be written `C:\\x`, `C:/x`, `/c/x`, `/mnt/c/x` or `file:///C:/x`, in roots, in
`?project=` and in the `path` of `index_codebase`. On other systems `C:` and `/c` are ordinary names, and only
`file:` addresses are accepted.

## Watching a server

| HTTP path | response |
|---|---|
| `/health` | 200 while the process serves. Restart it otherwise. |
| `/ready` | 200 if a call would find its database and schema, otherwise 503 with a `reason` |
| `/metrics` | metrics in Prometheus' text format; needs the token, if there is one |

`/ready` starts nothing. A stopped embedded server and a database without our schema count as ready, because the first
call starts the server and creates the schema.

Metrics: `cocosearch_tool_calls_total` by `tool` and `outcome` (`ok`, `error`, `cancelled`), the histogram
`cocosearch_tool_call_duration_seconds` by `tool`, `cocosearch_open_calls`, `cocosearch_sessions` by `transport`,
`cocosearch_unfinished_jobs`, `cocosearch_search_processes`, and the process's own `process_resident_memory_bytes`,
`process_cpu_seconds_total` and `process_start_time_seconds`.

## Many clients

All clients of an HTTP server share one engine. When three or more calls are open at once, search processes take over
searches, because the interpreter runs one thread at a time. By default there is at most one process per core and at
most eight (none on a single core); `--processes` sets the number, up to sixteen. They start one after another on
demand, end after a minute without work, and take some 50 MB and two database connections each. Set the number in a
container that limits the CPU time but not the cores. With a model other than the bundled one, all searches stay in the
server. docs/adr/0008 has the reasons and figures.

## Long runs

`index_codebase` waits at most 20 s and reports progress. After that it returns the `state` `running` and a
`job_id`. `index_status` shows the job's progress, and `cancel_indexing` stops it. Jobs run one after another. A stopped
job keeps its complete batches. Jobs end with the server.
"""


def main() -> int:
    text = "\n".join(document()).rstrip() + "\n"
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.name} is out of date: run `{COMMAND}`", file=sys.stderr)
    return 1


def document() -> Iterator[str]:
    yield HEAD
    yield "## Tools\n"
    yield "Tool lists leave out parameters marked `unlisted`, and by default also tools marked `unlisted`."
    yield "Clients can use both. `--toolsets` and `--tools` list the tools that they name.\n"
    for operation in all_tools():
        yield from describe(operation)
    yield "## Names of other programs\n"
    yield "These names work as in their program, but are never listed. A tool's own name has priority, and so have"
    yield "a call's own arguments. They also take the parameters of the tool that they stand for, except the names"
    yield "with their own answers and errors, which are called as their program documents.\n"
    yield "| name | program | stands for | with | its own parameters |"
    yield "|---|---|---|---|---|"
    for operation in all_tools():
        yield from (described(alias, operation.name) for alias in operation.aliases)
    yield "\nOther parameter names that every tool accepts, if it has the second name and not the first:\n"
    yield "| other name | stands for |"
    yield "|---|---|"
    yield from (f"| `{alias}` | `{name}` |" for alias, name in PARAMETER_ALIASES.items())
    yield "\n## Flags of `cocosearch-py mcp`\n"
    yield "| flag | meaning |"
    yield "|---|---|"
    for action in make_parser()._actions:
        flags = ", ".join(f"`{flag}`" for flag in action.option_strings) or f"`{action.metavar}`"
        yield f"| {flags} | {action.help} |"


def described(alias: Alias, tool: str) -> str:
    """A row of the table of names."""
    first = ", or without it" if alias.chosen_first else ""
    chosen = f" with `{'='.join(alias.chosen_by)}`{first}" if alias.chosen_by else ""
    means = ", ".join(f"`{key}={json.dumps(value)}`" for key, value in alias.means.items())
    own = [f"`{name}` (`{ours}`)" for name, ours in alias.parameters.items()]
    if alias.dialect:
        own = [", ".join(f"`{one.name}`" for one in dialect(alias.dialect).parameters), "own answers and errors"]
    if alias.adapt is not None:
        own.append((alias.adapt.__doc__ or "").strip().removesuffix("."))
    return f"| `{alias.name}`{chosen} | {alias.program} | `{tool}` | {means} | {'; '.join(own)} |"


def describe(spec: ToolOperation) -> Iterator[str]:
    tool = as_tool(spec)
    yield f"### {spec.name}\n"
    yield f"{tool.description}\n"
    effect = "deletes" if spec.destroys else "writes" if spec.writes else "only reads"
    yield f"Toolset `{spec.toolset}`; {effect}{'' if spec.listed else '; unlisted'}.\n"
    parameters = tool.input_schema["properties"]
    if not parameters:
        yield "No parameters.\n"
        return
    yield "| parameter | type | default | meaning |"
    yield "|---|---|---|---|"
    required = tool.input_schema.get("required", [])
    unlisted = {one.name for one in spec.parameters if not one.listed}
    for name, schema in parameters.items():
        default = "required" if name in required else f"`{json.dumps(schema['default'])}`"
        meaning = schema["description"].replace("|", "\\|") + (" (unlisted)" if name in unlisted else "")
        yield f"| `{name}` | {kind(schema)} | {default} | {meaning} |"
    yield ""


def as_tool(spec: ToolOperation) -> Any:
    """The tool with all its parameters."""

    def closed(_: Path) -> Any:
        raise AssertionError("listing opens no engine")

    options = ServerOptions()
    return make_tool(spec, ServerContext(closed, options, None, None), Projects(options)).to_mcp_tool()


def kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(kind(item) for item in schema["anyOf"])
    if schema["type"] == "array":
        return f"array of {kind(schema['items'])}"
    return str(schema["type"])


if __name__ == "__main__":
    sys.exit(main())
