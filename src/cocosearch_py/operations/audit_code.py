"""`audit_code`, `cocosearch-py audit`: what is rotten in a repository, and whether a build may pass with it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation
from cocosearch_py.tools.files import stored_prefixes
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import changed_since
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.audit.baseline import Baseline
    from cocosearch_py.config.settings import AuditSettings
    from cocosearch_py.model.audit import Finding, NotChecked, Part, Scope, Severity

GATE_FAILED = 6  # exit code
MAX_LIMIT = 1_000
FORMATS = ("text", "sarif")
_BY_SETTING = "setting audit.ignoreFindings"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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
            maximum=MAX_LIMIT,
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
        str, Flag(names=("--format",), metavar="FORMAT", help="text, or sarif (SARIF 2.1.0 for code scanning).")
    ] = "text"


class Step(TypedDict):
    """A call that shows more; it runs as it is."""

    tool: str
    arguments: Any


class Spot(TypedDict):
    """Lines of a file."""

    file: str
    line: Count
    end_line: Count


class Item(TypedDict):
    """A finding; `actionability` is actionable, candidate, risk_note or expected."""

    id: str
    rule: str
    severity: str
    actionability: str
    secondary: NotRequired[bool]
    file: str
    line: Count
    end_line: Count
    message: str
    evidence: list[str]
    related: NotRequired[list[Spot]]
    next_steps: list[Step]


class Unchecked(TypedDict):
    """What is not said anything about."""

    part: str
    what: str
    why: str
    files: NotRequired[Count]


class Counts(TypedDict):
    """Findings that count, and those that comments, settings or a baseline suppress."""

    total: Count
    suppressed: Count
    by_rule: dict[str, Count]
    by_severity: dict[str, Count]


class Groups(TypedDict):
    """Ids of findings; each is in one of the first two, and in one of the others."""

    primary: list[str]
    secondary: list[str]
    actionable: list[str]
    candidates: list[str]
    risk_notes: list[str]
    expected: list[str]


class Answer(TypedDict):
    """The findings, the most severe first."""

    root: str
    groups: Groups
    findings: list[Item]
    counts: Counts
    not_checked: list[Unchecked]
    failed: NotRequired[list[str]]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class Audited(NamedTuple):
    """What an audit found; `findings` has the suppressed ones, last.

    `failed` is why its gate fails, `limit` how many findings are shown.
    """

    record: IndexRecord
    findings: "tuple[Finding, ...]"
    not_checked: "tuple[NotChecked, ...]"
    failed: tuple[str, ...]
    warnings: tuple[str, ...]
    limit: int = MAX_LIMIT


def audit_code(call: Call, asked: Arguments) -> Audited:
    """Audit a repository for import cycles, size and coupling; on request also dead code, secrets and duplicates."""
    from cocosearch_py.audit.baseline import read_baseline, with_baseline, write_baseline
    from cocosearch_py.audit.gates import ordered, reasons_to_fail

    found = call.find()
    record = found.records[0]
    settings = _settings(call, found, record, asked)
    fail_on = _severity(asked.fail_on or settings.fail_on)
    scope, include = _scope(call, found, asked, settings), _parts(asked.include, settings)
    if asked.since:
        scope = replace(scope, changed=_changed_since(record, asked.since))
    if asked.format not in FORMATS:
        raise ValidationError(f"unknown format '{asked.format[:60]}'", hint=f"known: {', '.join(FORMATS)}")
    baseline = read_baseline(Path(asked.baseline)) if asked.baseline else None
    kept = _begun(asked, baseline)
    salt = kept.salt if kept is not None else b""
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    with call.working() as tell:
        find = partial(found.app.audits.find, scope, include, salt, lambda part: tell(f"audit: {part}"))
        detected = call.look(found.app, record, find, may_be_empty=True)
    findings = _excused(detected.findings, settings)
    if kept is not None and asked.write_baseline:
        write_baseline(Path(asked.write_baseline), kept, findings)
        baseline = read_baseline(Path(asked.write_baseline))
    if baseline is not None:
        findings = with_baseline(findings, baseline)
    if scope.changed is not None:
        findings = _about(findings, scope.changed)
    not_checked = (*detected.not_checked, *(_stale(found, record, detected.stale) if asked.strict else ()))
    told = [*bounded.notes, *remarks_on(call, found, [detected.stale])]
    if not findings:
        told.append(_nothing(include, scope))
    failed = reasons_to_fail(findings, not_checked, fail_on=fail_on, strict=asked.strict)
    return Audited(record, tuple(ordered(findings)), not_checked, tuple(failed), tuple(told), limit)


def _nothing(include: "Sequence[Part]", scope: "Scope") -> str:
    """What an audit without findings looked for, and what else it could."""
    from cocosearch_py.model.audit import PARTS

    where = " in the changed files" if scope.changed is not None else " there" if scope.prefixes != ("",) else ""
    said = f"{', '.join(('structure', *include))} found nothing{where}"
    rest = [part for part in PARTS if part not in include]
    return f"{said}; not checked: {', '.join(rest)}: include=all adds them" if rest else said


def _settings(call: Call, found: Found, record: IndexRecord, asked: Arguments) -> "AuditSettings":
    from cocosearch_py.config.auditfile import read_audit_file
    from cocosearch_py.config.settings import AuditSettings

    if asked.no_config:
        return AuditSettings()
    chosen = asked.config or asked.audit_config
    if not chosen:
        return found.app.settings.audit
    if not is_text(chosen):
        raise ValidationError(
            "config contains a character that is not allowed in a path", hint="pass a file in the repository"
        )
    root = Path(record.root_path).resolve()
    path = (root / chosen).resolve()
    if not path.is_relative_to(root):
        raise SafetyError(f"{chosen[:200]} is outside {root}", hint="pass a file in the repository")
    # Errors about settings repeat keys of the file, so that an agent may name only what it may read.
    if asked.config and not _is_readable(call, found, record, path.relative_to(root).as_posix()):
        raise NotFoundError(f"{chosen[:200]} is not a file in index '{record.name}'", hint="pass an indexed file")
    if not path.is_file():
        raise NotFoundError(f"no file {chosen[:200]} in {root}", hint="leave out config, or correct it")
    return read_audit_file(path)


def _is_readable(call: Call, found: Found, record: IndexRecord, path: str) -> bool:
    """Report whether an index has a file that a run would read now."""
    from cocosearch_py.audit.files import read_text
    from cocosearch_py.discovery.reading import FolderReader
    from cocosearch_py.discovery.walk import left_out

    root, rules = Path(record.root_path), call.rules(record)
    if found.app.navigation.hash_of_file(path, record) is None or left_out(root, rules, [path]):
        return False
    with FolderReader(str(root.resolve()), rules.max_file_size_bytes) as reader:
        return isinstance(read_text(reader, path), bytes)


def _severity(name: str | None) -> "Severity | None":
    from cocosearch_py.model.audit import SEVERITIES

    found = next((one for one in SEVERITIES if one == name), None)
    if name and found is None:
        raise ValidationError(f"unknown severity '{name[:60]}'", hint=f"known: {', '.join(SEVERITIES)}")
    return found


def _parts(asked: Sequence[str] | None, settings: "AuditSettings") -> "list[Part]":
    from cocosearch_py.model.audit import PARTS

    named = [one.strip().replace("_", "-") for text in (asked or settings.include) for one in text.split(",")]
    if unknown := [one for one in named if one not in (*PARTS, "all", "")]:
        raise ValidationError(f"unknown audit part '{unknown[0][:60]}'", hint=f"known: {', '.join(PARTS)}, all")
    return [one for one in PARTS if one in named or "all" in named]


def _scope(call: Call, found: Found, asked: Arguments, settings: "AuditSettings") -> "Scope":
    from cocosearch_py.model.audit import Limits, Scope

    record = found.records[0]
    root = Path(record.root_path)
    prefixes = stored_prefixes(call, record, asked.path, inside(found, asked.member))
    if asked.path and record.commit is None and not any((root / one).exists() for one in prefixes):
        raise NotFoundError(  # a gate would pass
            f"no file or folder {asked.path[:200]} in {root}", hint="leave out path, or correct it"
        )
    return Scope(
        root=root,
        record=record,
        prefixes=prefixes,
        ignored=settings.ignore_paths,
        ignore_generated=settings.ignore_generated,
        entrypoints=settings.entrypoint_globs,
        kept_symbols=settings.ignore_symbols,
        limits=Limits(
            file_lines=(settings.file_lines, settings.file_lines_high),
            symbol_lines=(settings.symbol_lines, settings.symbol_lines_high),
            fan_in=(settings.fan_in, settings.fan_in_high),
            fan_out=(settings.fan_out, settings.fan_out_high),
        ),
        max_file_bytes=found.app.settings.indexing.max_file_size_kb * 1024,
    )


def _begun(asked: Arguments, baseline: "Baseline | None") -> "Baseline | None":
    """The baseline whose salt the ids are made with: the given one, or that which is written anew with its salt."""
    from cocosearch_py.audit.baseline import Baseline, read_baseline

    if baseline is not None or not asked.write_baseline:
        return baseline
    path = Path(asked.write_baseline)
    return read_baseline(path) if path.exists() else Baseline()


def _excused(findings: "Sequence[Finding]", settings: "AuditSettings") -> "list[Finding]":
    """The findings, those suppressed that a setting names."""
    from cocosearch_py.model.audit import Suppression

    excuse = Suppression("configuration", _BY_SETTING)
    return [
        replace(one, suppressed=excuse) if one.suppressed is None and one.id in settings.ignore_findings else one
        for one in findings
    ]


def _changed_since(record: IndexRecord, since: str) -> frozenset[str]:
    """Files that differ from a commit."""
    return frozenset(changed_since(record, since))


def _about(findings: "Sequence[Finding]", changed: frozenset[str]) -> "list[Finding]":
    """Those about one of these files."""
    return [one for one in findings if changed & {one.place.path, *(place.path for place in one.related)}]


def _stale(found: Found, record: IndexRecord, told: str | None) -> "list[NotChecked]":
    """Whether the index is no longer as its folder, by a run that is only tried."""
    from cocosearch_py.model.audit import NotChecked

    if record.commit is not None:
        return []
    forecast = found.app.forecast(Path(record.root_path), name=record.name)
    count = forecast.files_added + forecast.files_updated + forecast.files_removed
    if count:
        return [NotChecked("all", "changed files", "the index is out of date; `cocosearch-py index` updates it", count)]
    return [NotChecked("all", "changed files", told)] if told else []


def _answer(audited: Audited, _: Arguments) -> Json:
    counted = [one for one in audited.findings if one.suppressed is None]
    items = [_item(one) for one in counted[: audited.limit]]
    return cast("Json", fit(items, lambda kept: _built(audited, counted, kept)))


def _built(audited: Audited, counted: "Sequence[Finding]", kept: Sequence[Json]) -> Json:
    from cocosearch_py.audit.gates import groups_of

    shown = {item["id"] for item in kept}
    groups = {name: [one for one in ids if one in shown] for name, ids in groups_of(counted).items()}
    answer: Json = {
        "root": audited.record.root_path,
        "groups": groups,
        "findings": list(kept),
        "counts": {
            "total": len(counted),
            "suppressed": len(audited.findings) - len(counted),
            "by_rule": dict(Counter(one.rule for one in counted)),
            "by_severity": dict(Counter(one.severity for one in counted)),
        },
        "not_checked": [_unchecked(one) for one in audited.not_checked],
    }
    if audited.failed:
        answer["failed"] = list(audited.failed)
    warnings = list(audited.warnings)
    if len(kept) < len(counted):
        answer["truncated"] = True
        warnings.append(f"{len(kept)} of {len(counted)} findings shown: narrow with path or since, or raise limit")
    return {**answer, "warnings": warnings} if warnings else answer


def _unchecked(one: "NotChecked") -> Json:
    return {"part": one.part, "what": one.what, "why": one.why, **({"files": one.files} if one.files else {})}


def _item(one: "Finding") -> Json:
    item: Json = {
        "id": one.id,
        "rule": one.rule,
        "severity": one.severity,
        "actionability": one.actionability,
        "file": one.place.path,
        "line": one.place.start_line,
        "end_line": one.place.end_line,
        "message": one.message,
        "evidence": list(one.evidence),
        "next_steps": [{"tool": step.tool, "arguments": dict(step.arguments)} for step in one.next_steps],
    }
    if one.secondary:
        item["secondary"] = True
    if one.related:
        item["related"] = [
            {"file": place.path, "line": place.start_line, "end_line": place.end_line} for place in one.related
        ]
    return item


OPERATION = Operation(
    name="audit_code",
    title="Audit of the code",
    arguments=Arguments,
    run=audit_code,
    shape=_answer,
    answer=Answer,
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

        By default it reports import cycles, files and definitions that are too large, and too many dependencies. As a
        build gate, use --strict or --fail-on. --since limits it to the changes of a branch, --baseline to new findings.
        A failed gate exits with code 6.
        """,
        exit_code=lambda audited, _: GATE_FAILED if audited.failed else 0,
    ),
)
