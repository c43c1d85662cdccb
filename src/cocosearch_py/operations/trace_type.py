"""`trace_type`, `cocosearch-py types`: the functions that return a type, and those that accept it."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.files import stored_prefixes
from cocosearch_py.tools.fitting import fit, table
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.flows import FlowReport

MAX_LIMIT = 200
MAX_NAME_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of trace_type."""

    type_name: Annotated[str, About("Type name"), Flag(metavar="TYPE", help="Type name.")]
    path: Annotated[
        str | None,
        About("Only this file or folder"),
        Flag(names=("--path",), metavar="PATH", help="Only this file or folder."),
    ] = None
    include_fields: Annotated[
        bool,
        About("Count fields of this type as consumers"),
        Flag(names=("--fields",), help="Count fields of this type as consumers."),
    ] = False
    limit: Annotated[
        int,
        About("Per role, 1-200"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of functions per role (1–200).",
        ),
    ] = 50
    compact: given.Compact = False
    index_name: given.IndexName = None
    member: given.Member = None


class User(TypedDict):
    """A definition that returns or accepts the type."""

    file: str
    name: str
    kind: str
    signature: str
    line: Count
    role: Literal["producer", "consumer"]


class Answer(TypedDict):
    """Who makes values of a type and who takes them; with `compact` both as columns and rows."""

    type_name: str
    producers_count: Count
    consumers_count: Count
    producers: NotRequired[list[User]]
    consumers: NotRequired[list[User]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | int]]]
    truncated: NotRequired[bool]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class FlowFound(NamedTuple):
    """What an index says of a type, and what is to be known of it."""

    record: IndexRecord
    name: str
    report: "FlowReport"
    warnings: tuple[str, ...]


def trace_type(call: Call, asked: Arguments) -> FlowFound:
    """Find the functions that return or accept a type, by their signatures."""
    from cocosearch_py.model.flows import FlowRequest
    from cocosearch_py.navigation.names import read_name

    name = asked.type_name.strip()
    if not name or not is_text(name) or len(name) > MAX_NAME_CHARS:
        raise ValidationError(
            f"type_name is empty, longer than {MAX_NAME_CHARS} characters or not text", hint="give the name of a type"
        )
    found = call.find()
    record = found.records[0]
    bounded = Bounded()
    request = FlowRequest(
        name=read_name(name).spelled,
        paths=stored_prefixes(call, record, asked.path, inside(found, asked.member)),
        with_fields=asked.include_fields,
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
    )
    report = call.look(found.app, record, lambda: found.app.graphs.trace_type(request, record))
    told = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    if not report.producers_count and not report.consumers_count:
        told.append(f"no signature names '{name[:100]}'; inferred types are not detected: ask find_references")
    return FlowFound(record, name, report, tuple(told))


def _answer(found: FlowFound, asked: Arguments) -> Json:
    report = found.report
    items: list[Json] = [
        {
            "file": posixpath.join(found.record.root_path, one.path),
            "name": one.name,
            "kind": one.kind,
            "signature": one.signature,
            "line": one.line,
            "role": role,
        }
        for role, users in (("producer", report.producers), ("consumer", report.consumers))
        for one in users
    ]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {
            "type_name": found.name,
            "producers_count": report.producers_count,
            "consumers_count": report.consumers_count,
        }
        if asked.compact:
            answer |= table(kept)
        else:
            answer["producers"] = [item for item in kept if item["role"] == "producer"]
            answer["consumers"] = [item for item in kept if item["role"] == "consumer"]
        answer |= quoted(kept)
        warnings, total = list(found.warnings), report.producers_count + report.consumers_count
        if len(kept) < total:
            answer["truncated"] = True
            warnings.append(f"{len(kept)} of {total} shown: narrow by path, or raise limit for more")
        return {**answer, "warnings": warnings} if warnings else answer

    return cast("Json", fit(items, build))


OPERATION = Operation(
    name="trace_type",
    title="Trace a type",
    arguments=Arguments,
    run=trace_type,
    shape=_answer,
    answer=Answer,
    toolset="navigate",
    order=10,
    listed=False,
    about_indexes=True,
    needs="symbol",
    command=Command(
        name="types",
        help="""Find the functions that return or accept a type.

        Only types that signatures name are seen, not inferred types.
        """,
    ),
    aliases=(Alias(name="get_type_flow", program="indxr"),),
)
