"""The tool audit_code."""

from typing import Annotated, Any, Literal

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, tool

Format = Literal["text", "sarif"]
EXIT_GATE_FAILED = 6
MAX_FINDINGS = 1_000


class AuditCodeArguments(Arguments):
    """Parameters of audit_code; those without a meaning for agents are of the command alone."""

    path: Annotated[
        str | None, About("Only this file or folder"), Flag(metavar="[PATH]", help="Only this file or folder.")
    ] = None
    include: Annotated[
        list[str] | None,
        About("Further checks: dead-code, secrets, duplicates"),
        Flag(names=("--include",), metavar="PART", help="Further checks: dead-code, secrets, duplicates or all."),
    ] = None
    since: Annotated[
        str | None,
        About("Only findings in files changed since this branch, tag or commit"),
        Flag(
            names=("--since",), metavar="REF", help="Only findings in files changed since this branch, tag or commit."
        ),
    ] = None
    config: Annotated[str | None, About("YAML or TOML file inside the root with other audit.* settings")] = None
    no_config: Annotated[
        bool,
        About("Ignore the audit.* settings"),
        Flag(names=("--no-audit-config",), help="Ignore the audit.* settings and use the defaults."),
    ] = False
    limit: Annotated[
        int,
        About("Findings, 1-1000"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_FINDINGS,
            help="Maximum number of findings (1–1000).",
        ),
    ] = 50
    index_name: given.IndexName = None
    member: given.Member = None
    audit_config: Annotated[
        str | None,
        Flag(
            names=("--audit-config",),
            metavar="FILE",
            filled=True,
            help="Read the audit.* settings from this YAML or TOML file inside the root.",
        ),
    ] = None
    strict: Annotated[
        bool,
        Flag(names=("--strict",), help="Fail, with exit code 6, if a finding is actionable or a check could not run."),
    ] = False
    fail_on: Annotated[
        str | None,
        Flag(
            names=("--fail-on",),
            metavar="SEVERITY",
            help="Fail on findings of at least this severity: low, medium, high or critical.",
        ),
    ] = None
    baseline: Annotated[
        str | None,
        Flag(
            names=("--baseline",),
            metavar="FILE",
            filled=True,
            help="Only findings that this baseline file does not contain.",
        ),
    ] = None
    write_baseline: Annotated[
        str | None,
        Flag(
            names=("--write-baseline",), metavar="FILE", filled=True, help="Write all findings to this baseline file."
        ),
    ] = None
    format: Annotated[
        Format,
        Flag(names=("--format",), metavar="FORMAT", type=str, help="text, or sarif (SARIF 2.1.0 for code scanning)."),
    ] = "text"


class NextStep(Part):
    """Call that shows more; it runs as it is."""

    tool: str
    arguments: Any


class Spot(Part):
    """Lines of a file."""

    file: str
    line: Count
    end_line: Count


class ReportedFinding(Part):
    """A finding; `actionability` is actionable, candidate, risk_note or expected."""

    id: str
    rule: str
    severity: str
    actionability: str
    file: str
    line: Count
    end_line: Count
    message: str
    evidence: tuple[str, ...]
    next_steps: tuple[NextStep, ...]
    secondary: bool = False
    related: tuple[Spot, ...] = ()


class Gap(Part):
    """A gap of the audit: files or rules that it says nothing about."""

    part: str
    what: str
    why: str
    files: Count = 0


class FindingCounts(Part):
    """Findings that count, and those that comments, settings or a baseline suppress."""

    total: Count
    suppressed: Count
    by_rule: dict[str, Count]
    by_severity: dict[str, Count]


class Groups(Part):
    """Ids of findings; each is in one of the first two, and in one of the others."""

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    actionable: tuple[str, ...]
    candidates: tuple[str, ...]
    risk_notes: tuple[str, ...]
    expected: tuple[str, ...]


class Audit(Part):
    """Findings, the most severe first; `failed` says why the gate fails."""

    root: str
    groups: Groups
    findings: tuple[ReportedFinding, ...]
    counts: FindingCounts
    not_checked: tuple[Gap, ...]
    failed: tuple[str, ...] = ()
    truncated: bool = False
    warnings: tuple[str, ...] = ()


def _exit_code(audited: Any, _: AuditCodeArguments) -> int:
    """Return the exit code of `audit`, from the `service.Audited`."""
    return EXIT_GATE_FAILED if audited.failed else 0


TOOLS = (
    tool(
        __package__,
        "audit_code",
        title="Audit of the code",
        about=(
            "Audit a repository for import cycles, size and coupling; on request also dead code, secrets and "
            "duplicates."
        ),
        arguments=AuditCodeArguments,
        answer=Audit,
        view="show_audit",
        lines="sarif_lines",
        lines_are_data=True,
        remarks="remark_on_gate",
        toolset="quality",
        order=4,
        listed=False,
        about_indexes=True,
        needs="symbol",
        aliases=(
            Alias(
                name="audit",
                program="Lexa",
                parameters={"max_results": "limit", "max": "limit"},
                means={"limit": 20},
            ),
        ),
        command=Command(
            name="audit",
            help="""Audit a repository for import cycles, size and coupling; --include adds further checks.

            By default it reports import cycles, files and definitions that are too large, and too many dependencies.
            As a build gate, use --strict or --fail-on. --since limits it to the changes of a branch, --baseline to new
            findings. A failed gate exits with code 6.
            """,
            exit_code=_exit_code,
        ),
    ),
)
