"""`get_health`, `cocosearch-py health`: complexity, documentation and tests of a code base in figures."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, NotRequired, TypedDict

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.common import parameters as given
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import About, Command, Flag, Operation
from cocosearch_py.operations.common.files import stored_prefixes
from cocosearch_py.operations.common.fitting import bounded, room
from cocosearch_py.operations.common.members import inside
from cocosearch_py.operations.common.schema import Bounds, Count
from cocosearch_py.operations.common.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.model.quality import Health

Percentage = Annotated[float, Bounds(0, 100)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_health."""

    path: Annotated[
        str | None,
        About("Only this file or folder"),
        Flag(metavar="[PATH]", help="Only this file or folder."),
    ] = None
    index_name: given.IndexName = None
    member: given.Member = None


class Spread(TypedDict):
    """Cyclomatic complexities."""

    avg: float
    median: float
    max: Count
    p90: Count


class Average(TypedDict):
    """The average of a figure."""

    avg: float


class HottestFile(TypedDict):
    """A file with two functions at least."""

    file: str
    functions: Count
    avg_complexity: float
    max_complexity: Count


class Answer(TypedDict):
    """Figures of functions: but for the total, of the `analyzed` ones, whose branches are counted. 10 is high."""

    root: str
    total_functions: Count
    analyzed: Count
    complexity: Spread
    nesting: Average
    params: Average
    body_lines: Average
    high_complexity_count: Count
    high_complexity_pct: Percentage
    documented_pct: Percentage
    test_count: Count
    deprecated_count: Count
    public_api_count: Count
    hottest_files: list[HottestFile]
    parse_health_pct: Percentage
    warnings: NotRequired[list[str]]


class Measured(NamedTuple):
    """The figures of an index, and what is to be known of them."""

    record: IndexRecord
    health: "Health"
    warnings: tuple[str, ...]


def get_health(call: Call, asked: Arguments) -> Measured:
    """Measure the health of a code base: complexity, documentation, tests, deprecated and public functions, worst
    files.
    """
    found = call.find()
    record = found.records[0]
    paths = stored_prefixes(call, record, asked.path, inside(found, asked.member))
    health = call.look(found.app, record, lambda: found.app.quality.measure_health(paths, record))
    told = remarks_on(call, found, [health.stale])
    if not health.functions:
        told.append("no functions found there; vendored and generated files are excluded")
    return Measured(record, health, tuple(told))


def _answer(measured: Measured, _: Arguments) -> Json:
    health = measured.health
    answer: Json = {
        "root": measured.record.root_path,
        "total_functions": health.functions,
        "analyzed": health.analysed,
        "complexity": {
            "avg": round(health.average, 2),
            "median": health.median,
            "max": health.maximum,
            "p90": health.p90,
        },
        "nesting": {"avg": round(health.nesting, 2)},
        "params": {"avg": round(health.parameters, 2)},
        "body_lines": {"avg": round(health.lines, 2)},
        "high_complexity_count": health.complex,
        "high_complexity_pct": _percent(health.complex, health.analysed),
        "documented_pct": _percent(health.documented, health.analysed),
        "test_count": health.tests,
        "deprecated_count": health.deprecated,
        "public_api_count": health.public,
        "hottest_files": [
            {
                "file": one.path,
                "functions": one.functions,
                "avg_complexity": round(one.average, 2),
                "max_complexity": one.maximum,
            }
            for one in health.hottest
        ],
        "parse_health_pct": health.parse_health_pct,
    }
    if measured.warnings:
        answer["warnings"] = list(measured.warnings)
    return bounded(answer, room(None))  # type: ignore[no-any-return]


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


OPERATION = Operation(
    name="get_health",
    title="Health of the code",
    arguments=Arguments,
    run=get_health,
    shape=_answer,
    answer=Answer,
    toolset="quality",
    order=2,
    listed=False,
    about_indexes=True,
    needs="symbol",
    command=Command(
        name="health",
        help="""Show figures on the complexity, documentation and tests of a code base, with the worst files.

        Vendored and generated files do not count.
        """,
    ),
)
