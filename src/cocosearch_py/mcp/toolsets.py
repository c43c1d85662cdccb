"""Which tools a server offers: toolsets, single names, read-only, and the other names under which a tool answers."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cocosearch_py.errors import ConfigurationError, ValidationError
from cocosearch_py.mcp.errors import UnknownToolError
from cocosearch_py.operations.common.declaration import TOOLSETS, Operation
from cocosearch_py.server.options import ServerOptions

ToolOperation = Operation[Any, Any]  # one that has a toolset
PSEUDO_TOOLSETS = ("default", "minimal", "all")
_LIKENESS = 0.5

# Names that other programs gave to the same work; answered, never listed.
TOOL_ALIASES: Mapping[str, str] = {
    "search_repo": "search_code",
    "search_relevant": "search_code",
    "search": "search_code",
    "find": "search_code",
    "text_search": "search_text",
    "read": "read_code",
    "read_source": "read_code",
    "files": "list_files",
    "list": "list_files",
    "glob": "list_files",
    "path_search": "list_files",
    "recent": "list_files",
    "get_tree": "list_files",
    "get_file_summary": "summarize",
    "batch_file_summaries": "summarize",
    "get_file_context": "summarize",
    "get_public_api": "summarize",
    "get_token_estimate": "estimate_tokens",
    "index": "index_codebase",
    "reindex": "index_codebase",
    "regenerate_index": "index_codebase",
    "ensure_repo_index": "index_codebase",
    "status": "index_status",
    "get_stats": "index_stats",
    "lookup_symbol": "find_symbol",
    "search_signatures": "find_symbol",
    "symbol_defs": "find_symbol",
    "symbol_search": "find_symbol",
    "list_declarations": "outline_file",
    "outline": "outline_file",
    "get_imports": "outline_file",
    "get_file_dependencies": "get_dependencies",
    "get_batch_dependencies": "get_dependencies",
    "get_file_impact": "get_impact",
    "get_batch_impact": "get_impact",
    "get_callers": "find_references",
    "callers": "find_references",
    "word_refs": "find_references",
    "get_related_tests": "find_tests",
    "brief": "build_context",
    "get_context_brief": "build_context",
    "get_type_flow": "trace_type",
}
# What such a name means beyond the tool; a caller who says otherwise is heard.
ALIAS_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "get_file_context": {"include": ["context"]},
    "get_public_api": {"scope": "public"},
    "list": {"view": "children"},
    "glob": {"view": "paths"},
    "recent": {"sort": "modified", "limit": 10},
    "get_tree": {"view": "tree", "depth": 10, "limit": 200},
    "lookup_symbol": {"match": "substring", "limit": 50},
    "search_signatures": {"field": "signature"},
    "symbol_defs": {"match": "exact"},
    "symbol_search": {"match": "fuzzy"},
    "get_imports": {"include": ["imports"]},
    "get_callers": {"kinds": ["call"]},
    "callers": {"kinds": ["call"]},
}
# indxr's `find` is one of these, by its parameter `mode`.
FIND_MODES: Mapping[str, str] = {
    "relevant": "search_relevant",
    "symbol": "lookup_symbol",
    "signature": "search_signatures",
    "callers": "get_callers",
}
PARAMETER_ALIASES: Mapping[str, str] = {
    "query": "name",
    "pattern": "path_glob",
    "glob": "path",
    "name": "symbol",
    "word": "symbol",
    "use_hybrid": "use_hybrid_search",
    "max": "limit",
    "max_results": "limit",
    "k": "limit",
    "index_id": "index_name",
    "repo_path": "path",
    "path": "file",
    "file": "path_prefix",
    "yes": "confirm",
    "force": "fresh",
    "line_start": "start_line",
    "line_end": "end_line",
}


def choose_tools(specs: Sequence[ToolOperation], options: ServerOptions) -> list[ToolOperation]:
    """Tools that a server offers, in their order.

    Raises:
        ConfigurationError: unknown toolset or tool, with the nearest name.
    """
    names = [spec.name for spec in specs]
    _check(options.toolsets, [*PSEUDO_TOOLSETS, *TOOLSETS], "toolset")
    _check([*options.tools, *options.exclude_tools], names, "tool")
    chosen = {spec.name for spec in specs if _in_toolsets(spec, options.toolsets)}
    if options.tools:
        # Single tools add to toolsets that were named, and replace the default ones.
        chosen = set(options.tools) | (chosen if options.toolsets != ("default",) else set())
    chosen -= set(options.exclude_tools)
    return [spec for spec in specs if spec.name in chosen and not (options.read_only and spec.writes)]


def narrowed(specs: Iterable[ToolOperation], headers: Mapping[str, str]) -> set[str]:
    """Names that stay when one HTTP client asks for fewer; headers can only take away."""
    toolsets = _parts(headers.get("x-mcp-toolsets", ""))
    tools = _parts(headers.get("x-mcp-tools", ""))
    read_only = headers.get("x-mcp-readonly", "").strip().lower() in {"1", "true", "yes", "on"}
    return {
        spec.name
        for spec in specs
        if (not (toolsets or tools) or spec.name in tools or _in_toolsets(spec, toolsets))
        and not (read_only and spec.writes)
    }


def listed(specs: Iterable[ToolOperation], options: ServerOptions, headers: Mapping[str, str]) -> set[str]:
    """Names of those that lists show: what is listed by default, and what the server or the client names."""
    toolsets = {*options.toolsets, *_parts(headers.get("x-mcp-toolsets", ""))}
    tools = {*options.tools, *_parts(headers.get("x-mcp-tools", ""))}
    return {
        spec.name
        for spec in specs
        if spec.listed or spec.name in tools or spec.toolset in toolsets or "all" in toolsets
    }


def canonical_call(
    name: str, arguments: Mapping[str, Any], specs: Mapping[str, ToolOperation]
) -> tuple[str, dict[str, Any]]:
    """The tool and parameters that a call means, aliases resolved.

    Raises:
        UnknownToolError, ValidationError: no such tool or parameter, with the nearest names.
    """
    if name == "find" and name not in specs and "mode" in arguments:
        arguments = dict(arguments)
        name = _found_by(arguments.pop("mode"))
    meant = name if name in specs else TOOL_ALIASES.get(name, name)
    if (spec := specs.get(meant)) is None:
        raise UnknownToolError(f"there is no tool '{name[:60]}'", hint=_nearest_tools(name, specs))
    known = [one.name for one in spec.parameters if one.about is not None]
    fixed = ALIAS_ARGUMENTS.get(name, {}) if name != meant else {}
    given: dict[str, Any] = {}
    for parameter, value in _readable(dict(arguments)).items():
        if parameter in known:
            given[parameter] = value
        elif (alias := _meant(parameter, known)) is not None:
            given.setdefault(alias, value)
        else:
            near = get_close_matches(parameter, known, n=3, cutoff=_LIKENESS)
            suggestion = f"did you mean {', '.join(near)}? " if near else ""
            raise ValidationError(
                f"{meant} has no parameter '{parameter[:60]}'",
                hint=f"{suggestion}it knows {', '.join(known) or 'none'}",
            )
    return meant, {**fixed, **given}


def _meant(parameter: str, known: Sequence[str]) -> str | None:
    """The parameter that another name stands for; one may stand for another that stands for it."""
    alias = PARAMETER_ALIASES.get(parameter)
    return alias if alias is None or alias in known else _meant(alias, known)


def _found_by(mode: Any) -> str:
    """The name that stands for a mode of `find`; raises ValidationError."""
    if not isinstance(mode, str) or mode not in FIND_MODES:
        raise ValidationError(f"find has no mode '{str(mode)[:60]}'", hint=f"known: {', '.join(FIND_MODES)}")
    return FIND_MODES[mode]


def _readable(value: Any) -> Any:
    """The same with lone surrogates, which JSON can spell and nothing can store, as question marks."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, dict):
        return {_readable(key): _readable(item) for key, item in value.items()}
    return value


def _nearest_tools(name: str, specs: Mapping[str, ToolOperation]) -> str:
    near = get_close_matches(name, [*specs, *(alias for alias, tool in TOOL_ALIASES.items() if tool in specs)], n=3)
    meant = list(dict.fromkeys(TOOL_ALIASES.get(found, found) for found in near))
    suggestion = f"did you mean {', '.join(meant)}? " if meant else ""
    return f"{suggestion}this server offers {', '.join(specs) or 'none'}"


def _in_toolsets(spec: ToolOperation, toolsets: Iterable[str]) -> bool:
    return any(
        name in ("all", "default") or name == spec.toolset or (name == "minimal" and spec.minimal) for name in toolsets
    )


def _check(given: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=_LIKENESS)
            suggestion = f"; did you mean '{near[0]}'?" if near else ""
            raise ConfigurationError(f"unknown {what} '{name}'{suggestion}", hint=f"known: {', '.join(known)}")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
