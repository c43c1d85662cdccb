"""The one place where a failure becomes an answer: what happened, why, what to do; no traceback."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types
from fastmcp.exceptions import ValidationError as ArgumentError
from fastmcp.tools.base import ToolResult
from pydantic import ValidationError as PydanticError

from cocosearch_py.errors import CocosearchError, NotFoundError, ValidationError, as_limit
from cocosearch_py.mcp.masking import masked
from cocosearch_py.server.explainer import Explainer
from cocosearch_py.tools.declaration import Operation
from cocosearch_py.tools.fitting import bounded, room
from cocosearch_py.tools.jsontext import to_json

log = logging.getLogger(__name__)

_MAX_PROBLEMS = 5


class UnknownToolError(NotFoundError):
    """No such tool, or one that this server does not offer."""


async def answered(
    call: Callable[[], Awaitable[ToolResult]],
    explainer: Explainer,
    arguments: Mapping[str, Any],
    tool: str,
    operation: Operation[Any, Any] | None,
    spelled: Mapping[str, str],
    *,
    shows_secrets: bool,
) -> ToolResult:
    """Await a call and turn whatever it raises into an answer; only cancellation passes.

    Args:
        operation: what was called, if there is such a thing: how it words failures.
        spelled: what the caller calls those of its parameters that have another name there.
        shows_secrets: whether secrets of files that an error quotes are left as they are.
    """
    try:
        return await call()
    except CocosearchError as raised:
        error = raised
    except ArgumentError as raised:
        error = _bad_arguments(tool, raised, operation, spelled)
    except Exception as raised:  # the edge of a call: the client learns that it failed, the log learns why
        log.exception("tool %s failed", tool)
        error = as_limit(raised) or _fault()
    prefix = operation.failure if operation else ""
    payload = {"success": False, **explainer.described(error, arguments, prefix)}
    if operation is None or not operation.error_is_text:
        payload["error"] = True
    payload = bounded(payload if shows_secrets else masked(payload), room(None))
    if operation is not None and operation.failed is not None:
        payload = operation.failed(payload)
    text = payload if isinstance(payload, str) else to_json(payload)
    return ToolResult(content=[mcp_types.TextContent(type="text", text=text)], is_error=True)


def _fault() -> CocosearchError:
    return CocosearchError("internal error", hint="this is a bug in the server: see its log and report it")


def _bad_arguments(
    tool: str, error: ArgumentError, operation: Operation[Any, Any] | None, spelled: Mapping[str, str]
) -> ValidationError:
    known = [spelled.get(one.name, one.name) for one in operation.parameters if one.about] if operation else []
    hint = f"{tool} knows {', '.join(known)}" if known else "see the tool's input schema"
    cause = error.__cause__
    if not isinstance(cause, PydanticError):
        return ValidationError(f"the arguments of {tool} are wrong", hint=hint)
    problems, wrong = [], []
    for item in cause.errors(include_url=False, include_input=False, include_context=False)[:_MAX_PROBLEMS]:
        own = [str(part) for part in item["loc"][:2]]
        where = ".".join([*(spelled.get(part, part) for part in own[:1]), *own[1:]])[:100]
        wrong.append(where)
        problems.append(f"{where} is missing" if item["type"].startswith("missing") else f"{where}: {item['msg']}")
    return ValidationError(
        f"wrong arguments for {tool}: {'; '.join(problems)}", hint=hint, details={"parameters": wrong}
    )
