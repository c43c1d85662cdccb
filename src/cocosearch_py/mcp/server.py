"""Makes the server: the same one for every transport and for the tests. Opens neither database nor model."""

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_type_hints

import mcp_types
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_context, get_http_headers
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import FunctionTool, Tool
from fastmcp.tools.base import ToolResult

from cocosearch_py.mcp.errors import answered, to_json
from cocosearch_py.mcp.projects import RootsNeededError, roots_question
from cocosearch_py.mcp.site import Site
from cocosearch_py.mcp.tools import index, search
from cocosearch_py.mcp.toolsets import TOOL_ALIASES, ToolSpec, canonical_call, choose_tools, narrowed
from cocosearch_py.server.engines import AppAt
from cocosearch_py.server.metrics import ERROR, OK
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.processes import SearchProcesses

SERVER_NAME = "cocosearch-py"
ALL_TOOLS: tuple[ToolSpec, ...] = (*search.SPECS, *index.SPECS)
INSTRUCTIONS = (
    "Code search over indexed codebases. Ask search_code first when you look for where or how something is done, or "
    "for a name you know in part; use grep for every occurrence of a literal. If it answers that the project has no "
    "index, call index_codebase with the project's path, once."
)


def create_server(
    app_at: AppAt,
    options: ServerOptions,
    pinned_index: str | None = None,
    extra: Sequence[Tool] = (),
    processes: SearchProcesses | None = None,
) -> tuple[FastMCP, Site]:
    """The server and what its tools share; the caller closes the site's jobs and the engine.

    Middleware that the caller adds is not asked about calls of our tools.

    Args:
        app_at: opens the engine under the settings of a folder; called in threads, when a tool first needs it.
        options: what the server offers and allows.
        pinned_index: the index of every call that names none.
        extra: tools of the caller, offered beside ours and passed on as they are.
        processes: where searches go when many clients ask at once; the caller closes them.
    Raises:
        ConfigurationError: unknown toolsets or tools.
    """
    site = Site(app_at, options, pinned_index, processes)
    specs = choose_tools(ALL_TOOLS, options)
    tools = {spec.name: _tool(spec, site) for spec in specs}
    server: FastMCP = FastMCP(
        name=SERVER_NAME,
        version=_version(),
        instructions=INSTRUCTIONS,
        mask_error_details=True,
        middleware=[_Gate(site, specs, tools, frozenset(tool.name for tool in extra))],
        on_duplicate="error",
        dereference_schemas=False,  # ours hold no references, and those of others are theirs
    )
    for tool in (*tools.values(), *extra):
        server.add_tool(tool)
    return server, site


class _Gate(Middleware):
    """Before each call: which tool and parameters are meant, and may this client use it. After: errors as answers.

    Our tools run from here: FastMCP would look the tool up once more, with a tenth of the time of a cached answer.
    """

    def __init__(self, site: Site, specs: Sequence[ToolSpec], tools: Mapping[str, Tool], extra: frozenset[str]) -> None:
        self._site = site
        self._tools = tools
        self._specs = {spec.name: spec for spec in specs}
        self._extra = extra

    async def on_list_tools(
        self, context: MiddlewareContext[mcp_types.ListToolsRequest], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        kept = self._offered().keys() | self._extra
        return [tool for tool in await call_next(context) if tool.name in kept]

    async def on_call_tool(
        self, context: MiddlewareContext[mcp_types.CallToolRequestParams], call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        asked = context.message
        arguments = asked.arguments or {}
        if asked.name in self._extra:
            return await call_next(context)

        async def call() -> ToolResult:
            name, meant = canonical_call(asked.name, arguments, self._offered())
            return await self._tools[name].run(meant)

        self._site.open_calls += 1
        try:
            with self._site.calls.timed(self._label(asked.name)) as outcome:
                answer = await answered(call, self._site.explainer, asked.name, arguments)
                outcome.append(ERROR if getattr(answer, "is_error", False) else OK)
                return answer
        finally:
            self._site.open_calls -= 1
            self._site.last_call_s = time.monotonic()

    def _label(self, name: str) -> str:
        """The tool's own name; what a client made up must not become a label."""
        meant = name if name in self._specs else TOOL_ALIASES.get(name, "")
        return meant if meant in self._specs else "unknown"

    def _offered(self) -> dict[str, ToolSpec]:
        if self._site.options.local:
            return self._specs
        kept = narrowed(self._specs.values(), get_http_headers())
        return {name: spec for name, spec in self._specs.items() if name in kept}


def _tool(spec: ToolSpec, site: Site) -> FunctionTool:
    """A tool whose parameters are the fields of its arguments."""

    async def call(**values: Any) -> ToolResult | mcp_types.InputRequiredResult:
        try:
            payload = await spec.body(site, get_context(), spec.arguments(**values))
        except RootsNeededError:
            return roots_question()
        return _result(payload, site.options)

    dressed: Any = call
    dressed.__signature__ = inspect.Signature(_parameters(spec.arguments), return_annotation=ToolResult)
    dressed.__annotations__ = {item.name: item.annotation for item in _parameters(spec.arguments)}
    dressed.__name__ = spec.name
    return FunctionTool.from_function(
        call,
        name=spec.name,
        title=spec.title,
        description=inspect.getdoc(spec.body),
        output_schema=spec.output if site.options.structured_content else None,
        annotations=mcp_types.ToolAnnotations(
            read_only_hint=not spec.writes,
            destructive_hint=spec.destroys if spec.writes else None,  # says nothing about a tool that only reads
            idempotent_hint=spec.idempotent if spec.writes else None,
            open_world_hint=False,
        ),
    )


def _parameters(arguments: type) -> list[inspect.Parameter]:
    """The fields as parameters."""
    hints = get_type_hints(arguments, include_extras=True)
    found = []
    for field in fields(arguments):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        found.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name])
        )
    return found


def _result(payload: Any, options: ServerOptions) -> ToolResult:
    """One compact block of text; with structured content that instead, never the same payload twice."""
    if not options.structured_content:
        return ToolResult(content=[mcp_types.TextContent(type="text", text=to_json(payload))])
    content = payload if isinstance(payload, dict) else {"result": payload}
    told = [mcp_types.TextContent(type="text", text="see structuredContent")]
    return ToolResult(content=told, structured_content=content)


def _version() -> str:
    try:
        return version("cocosearch-py")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0"
