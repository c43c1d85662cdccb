"""`get_hotspots`, `cocosearch-py hotspots`: the functions that are hardest to understand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.common import parameters as given
from cocosearch_py.operations.common.answers import Json, quoted
from cocosearch_py.operations.common.bounds import Bounded
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import About, Command, Flag, Operation
from cocosearch_py.operations.common.files import stored_prefixes
from cocosearch_py.operations.common.fitting import fit, table
from cocosearch_py.operations.common.members import inside
from cocosearch_py.operations.common.schema import Count
from cocosearch_py.operations.common.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.quality import Hotspot, HotspotReport

MAX_LIMIT = 100
_MOST_COMPLEX = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_hotspots."""

    path: Annotated[
        str | None,
        About("Only this file or folder"),
        Flag(metavar="[PATH]", help="Only this file or folder."),
    ] = None
    sort_by: Annotated[
        str,
        About("score, complexity, nesting, params, body_lines, or churn (commits that changed the file)"),
        Flag(
            names=("--sort",),
            metavar="KEY",
            help="score, complexity, nesting, params, body_lines or churn (commits that changed the file).",
        ),
    ] = "score"
    min_complexity: Annotated[
        int,
        About("Minimum cyclomatic complexity"),
        Flag(names=("--min-complexity",), metavar="N", minimum=1, help="Minimum cyclomatic complexity."),
    ] = 1
    limit: Annotated[
        int,
        About("Functions, 1-100"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of functions (1–100).",
        ),
    ] = 20
    compact: given.Compact = False
    index_name: given.IndexName = None
    member: given.Member = None


class Item(TypedDict):
    """A function; `score` is cyclomatic + 2 max_nesting + param_count / 2 + body_lines / 20."""

    file: str
    name: str
    kind: str
    line: Count
    cyclomatic: Count
    max_nesting: Count
    param_count: Count
    body_lines: Count
    score: float
    churn: Count


class Answer(TypedDict):
    """The first of `total` functions; with `compact` columns and rows."""

    root: str
    total: Count
    hotspots: NotRequired[list[Item]]
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str | float]]]
    note: NotRequired[str]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class HotspotsFound(NamedTuple):
    """Functions of an index, and what is to be known of them."""

    record: IndexRecord
    report: "HotspotReport"
    warnings: tuple[str, ...]


def get_hotspots(call: Call, asked: Arguments) -> HotspotsFound:
    """Find the functions that are hardest to understand, by branches, nesting, parameters and length, or by changes."""
    from cocosearch_py.model.quality import SORT_KEYS, HotspotRequest

    sort = next((key for key in SORT_KEYS if key == asked.sort_by), None)
    if sort is None:
        raise ValidationError(f"unknown sort_by '{asked.sort_by[:60]}'", hint=f"known: {', '.join(SORT_KEYS)}")
    found = call.find()
    record, quality = found.records[0], found.app.quality
    bounded = Bounded()
    request = HotspotRequest(
        paths=stored_prefixes(call, record, asked.path, inside(found, asked.member)),
        min_complexity=bounded.value("min_complexity", asked.min_complexity, 1, _MOST_COMPLEX),
        sort=sort,
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
    )
    changes = quality.count_changes(record)
    report = call.look(found.app, record, lambda: quality.find_hotspots(request, changes, record))
    told = [*bounded.notes, *remarks_on(call, found, [report.stale])]
    if sort == "churn" and not report.has_history:
        told.append("git does not report how often files changed, so churn is 0 for all")
    if not report.total:
        told.append("no functions found there; vendored and generated files are excluded")
    return HotspotsFound(record, report, tuple(told))


def _answer(found: HotspotsFound, asked: Arguments) -> Json:
    items = [_item(one) for one in found.report.hotspots]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {"root": found.record.root_path, "total": found.report.total}
        answer |= table(kept) if asked.compact else {"hotspots": list(kept)}
        answer |= quoted(kept)  # names of tests are sentences in some languages
        warnings = list(found.warnings)
        if len(kept) < len(items):
            answer["truncated"] = True
            warnings.append(f"{len(kept)} of {len(items)} functions shown: compact=true shows more")
        return {**answer, "warnings": warnings} if warnings else answer

    return cast("Json", fit(items, build))


def _item(one: "Hotspot") -> Json:
    return {
        "file": one.path,
        "name": one.name,
        "kind": one.kind,
        "line": one.start_line,
        "cyclomatic": one.cyclomatic,
        "max_nesting": one.max_nesting,
        "param_count": one.parameters,
        "body_lines": one.lines,
        "score": round(one.score, 2),
        "churn": one.churn,
    }


OPERATION = Operation(
    name="get_hotspots",
    title="Complex functions",
    arguments=Arguments,
    run=get_hotspots,
    shape=_answer,
    answer=Answer,
    toolset="quality",
    order=1,
    listed=False,
    about_indexes=True,
    needs="symbol",
    command=Command(
        name="hotspots",
        help="""Show the functions that are hardest to understand, by branches, nesting, parameters and length.

        Start with those that also change often: --sort churn.
        """,
    ),
)
