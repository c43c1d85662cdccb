"""Words about a failure that a client may read: no password, and no path that it has no business with."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.redaction import redact
from cocosearch_py.tools.wording import in_tools

MAX_MESSAGE_CHARS = 2_000  # a message may quote an argument, which may be long
_NO_HINT = "correct the problem in the message, then call again"
_PATH = re.compile(r"(?<![\w:/.])(?:/[^\s'\"`,;:()]+|[A-Za-z]:\\[^\s'\"`,;()]+)")


class Explainer:
    """Words failures. `visible` are folders whose paths a message may name; None lets every path stand."""

    def __init__(self, visible: tuple[Path, ...] | None) -> None:
        self._visible = visible

    def described(self, error: CocosearchError, arguments: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
        """Describe an error and its remedy; `error` is the message with CocoSearch's prefix."""
        message = self.clean(error.message, arguments)
        return {
            "error": prefix + message,
            "error_type": error.error_type,
            "message": message,
            "details": {name: self._detail(value, arguments) for name, value in error.details.items()},
            "actionable_guidance": [self.clean(error.hint or _NO_HINT, arguments)],
        }

    def clean(self, text: str, arguments: Mapping[str, Any]) -> str:
        """A message without passwords, foreign paths (unless the arguments name them) and endless quotes."""
        text = in_tools(redact(text))
        if self._visible is not None:
            said = [value for value in arguments.values() if isinstance(value, str)]
            text = _PATH.sub(lambda match: match[0] if self._may_show(match[0], said) else "(a hidden path)", text)
        return text if len(text) <= MAX_MESSAGE_CHARS else text[:MAX_MESSAGE_CHARS] + "…"

    def _detail(self, value: Any, arguments: Mapping[str, Any]) -> Any:
        return self.clean(value, arguments) if isinstance(value, str) else value

    def _may_show(self, path: str, said: list[str]) -> bool:
        if any(path in value for value in said):
            return True
        return any(Path(path).is_relative_to(folder) for folder in self._visible or ())
