"""Declaration of another program's tool that one of ours answers."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from cocosearch_py.tools.answer import Arguments, Json, plain
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Operation
from cocosearch_py.tools.registry import answer_of

A = TypeVar("A", bound=Arguments)


def adapter(
    name: str,
    title: str,
    tool: str,
    *,
    arguments: type[A],
    answer: Any,
    ask: Callable[[A], Mapping[str, Any]],
    reply: Callable[[Call, Json, A], Any] | None = None,
    **placement: Any,
) -> Operation[A, Any]:
    """Declare a tool of another program.

    Args:
        tool: our tool that answers.
        ask: makes its arguments; those that are None are left out.
        reply: makes the other program's answer of ours; without one, the fields that both have.
        placement: see `Operation`.
    """

    def run(call: Call, asked: A) -> Any:
        ours = {name: value for name, value in ask(asked).items() if value is not None}
        return answer_of(call, tool, ours, lambda answered: _replied(call, answered, asked))

    def _replied(call: Call, answered: Any, asked: A) -> Any:
        return plain(msgspec.convert(answered, answer) if reply is None else reply(call, answered, asked))

    return Operation(
        name=name,
        title=title,
        arguments=arguments,
        answer=answer,
        run=run,
        shape=lambda answered, _: answered,
        **placement,
    )
