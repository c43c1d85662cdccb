"""Asks the person behind a client whether something may be done, as the era of the call allows."""

from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types
from fastmcp import Context

from cocosearch_py.mcp.projects import is_modern
from cocosearch_py.server.calls import ConfirmationNeededError
from mcp import MCPError

PATIENCE_S = 300.0  # whoever has not answered by then did not say yes
_FIELD = "confirm"


def answers_of(ctx: Context, said: Mapping[str, bool] | None) -> Mapping[str, bool] | None:
    """Return a person's answers so far by the keys of the questions; None if the client cannot ask."""
    if said is not None or ctx.request_context is None or not _can_ask(ctx):
        return said
    answers = (ctx.input_responses if is_modern(ctx) else None) or {}
    return {key: _is_yes(answer) for key, answer in answers.items() if isinstance(answer, mcp_types.ElicitResult)}


def confirmation_question(needed: ConfirmationNeededError) -> mcp_types.InputRequiredResult:
    """The reply that asks a client of the stateless era; the call then comes again with the answer."""
    return mcp_types.InputRequiredResult(input_requests={needed.key: _request(needed)})


async def ask_person(ctx: Context, needed: ConfirmationNeededError) -> bool:
    """Ask a client of the era with sessions, and wait."""
    with anyio.move_on_after(PATIENCE_S):
        try:
            return _is_yes(await ctx.session.send_request(_request(needed), mcp_types.ElicitResult))
        except MCPError:  # it said that it can ask, and cannot
            return False
    return False


def _request(needed: ConfirmationNeededError) -> mcp_types.ElicitRequest:
    form: dict[str, Any] = {
        "type": "object",
        "properties": {_FIELD: {"type": "boolean", "title": needed.yes, "default": False}},
        "required": [_FIELD],
    }
    params = mcp_types.ElicitRequestFormParams(message=needed.question, requested_schema=form)
    return mcp_types.ElicitRequest(params=params)


def _can_ask(ctx: Context) -> bool:
    wanted = mcp_types.ClientCapabilities(elicitation=mcp_types.ElicitationCapability())
    return bool(ctx.session.check_client_capability(wanted))


def _is_yes(answer: mcp_types.ElicitResult) -> bool:
    return answer.action == "accept" and (answer.content or {}).get(_FIELD) is True
