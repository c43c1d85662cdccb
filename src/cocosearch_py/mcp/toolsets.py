"""Which tools a server offers: toolsets, single names, read-only, and the other names under which a tool answers."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cocosearch_py.errors import ConfigurationError, ValidationError
from cocosearch_py.mcp.errors import UnknownToolError
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.tools.declaration import TOOLSETS, Alias, Operation
from cocosearch_py.tools.registry import all_operations, dialect

ToolOperation = Operation[Any, Any]  # one that has a toolset
PSEUDO_TOOLSETS = ("default", "minimal", "all")
_LIKENESS = 0.5
_MAX_NAME_CHARS = 60  # Maximum characters of an unknown name that are compared and shown.

# Other names that parameters have in other programs, understood by every tool that has the one they stand for.
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
    "chunking_strategy": "strategy",
    "line_start": "start_line",
    "line_end": "end_line",
}


def choose_tools(specs: Sequence[ToolOperation], options: ServerOptions) -> list[ToolOperation]:
    """Tools that a server offers, in their order.

    Raises:
        ConfigurationError: unknown toolset or tool, with the nearest name; or edits over HTTP without a token.
    """
    names = [spec.name for spec in specs]
    _check(options.toolsets, [*PSEUDO_TOOLSETS, *TOOLSETS], "toolset")
    _check([*options.tools, *options.exclude_tools], names, "tool")
    chosen = {spec.name for spec in specs if _in_toolsets(spec, options.toolsets)}
    if options.tools:
        # Single tools add to toolsets that were named, and replace the default ones.
        chosen = set(options.tools) | (chosen if options.toolsets != ("default",) else set())
    chosen -= set(options.exclude_tools)
    if not options.read_only and not (options.local or options.auth_token):
        _refuse_open_edits([spec for spec in specs if spec.name in chosen and spec.edits])
    return [spec for spec in specs if spec.name in chosen and not (options.read_only and spec.writes)]


def _refuse_open_edits(specs: Sequence[ToolOperation]) -> None:
    """Require a token for tools that edit files: anybody may reach a port."""
    if specs:
        raise ConfigurationError(
            f"over HTTP, a token must protect {', '.join(spec.name for spec in specs)}",
            hint="give --auth-token-file FILE, or leave the toolset edit out",
        )


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


def meant_by(
    name: str, arguments: Mapping[str, Any], specs: Mapping[str, ToolOperation], options: ServerOptions
) -> tuple[ToolOperation, Alias | None]:
    """Return the tool that a name stands for, and the alias that was used; a tool's own name wins.

    Args:
        specs: tools that the client may call. An alias works wherever its tool does, whatever the toolset.
        options: decide whether aliases are understood, and explain why a tool is off.
    Raises:
        UnknownToolError, ValidationError: no such tool, a tool that is off, or an alias without a valid choice.
    """
    if name in specs:
        spec = specs[name]
        bare = (alias for alias in spec.aliases if alias.name == name and options.aliases and not arguments)
        return spec, next(bare, None)
    spec, alias = _known(name, arguments, specs, options)
    if spec.name not in specs:
        raise UnknownToolError(f"the tool '{name}' is off on this server", hint=_how_to_offer(spec, options))
    return spec, alias


def _known(
    name: str, arguments: Mapping[str, Any], specs: Mapping[str, ToolOperation], options: ServerOptions
) -> tuple[ToolOperation, Alias | None]:
    """Resolve a name among all tools, offered or not."""
    tools = {one.name: one for one in all_operations() if one.toolset is not None} | dict(specs)
    if name in tools:
        return tools[name], None
    every = tools.values() if options.aliases else ()
    found = [(spec, alias) for spec in every for alias in spec.aliases if alias.name == name]
    if not found:
        raise UnknownToolError(f"unknown tool '{name[:_MAX_NAME_CHARS]}'", hint=_nearest_tools(name, specs))
    chosen_by = found[0][1].chosen_by
    value = None if chosen_by is None else arguments.get(chosen_by[0])
    if value is None and not (chosen_by and found[0][1].dialect):
        return next((one for one in found if one[1].chosen_first), found[0])
    assert chosen_by is not None
    known = {alias.chosen_by[1]: (spec, alias) for spec, alias in found if alias.chosen_by}
    if not isinstance(value, str) or value not in known:
        message = f"{name} has no {chosen_by[0]} '{str(value)[:_MAX_NAME_CHARS]}'"
        message = message if value is not None else f"{name} needs {chosen_by[0]}"
        raise ValidationError(message, hint=f"known: {', '.join(known)}")
    return known[value]


def canonical_call(
    name: str, arguments: Mapping[str, Any], specs: Mapping[str, ToolOperation], options: ServerOptions
) -> tuple[ToolOperation, dict[str, Any]]:
    """The tool and parameters that a call means, aliases resolved; another program's own, where it has one.

    Args:
        specs: tools that the client may call.
        options: decide whether names of other programs, of tools and of parameters, are understood.
    Raises:
        UnknownToolError, ValidationError: no such tool or parameter, with the nearest names.
    """
    spec, alias = meant_by(name, arguments, specs, options)
    asked = dict(arguments)
    renamed: Mapping[str, str] = {}
    if alias is not None:
        if alias.chosen_by:
            asked.pop(alias.chosen_by[0], None)
        if alias.dialect:
            spec = dialect(alias.dialect)
        asked, renamed = alias.adapt(asked) if alias.adapt else asked, alias.parameters
    known = [one.name for one in spec.parameters if one.about is not None]
    given: dict[str, Any] = {}
    for parameter, value in asked.items():
        if (own := renamed.get(parameter)) is not None:
            given[own] = value
        elif parameter in known:
            given[parameter] = value
        elif options.aliases and (other := _meant(parameter, known)) is not None:
            given.setdefault(other, value)
        else:
            every = list(dict.fromkeys((*renamed, *known)))
            near = get_close_matches(parameter[:_MAX_NAME_CHARS], every, n=3, cutoff=_LIKENESS)
            suggestion = f"did you mean {', '.join(near)}? " if near else ""
            raise ValidationError(
                f"{name if alias else spec.name} has no parameter '{parameter[:_MAX_NAME_CHARS]}'",
                hint=f"{suggestion}known: {', '.join(every) or 'none'}",
            )
    for parameter, others in spec.implied.items():
        if given.get(parameter) is not None:
            given = {**others, **given}
    return spec, {**(alias.means if alias else {}), **given}


def _meant(parameter: str, known: Sequence[str]) -> str | None:
    """The parameter that another name stands for; one may stand for another that stands for it."""
    alias = PARAMETER_ALIASES.get(parameter)
    return alias if alias is None or alias in known else _meant(alias, known)


def _how_to_offer(spec: ToolOperation, options: ServerOptions) -> str:
    """Name what turned off a tool on this server."""
    causes = ["without --read-only"] if options.read_only and spec.writes else []
    if spec.name in options.exclude_tools:
        causes.append(f"without --exclude-tools {spec.name}")
    elif options.toolsets == ("default",) and options.tools and spec.name not in options.tools:
        causes.append(f"with --tools {','.join((*options.tools, spec.name))}")
    elif spec.name not in options.tools and not _in_toolsets(spec, options.toolsets):
        causes.append(f"with --toolsets {','.join((*options.toolsets, spec.toolset or ''))}")
    if causes:
        return f"start the server {' and '.join(causes)}"
    return "this client's headers exclude it: X-MCP-Toolsets, X-MCP-Tools or X-MCP-Readonly"


def _nearest_tools(name: str, specs: Mapping[str, ToolOperation]) -> str:
    names = {alias.name: spec.name for spec in specs.values() for alias in spec.aliases}
    near = get_close_matches(name[:_MAX_NAME_CHARS], [*specs, *names], n=3)
    meant = list(dict.fromkeys(names.get(found, found) for found in near))
    suggestion = f"did you mean {', '.join(meant)}? " if meant else ""
    return f"{suggestion}this server offers {', '.join(specs) or 'none'}"


def _in_toolsets(spec: ToolOperation, toolsets: Iterable[str]) -> bool:
    return any(
        name == spec.toolset or (name in ("all", "default") and not spec.edits) or (name == "minimal" and spec.minimal)
        for name in toolsets
    )


def _check(given: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=_LIKENESS)
            suggestion = f"; did you mean '{near[0]}'?" if near else ""
            raise ConfigurationError(f"unknown {what} '{name}'{suggestion}", hint=f"known: {', '.join(known)}")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
