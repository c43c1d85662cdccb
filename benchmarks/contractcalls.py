"""Calls of `contract.py`: those of `contract.txt`, and those derived from the schemas that a server lists.

A call is a text: `tool NAME JSON`, `run WORDS`, `rpc METHOD JSON`, or `list OPTIONS` for the tools that a server with
these options lists. In `contract.txt`, `read WORDS` stands for a command with --json and with --pretty, and `help` for
the help pages of several commands. `$name` and the like are subjects of the repository. $root, $job_id, $index_id and
$hash are filled in when the call is made: the copied folder, and the latest values in the answers so far.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

TABLE = Path(__file__).with_name("contract.txt")
Arguments = dict[str, Any]

# Subjects of the calls by repository.
SUBJECTS: dict[str, dict[str, str]] = {
    "httpx": {
        "query": "where are redirects followed",
        "word": "timeout",
        "function": "build_request",
        "class": "Client",
        "type": "Response",
        "file": "httpx/_client.py",
        "other": "httpx/_models.py",
        "folder": "httpx",
        "suffix": "py",
        "language": "python",
        "target": "send",
    },
    "gin": {
        "query": "where is a route added to the tree",
        "word": "recovery",
        "function": "addRoute",
        "class": "Engine",
        "type": "Context",
        "file": "gin.go",
        "other": "tree.go",
        "folder": "binding",
        "suffix": "go",
        "language": "go",
        "target": "ServeHTTP",
    },
    "axios": {
        "query": "where are requests cancelled",
        "word": "timeout",
        "function": "mergeConfig",
        "class": "Axios",
        "type": "AxiosRequestConfig",
        "file": "lib/core/Axios.js",
        "other": "lib/utils.js",
        "folder": "lib",
        "suffix": "js",
        "language": "javascript",
        "target": "dispatchRequest",
    },
}
# Arguments with which each tool answers; required ones that are missing here come from SAMPLES.
LEAST: dict[str, Arguments] = {
    "build_context": {"task": "$query"},
    "run_pipeline": {"pipeline": "search $word | limit 3"},
    "read_code": {"path": "$file"},
    "summarize": {"path": "$file"},
    "outline_file": {"path": "$file"},
    "estimate_tokens": {"path": "$file"},
    "find_tests": {"symbol": "$function"},
    "get_dependencies": {"file": "$file"},
    "get_impact": {"file": "$file"},
    "get_dependency_graph": {"path": "$folder"},
    "get_diff_summary": {"since_ref": "HEAD~3"},
    "explain_symbol": {"name": "$class"},
}
# Values of parameters by name, tried one after the other; others get one by their type.
SAMPLES: dict[str, list[Any]] = {
    "config": ["no-such.toml"],
    "cursor": ["nonsense"],
    "dep_type": ["call", "nonsense"],
    "diff": ["HEAD~2"],
    "directory": ["$folder"],
    "end_line": [30],
    "exclude": [["**/test*/**"]],
    "explain_path": ["$file", "no/such/file"],
    "file": ["$file"],
    "files": [["$file", "$other"]],
    "focus": [["$file", "$word"]],
    "glob": ["$folder/**"],
    "include": [["context"], ["dead-code", "secrets", "duplicates"]],
    "index_name": ["$name", "nowhere"],
    "index_names": [["$name"], ["*"]],
    "job": ["nothing"],
    "job_id": ["nothing"],
    "kind": ["function", ["class"]],
    "kinds": ["call", ["import", "type"]],
    "language": ["$language", "klingon"],
    "max_nodes": [10],
    "max_tokens": [400],
    "min_complexity": [8],
    "name": ["$function"],
    "page": ["architecture"],
    "path": ["$folder", "$file"],
    "path_glob": ["**/*.$suffix", ["$folder/**"]],
    "path_prefix": ["$folder"],
    "paths": [["$file", "$other"]],
    "pipeline": ["symbols $class | read", "text $word | count", "nonsense | limit"],
    "pr": [],  # asks another machine
    "query": ["$word"],
    "question": ["who calls $function"],
    "since": ["HEAD~3"],
    "since_ref": ["HEAD~3", "no-such-ref"],
    "since_seq": [0],
    "since_time": ["2024-01-01"],
    "snippet_chars": [60],
    "sort_by": ["complexity", "churn", "nonsense"],
    "stack_trace": ['File "$file", line 40, in $function\nValueError: $word'],
    "start_line": [10],
    "steps": [["symbols $function", "callers", "limit 5"]],
    "symbol": ["$function"],
    "symbol_name": ["*e*"],
    "symbol_type": ["function", ["class", "method"]],
    "symbols": [["$function", "$class"]],
    "targets": [["$file:10-20", "$class", "$file#nothing"]],
    "to": ["$target"],
    "to_ref": ["HEAD~1"],
    "type_name": ["$type"],
    "wait_s": [],  # answers when a run ends
    "weights": [{"ext": {"md": 0.5}, "path": [{"pattern": "$folder/**", "weight": 2}]}, {"no_such_weight": 1}],
}
WRONG: list[Arguments] = [{"no_such_parameter": 1}, {"limit": "many"}]


def calls(repository: str, tools: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the calls that read and those that write, for a repository and the tools that a server lists."""
    subjects = {"name": repository, **SUBJECTS[repository]}
    reads, writes = TABLE.read_text(encoding="utf-8").partition("[read]")[2].split("[write]")
    derived = [f"tool {name} {json.dumps(arguments)}" for tool in tools for name, arguments in of_tool(tool)]
    numbered = [f"{number:03} {call}" for number, call in enumerate(written(writes), start=1)]
    return {
        phase: list(dict.fromkeys(Template(call).safe_substitute(subjects) for call in some))
        for phase, some in (("read", [*derived, *written(reads)]), ("write", numbered))
    }


def written(text: str) -> Iterator[str]:
    """Yield the calls that a part of the table stands for."""
    for line in text.strip().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "read":
            yield from (f"run --{form} {rest}" for form in ("json", "pretty"))
        elif kind == "help":
            yield from (f"run {command} --help" for command in rest.split(", "))
        elif line and not line.startswith("#"):
            yield line


def of_tool(tool: dict[str, Any]) -> Iterator[tuple[str, Arguments]]:
    """Yield calls of a tool that only reads: as few arguments as possible, each parameter, and mistakes."""
    name, schema = tool["name"], tool["inputSchema"]
    if not tool["annotations"].get("readOnlyHint"):
        return
    least = LEAST.get(name, {key: SAMPLES[key][0] for key in schema.get("required", ())})
    yield name, least
    for key, parameter in schema["properties"].items():
        yield from ((name, {**least, key: value}) for value in values(key, parameter))
    yield from ((name, {**least, **wrong}) for wrong in WRONG)
    yield name, {}


def values(key: str, parameter: dict[str, Any]) -> list[Any]:
    """Return values for a parameter: its choices, samples of its name, or one of its type."""
    if choices := parameter.get("enum"):
        return list(choices)
    if key in SAMPLES:
        return SAMPLES[key]
    kinds = {parameter.get("type"), *(kind.get("type") for kind in parameter.get("anyOf", ()))}
    if "boolean" in kinds:
        return [not parameter.get("default")]
    return [2] if "integer" in kinds else [0.5] if "number" in kinds else []
