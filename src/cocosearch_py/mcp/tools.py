"""Operations as tools of MCP: their parameters, their place, their answers."""

import inspect
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import anyio
import mcp_types
from fastmcp import Context
from fastmcp.server.dependencies import get_context
from fastmcp.tools import FunctionTool, Tool
from fastmcp.tools.base import ToolResult
from pydantic import Field

from cocosearch_py.errors import CocosearchError
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.mcp.confirming import answers_of, ask_person, confirmation_question
from cocosearch_py.mcp.masking import masked
from cocosearch_py.mcp.projects import Projects, RootsNeededError, is_modern, roots_question
from cocosearch_py.server.calls import ConfirmationNeededError, ServerCall
from cocosearch_py.server.context import ServerContext
from cocosearch_py.tools.call import Selection
from cocosearch_py.tools.declaration import Operation, Waiting
from cocosearch_py.tools.fitting import bounded, room
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.schema import answer_schema
from cocosearch_py.tools.wording import told_to_agents

if TYPE_CHECKING:
    from cocosearch_py.jobs.run_store import Runs

R = TypeVar("R")
_POLL_S = 0.2
_MOST_NAME_CHARS = 100


class PlainTool(FunctionTool):
    """A tool that is listed without the framework's own remarks, which no client reads and every one pays for."""

    def to_mcp_tool(self, **overrides: Any) -> mcp_types.Tool:
        return super().to_mcp_tool(**{"_meta": None, **overrides})


def make_tool(operation: Operation[Any, Any], context: ServerContext, projects: Projects) -> Tool:
    """A tool whose parameters are those of the operation."""

    async def call(**values: Any) -> ToolResult | mcp_types.InputRequiredResult:
        asked = operation.asked(values)
        ctx = get_context()
        try:
            selection = await _selection(operation, asked, context, projects, ctx)
        except RootsNeededError:
            return roots_question()
        made = ServerCall(context, selection, values)
        made.needs, made.client = operation.needs, _client_name(ctx) or made.client
        while True:
            made.said = answers_of(ctx, made.said)
            try:
                report = await context.run(lambda: made.run(operation.run, asked))
                break
            except ConfirmationNeededError as needed:
                if is_modern(ctx):
                    return confirmation_question(needed)
                made.said = {**(made.said or {}), needed.key: await ask_person(ctx, needed)}
        if isinstance(report, Waiting):
            report = await _outcome(context, await context.run(lambda: made.jobs), ctx, report)
            made.changed()
        told = told_to_agents(operation.shape(report, asked))
        told = told if context.options.show_secrets else masked(told)
        payload = bounded(told, room(getattr(asked, "max_tokens", None)))
        return _result(payload, structured=context.options.structured_content)

    parameters = list(_parameters(operation))
    dressed: Any = call
    dressed.__signature__ = inspect.Signature(parameters, return_annotation=ToolResult)
    dressed.__annotations__ = {item.name: item.annotation for item in parameters}
    dressed.__name__ = operation.name
    return PlainTool.from_function(
        call,
        name=operation.name,
        title=operation.title,
        description=operation.description,
        output_schema=answer_schema(operation.answer) if context.options.structured_content else None,
        annotations=mcp_types.ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=operation.destroys if operation.writes else None,  # says nothing about one that only reads
            idempotent_hint=True if operation.writes else None,
            open_world_hint=False,
        ),
    )


def as_listed(tool: Tool, operation: Operation[Any, Any]) -> Tool:
    """The tool as lists show it: without parameters that few calls need. Calls go to the tool itself."""
    hidden = {one.name for one in operation.parameters if not one.listed}
    if not hidden:
        return tool
    shown = {name: schema for name, schema in tool.parameters["properties"].items() if name not in hidden}
    properties = shown if operation.verbatim else {name: _without_null(schema) for name, schema in shown.items()}
    listed = {**tool.parameters, "properties": properties}
    listed.pop("additionalProperties")  # a client that checks arguments must let the others pass
    return tool.model_copy(update={"parameters": listed})


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter that may be left out, without the null that says the same."""
    kinds = schema.get("anyOf", [])
    others = [kind for kind in kinds if kind != {"type": "null"}]
    if len(others) == len(kinds):
        return schema
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return {**(others[0] if len(others) == 1 else {"anyOf": others}), **rest}


async def _selection(
    operation: Operation[Any, Any], asked: Any, context: ServerContext, projects: Projects, ctx: Context
) -> Selection:
    """Return the indexes that a call names, else those of its place. Raises RootsNeededError."""
    if operation.about_project:
        return Selection(place=await projects.place_of(ctx))
    if not operation.about_indexes:
        return Selection()
    several = getattr(asked, "index_names", None) or ()
    one = getattr(asked, operation.names_index, None)
    names = tuple(dict.fromkeys(several or ((one,) if one else ())))
    folder = getattr(asked, operation.names_folder, "") if operation.names_folder else ""
    if not names and folder in ("", ".") and context.pinned_index:
        names = (context.pinned_index,)
    if names:
        return Selection(names)
    place = await projects.place_of(ctx)
    return Selection(place=context.access.place_below(place, folder) if folder else place)


async def _outcome(context: ServerContext, jobs: "Runs", ctx: Context, waiting: Waiting[R]) -> R:
    """The report of a job when it has ended or the time is up; a caller who leaves stops what the call began."""
    try:
        job = await _follow(context, jobs, ctx, waiting)
        return await context.run(partial(waiting.then, job))
    except anyio.get_cancelled_exc_class():
        if waiting.stops:
            Thread(target=_stop, args=(jobs, waiting.stops), name="cancel").start()
        raise


def _stop(jobs: "Runs", wanted: Sequence[JobStatus]) -> None:
    for one in wanted:
        with suppress(CocosearchError):  # the others are still to be stopped, and nobody is there to be told
            jobs.cancel(one.job_id)


def _client_name(ctx: Context) -> str:
    """The client, as it names itself; empty where it does not."""
    params = ctx.session.client_params if ctx.request_context is not None else None
    name = params.client_info.name if params is not None else ""
    return name[:_MOST_NAME_CHARS] if name.isprintable() else ""


async def _follow(context: ServerContext, jobs: "Runs", ctx: Context, waiting: Waiting[Any]) -> JobStatus:
    """Wait for the end of a job and report its progress; no wait: the job as it was when it was asked for."""
    job = waiting.job
    if waiting.wait_s <= 0:
        return job
    deadline_s = time.monotonic() + waiting.wait_s
    told: tuple[str, int] | None = None
    while not (job := await context.run(partial(jobs.look, job.job_id))).ended and time.monotonic() < deadline_s:
        if told != (job.stage, job.done):
            told = (job.stage, job.done)
            await ctx.report_progress(job.done, job.total or None, f"{job.state} {job.stage}".strip())
        await anyio.sleep(_POLL_S)
    return job


def _parameters(operation: Operation[Any, Any]) -> Iterator[inspect.Parameter]:
    for one in operation.parameters:
        if one.about is None:
            continue
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        low, high = (one.bounds.minimum, one.bounds.maximum) if one.bounds else (None, None)
        annotation: Any = Annotated[one.type, Field(description=one.about, ge=low, le=high)]
        yield inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _result(payload: Any, *, structured: bool) -> ToolResult:
    """One compact block of text; with structured content that instead, never the same payload twice."""
    if not structured:
        return ToolResult(content=[mcp_types.TextContent(type="text", text=to_json(payload))])
    content = payload if isinstance(payload, dict) else {"result": payload}
    told = [mcp_types.TextContent(type="text", text="see structuredContent")]
    return ToolResult(content=told, structured_content=content)
