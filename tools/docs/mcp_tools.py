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
from cocosearch_py.operations.common.declaration import Alias
from cocosearch_py.operations.common.registry import dialect
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.options import ServerOptions

TARGET = Path(__file__).parents[2] / "docs" / "mcp-tools.md"
COMMAND = "python tools/docs/mcp_tools.py"

HEAD = f"""\
# MCP tools

Made by `{COMMAND}` from the server itself; change the texts there, then run it again.

The server tells every client:

> {INSTRUCTIONS}

An answer is one block of text with compact JSON. With `--structured-content` it is structured content instead,
with an array as the member `result`, and `tools/list` has each tool's output schema.
No answer has more than 20,000 tokens, or `max_tokens` where a tool has it: all that is sent counts, notes and names
as well, rather too high than too low (by a fifth in the median for Claude's tokenizer, two fifths for GPT's).
A failed call is marked as an error, and its text is one object:
`{{"success": false, "error": true, "error_type": "...", "message": "...", "details": {{}},
"actionable_guidance": ["..."]}}`.
`error_type` is `validation_error`, `not_found`, `not_indexed`, `index_collision`, `workspace_error`, `safety_error`,
`conflict`, `timeout`, `permission_denied`, `service_connection_error`, `configuration_error`, `cancelled` or
`operation_error`. `error` is the message in CocoSearch's six tools, and true elsewhere.

Besides tools there are [resources](how-to/resources.md), which can be read by address and followed.

## Elements beside the results of `search_code`

| `type` | where | when |
|---|---|---|
| `search_context` | first | the call named no index: `index_name`, `root_path`, `last_indexed_at`, `detected_by` |
| `confidence` | end | always: `level` is `high`, `medium` or `low`, `message` says why |
| `warning` | end | a value was out of range and the nearest allowed one was used, a filter matches nothing \
(with the nearest values that exist), or one of several indexes failed |
| `incomplete_index` | end | the last run was interrupted: `files_indexed` and `files_pending` say how much is there |
| `staleness_warning` | end | the index is older than seven days |
| `stale_results` | end | files of results have changed and were not indexed again in time, or are gone: `files` has \
them; a result of such a file has `stale`: `moved` (its lines are those of the disk) or `changed` (its text is old) |
| `branch_staleness_warning` | end | branch or commit differ from what was indexed |
| `truncated` | end | not all results fit into `max_tokens`, or lines of passages were left out; \
the message says how to get the rest |

A result has `copies` when other files hold almost the same passage: their paths. They come after all that differ.

Unless a call says how much it wants (`full`, `max_tokens`, `snippet_chars`, any context, `smart_context=false`), an
answer is packed into about 5,800 characters: the first passage is whole, with its context if there is room; what is
left goes to the next ones; of others the lines that match are shown, or the signature alone. `content` has
`... line 57:` before the next line that is shown, and `...` where none follows. Few results (`limit`) are shown whole.

## Which project a call is about

`index_name` > the client's roots > `?project=` of the address (or `X-Cocosearch-Project`) > PATH or
`--project-from-cwd` > `COCOSEARCH_PROJECT_PATH` > the working folder. `COCOSEARCH_INDEX_NAME` names the index of every
call that names none.

Wherever a name is asked for, here and on the command line, an id does as well. `index_id` is a
[ULID](https://github.com/ulid/spec): an index has it before its first run ends and keeps it until it is deleted, also
when it is rebuilt. `ws-` and the first 12 hexadecimal digits of the SHA-256 of the folder's absolute path, as
`printf %s "$PWD" | sha256sum` gives it, mean the first index of that folder by name. A name counts before an id.

The folder that this gives is answered from its own index, else from that of the nearest folder above it in the same
project. A git repository, a linked worktree and a folder with a configuration file of its own are each a project; a
submodule belongs to the one around it. Outside every project the nearest index above counts, except that of `/` or of
a home folder. `search_context` says which index it was.

On Windows and in WSL one folder may be written `C:\\x`, `C:/x`, `/c/x`, `/mnt/c/x` or `file:///C:/x`, in roots, in
`?project=` and in the `path` of `index_codebase`. Elsewhere `C:` and `/c` are names like any other, and of these only
`file:` addresses are read.

## Watching a server

| path over HTTP | answers |
|---|---|
| `/health` | 200 while the process serves. Restart it otherwise. |
| `/ready` | 200 when a call would find its database and schema, else 503 with a `reason` |
| `/metrics` | Prometheus' text form; needs the token, if there is one |

`/ready` starts nothing. The embedded server, and a database without our schema, count as ready: the first call makes
them so.

Metrics: `cocosearch_tool_calls_total` by `tool` and `outcome` (`ok`, `error`, `cancelled`), the histogram
`cocosearch_tool_call_duration_seconds` by `tool`, `cocosearch_open_calls`, `cocosearch_sessions` by `transport`,
`cocosearch_unfinished_jobs`, `cocosearch_search_processes`, and the process's own `process_resident_memory_bytes`,
`process_cpu_seconds_total` and `process_start_time_seconds`.

## Many clients

All clients of a server over HTTP share one engine. When three or more calls are open at once, searches go to processes
beside it, since the interpreter runs one thread at a time: at most one for each core and not more than eight (none on a
single core), or as many as `--processes` says, up to sixteen. They start one after the other as they are needed, end
after a minute without work, and take some 50 MB and two connections to the database each. A container that limits the
CPU time but not the cores should set the number. With a model other than the bundled one all searches stay in the
server. docs/adr/0008 has the reasons and figures.

## Long runs

`index_codebase` waits at most 20 s and reports progress. Then it answers with `state` `running` and a `job_id`;
`index_status` shows how far the job is, `cancel_indexing` stops it. Jobs run one after the other and keep complete
batches when they are stopped. They end with the server.
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
    yield "Lists of tools leave out the parameters that are marked `unlisted`, and by default also the tools that are;"
    yield "both can be used all the same. `--toolsets` and `--tools` list the tools that they name.\n"
    for operation in all_tools():
        yield from describe(operation)
    yield "## Names of other programs\n"
    yield "Understood as in their program, but never listed. A tool's own name wins, and so does what a call"
    yield "says over what its name means. They take the parameters of the tool they stand for as well, except those"
    yield "with answers and errors of their own, which are asked as their program documents.\n"
    yield "| name | program | stands for | with | its own parameters |"
    yield "|---|---|---|---|---|"
    for operation in all_tools():
        yield from (described(alias, operation.name) for alias in operation.aliases)
    yield "\nParameters that every tool understands under another name, if it has the second and not the first:\n"
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
