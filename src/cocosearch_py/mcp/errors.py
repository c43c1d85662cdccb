"""The one place where a failure becomes an answer: what happened, why, what to do.

No traceback, no password, and no path that the client has no business with.
"""

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import mcp_types
import pydantic_core
from fastmcp.exceptions import ValidationError as ArgumentError
from fastmcp.tools.base import ToolResult
from pydantic import ValidationError as PydanticError

from cocosearch_py.errors import CocosearchError, IndexNotFoundError, NotFoundError, ValidationError

log = logging.getLogger(__name__)

MAX_MESSAGE_CHARS = 2_000  # a message may quote an argument, which may be long
_MAX_PROBLEMS = 5
_NO_HINT = "correct what the message names, then call again"
_PATH = re.compile(r"(?<![\w:/.])(?:/[^\s'\"`,;:()]+|[A-Za-z]:\\[^\s'\"`,;()]+)")
_SECRET_IN_URL = re.compile(r"(\w+://[^\s:/@]*:)[^\s@]*(@)")


class NotIndexedError(IndexNotFoundError):
    """No index for the place of a call; `details` say which place, and what to call its index."""

    def __init__(self, message: str, *, hint: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.details = dict(details or {})


class UnknownToolError(NotFoundError):
    """No such tool, or one that this server does not offer."""


class Explainer:
    """Makes error answers. `visible` are folders whose paths a message may name; None lets every path stand."""

    def __init__(self, visible: tuple[Path, ...] | None) -> None:
        self._visible = visible

    def result(self, error: CocosearchError, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """The answer of a failed call: one JSON object as text, marked as an error."""
        prefix = "Failed to index codebase: " if tool == "index_codebase" else ""
        payload = {"success": False, **self.described(error, arguments, prefix)}
        return ToolResult(content=[mcp_types.TextContent(type="text", text=to_json(payload))], is_error=True)

    def described(self, error: CocosearchError, arguments: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
        """What happened and what to do; `error` is the message with what CocoSearch puts before it."""
        message = self.clean(error.message, arguments)
        return {
            "error": prefix + message,
            "error_type": error.error_type,
            "message": message,
            "details": dict(getattr(error, "details", {})),
            "actionable_guidance": [self.clean(error.hint or _NO_HINT, arguments)],
        }

    def clean(self, text: str, arguments: Mapping[str, Any]) -> str:
        """A message without passwords, foreign paths (unless the arguments name them) and endless quotes."""
        text = _SECRET_IN_URL.sub(r"\1***\2", text)
        if self._visible is not None:
            said = [value for value in arguments.values() if isinstance(value, str)]
            text = _PATH.sub(lambda match: match[0] if self._may_show(match[0], said) else "(a hidden path)", text)
        return text if len(text) <= MAX_MESSAGE_CHARS else text[:MAX_MESSAGE_CHARS] + "…"

    def _may_show(self, path: str, said: list[str]) -> bool:
        if any(path in value for value in said):
            return True
        return any(Path(path).is_relative_to(folder) for folder in self._visible or ())


async def answered(
    call: Callable[[], Awaitable[ToolResult]], explainer: Explainer, tool: str, arguments: Mapping[str, Any]
) -> ToolResult:
    """Await a call and turn whatever it raises into an answer; only cancellation passes."""
    try:
        return await call()
    except CocosearchError as error:
        return explainer.result(error, tool, arguments)
    except ArgumentError as error:
        return explainer.result(_bad_arguments(tool, error), tool, arguments)
    except Exception:  # the edge of a call: the client learns that it failed, the log learns why
        log.exception("tool %s failed", tool)
        return explainer.result(_fault(), tool, arguments)


def _fault() -> CocosearchError:
    return CocosearchError("internal error", hint="this is a fault of the server: see its log and report it")


def to_json(payload: Any) -> str:
    """Compact JSON; lone surrogates, which no transport can carry, become question marks."""
    try:
        return pydantic_core.to_json(payload, fallback=str).decode()  # takes less than half the time of json
    except pydantic_core.PydanticSerializationError:
        text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "replace").decode("utf-8")


def _bad_arguments(tool: str, error: ArgumentError) -> ValidationError:
    cause = error.__cause__
    if not isinstance(cause, PydanticError):
        return ValidationError(f"the arguments of {tool} are wrong", hint="see the tool's input schema")
    problems = []
    for item in cause.errors(include_url=False, include_input=False, include_context=False)[:_MAX_PROBLEMS]:
        where = ".".join(str(part) for part in item["loc"][:2])[:100]
        problems.append(f"{where}: {item['msg']}")
    return ValidationError(f"wrong arguments for {tool}: {'; '.join(problems)}", hint="see the tool's input schema")
