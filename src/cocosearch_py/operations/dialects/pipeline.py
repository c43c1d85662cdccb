"""Lexa's `pipeline`: a chain whose `search` looks for text."""

from collections.abc import Mapping
from types import MappingProxyType

from cocosearch_py.features.pipeline.chain import parse
from cocosearch_py.features.pipeline.items import Item
from cocosearch_py.features.pipeline.service import run_steps
from cocosearch_py.features.pipeline.tools import TOOLS, PipelineResult, RunPipelineArguments
from cocosearch_py.features.pipeline.verbs import NAMES
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Operation

_MEANINGS: Mapping[str, str] = MappingProxyType({**NAMES, "search": "text"})


def pipeline(call: Call, asked: RunPipelineArguments) -> Shrinkable[Item, PipelineResult]:
    """Run a chain of queries."""
    return run_steps(call, parse(asked.pipeline, asked.steps, _MEANINGS), asked)


OPERATION = Operation(
    name="pipeline",
    title="Run a pipeline",
    arguments=RunPipelineArguments,
    run=pipeline,
    shape=TOOLS[0].shape,
    answer=PipelineResult,
    about_indexes=True,
)
