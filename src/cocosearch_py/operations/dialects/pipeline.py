"""Lexa's `pipeline`: a chain whose `search` looks for text."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from cocosearch_py.operations.pipelines.verbs import NAMES
from cocosearch_py.operations.run_pipeline import Answer, Arguments, answer, run_steps
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Operation

if TYPE_CHECKING:
    from cocosearch_py.operations.pipelines.running import Ran

_MEANINGS: Mapping[str, str] = MappingProxyType({**NAMES, "search": "text"})


def pipeline(call: Call, asked: Arguments) -> "Ran":
    """Run a chain of queries."""
    from cocosearch_py.operations.pipelines.chain import parse

    return run_steps(call, parse(asked.pipeline, asked.steps, _MEANINGS), asked)


OPERATION = Operation(
    name="pipeline",
    title="Run a pipeline",
    arguments=Arguments,
    run=pipeline,
    shape=answer,
    answer=Answer,
    about_indexes=True,
)
