"""Fixtures of 2026-07-28, where a server that needs input answers with its questions and is called again."""

from typing import Any

import mcp_types as mt
from fastmcp import Context, FastMCP
from fastmcp.tools.base import ToolResult

Rounds = ToolResult | mt.InputRequiredResult


def _form(message: str, field: str, kind: str = "string") -> mt.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return mt.ElicitRequest(params=mt.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(question: str, tokens: int) -> mt.CreateMessageRequest:
    message = mt.SamplingMessage(role="user", content=mt.TextContent(type="text", text=question))
    return mt.CreateMessageRequest(params=mt.CreateMessageRequestParams(messages=[message], max_tokens=tokens))


def _said(content: str) -> ToolResult:
    return ToolResult(content=[mt.TextContent(type="text", text=content)])


def _content(ctx: Context, key: str) -> dict[str, Any] | None:
    """What the user put into the form; None when this form was not answered."""
    answer = (ctx.input_responses or {}).get(key)
    return dict(answer.content or {}) if isinstance(answer, mt.ElicitResult) else None


async def test_input_required_result_elicitation(ctx: Context) -> Rounds:
    """Ask for a name, then greet."""
    answer = _content(ctx, "user_name")
    if answer is None:
        return mt.InputRequiredResult(input_requests={"user_name": _form("What is your name?", "name")})
    return _said(f"Hello, {answer.get('name')}!")


async def test_streaming_elicitation(ctx: Context) -> Rounds:
    """The same under another name."""
    return await test_input_required_result_elicitation(ctx)


async def test_input_required_result_sampling(ctx: Context) -> Rounds:
    """Ask the client's model."""
    answer = (ctx.input_responses or {}).get("capital_question")
    if not isinstance(answer, mt.CreateMessageResult):
        return mt.InputRequiredResult(
            input_requests={"capital_question": _sample("What is the capital of France?", 100)}
        )
    return _said(str(getattr(answer.content, "text", answer.content)))


async def test_input_required_result_list_roots(ctx: Context) -> Rounds:
    """Ask for the client's roots."""
    answer = (ctx.input_responses or {}).get("client_roots")
    if not isinstance(answer, mt.ListRootsResult):
        return mt.InputRequiredResult(input_requests={"client_roots": mt.ListRootsRequest()})
    return _said("roots: " + ", ".join(f"{root.name} {root.uri}" for root in answer.roots))


async def test_input_required_result_request_state(ctx: Context) -> Rounds:
    """Carry a state through one round."""
    answer = _content(ctx, "confirm")
    if answer is None or ctx.request_state != "confirming":
        asked = _form("Please confirm", "ok", "boolean")
        return mt.InputRequiredResult(input_requests={"confirm": asked}, request_state="confirming")
    return _said("state-ok")


async def test_input_required_result_tampered_state(ctx: Context) -> Rounds:
    """The same; a state that was changed never arrives here."""
    return await test_input_required_result_request_state(ctx)


async def test_input_required_result_multiple_inputs(ctx: Context) -> Rounds:
    """Ask three things at once."""
    asked: mt.InputRequests = {
        "user_name": _form("What is your name?", "name"),
        "greeting": _sample("Generate a greeting", 50),
        "client_roots": mt.ListRootsRequest(),
    }
    if not asked.keys() <= (ctx.input_responses or {}).keys():
        return mt.InputRequiredResult(input_requests=asked, request_state="three questions")
    return _said("all three were answered")


async def test_input_required_result_multi_round(ctx: Context) -> Rounds:
    """Ask twice, with a state that changes."""
    first, second = _content(ctx, "step1"), _content(ctx, "step2")
    if second is not None and ctx.request_state:
        return _said(f"{ctx.request_state} likes {second.get('color')}")
    if first is not None:
        asked = _form("Step 2: What is your favorite color?", "color")
        return mt.InputRequiredResult(input_requests={"step2": asked}, request_state=str(first.get("name")))
    asked = _form("Step 1: What is your name?", "name")
    return mt.InputRequiredResult(input_requests={"step1": asked}, request_state="step 1")


async def test_input_required_result_capabilities(ctx: Context) -> Rounds:
    """Ask only what the client says that it can answer."""
    declared = ctx.session.client_capabilities or mt.ClientCapabilities()
    asked: dict[str, Any] = {}
    if declared.sampling is not None:
        asked["sample"] = _sample("Say something", 50)
    if declared.elicitation is not None:
        asked["form"] = _form("What is your name?", "name")
    return mt.InputRequiredResult(input_requests=asked) if asked and not ctx.input_responses else _said("done")


ROUND_TOOLS = (
    test_input_required_result_elicitation,
    test_streaming_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_capabilities,
)


def add_round_prompt(server: FastMCP) -> None:
    """The prompt that asks before it answers."""

    @server.prompt(description="A prompt that needs input")
    async def test_input_required_result_prompt(ctx: Context) -> Any:
        answer = _content(ctx, "user_context")
        if answer is None:
            asked = _form("What context should the prompt use?", "context")
            return mt.InputRequiredResult(input_requests={"user_context": asked})
        return f"Use this context: {answer.get('context')}"
