"""Audits of an index, their gates and baselines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from cocosearch_py.config.auditfile import read_audit_file
from cocosearch_py.config.settings import AuditSettings
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.walk import left_out
from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.audit.baseline import Baseline, read_baseline, with_baseline, write_baseline
from cocosearch_py.features.audit.detectors import Audits
from cocosearch_py.features.audit.files import read_text
from cocosearch_py.features.audit.findings import (
    PARTS,
    SEVERITIES,
    Finding,
    Limits,
    NotChecked,
    Part,
    Scope,
    Severity,
    Suppression,
)
from cocosearch_py.features.audit.gates import groups_of, ordered, reasons_to_fail
from cocosearch_py.features.audit.sarif import sarif_log
from cocosearch_py.features.audit.tools import (
    MAX_FINDINGS,
    Audit,
    AuditCodeArguments,
    FindingCounts,
    Format,
    Gap,
    Groups,
    NextStep,
    ReportedFinding,
    Spot,
)
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools.answer import Fitted, plain
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.files import stored_prefixes
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import changed_since
from cocosearch_py.tools.warnings import remarks_on

_BY_SETTING = "setting audit.ignoreFindings"


@dataclass(frozen=True, slots=True)
class Audited(Fitted):
    """Findings of an audit, the suppressed ones last.

    Attributes:
        failed: reasons why the gate fails.
        limit: number of findings that are shown.
    """

    record: IndexRecord
    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    failed: tuple[str, ...]
    warnings: tuple[str, ...]
    limit: int

    def fitted(self, _: AuditCodeArguments) -> Any:
        """Return the findings that count, as many as fit. See `Fitted`."""
        return fit(self._shown(), lambda shown: plain(self._built(shown)))

    def for_command(self, asked: AuditCodeArguments) -> Any:
        """Return the findings up to the limit, with all as SARIF if that is asked for; see `Fitted`."""
        answer = plain(self._built(self._shown()))
        if asked.format != "sarif":
            return answer
        compares = bool(asked.baseline or asked.write_baseline)
        log = sarif_log(self.findings, self.not_checked, Path(self.record.root_path), compares=compares)
        # The log has all findings, so nothing is said of those that the answer leaves out.
        return {**answer, "warnings": list(self.warnings), "sarif": log}

    def _counting(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.suppressed is None]

    def _shown(self) -> list[ReportedFinding]:
        return [_reported(finding) for finding in self._counting()[: self.limit]]

    def _built(self, shown: Sequence[ReportedFinding]) -> Audit:
        counting = self._counting()
        ids = {finding.id for finding in shown}
        groups = {name: tuple(one for one in group if one in ids) for name, group in groups_of(counting).items()}
        is_cut = len(shown) < len(counting)
        more = f"{len(shown)} of {len(counting)} findings shown: narrow with path or since, or raise limit"
        return Audit(
            root=self.record.root_path,
            groups=Groups(**groups),
            findings=tuple(shown),
            counts=FindingCounts(
                total=len(counting),
                suppressed=len(self.findings) - len(counting),
                by_rule=dict(Counter(finding.rule for finding in counting)),
                by_severity=dict(Counter(finding.severity for finding in counting)),
            ),
            not_checked=tuple(
                Gap(part=gap.part, what=gap.what, why=gap.why, files=gap.files) for gap in self.not_checked
            ),
            failed=self.failed,
            truncated=is_cut,
            warnings=(*self.warnings, more) if is_cut else self.warnings,
        )


def _reported(finding: Finding) -> ReportedFinding:
    place = finding.place
    return ReportedFinding(
        id=finding.id,
        rule=finding.rule,
        severity=finding.severity,
        actionability=finding.actionability,
        file=place.path,
        line=place.start_line,
        end_line=place.end_line,
        message=finding.message,
        evidence=finding.evidence,
        next_steps=tuple(NextStep(tool=step.tool, arguments=dict(step.arguments)) for step in finding.next_steps),
        secondary=finding.secondary,
        related=tuple(Spot(file=one.path, line=one.start_line, end_line=one.end_line) for one in finding.related),
    )


def audit_code(call: Call, asked: AuditCodeArguments) -> Audited:
    """Audit the files of an index, and tell whether a gate fails.

    Raises:
        ValidationError: a part, severity, format or setting is wrong, or the baseline is none.
        NotFoundError, SafetyError: there is no such path or file of settings, or it may not be read.
    """
    found = call.find()
    record = found.records[0]
    settings = _settings(call, found, record, asked)
    fail_on = _severity(asked.fail_on or settings.fail_on)
    scope, include = _scope(call, found, asked, settings), _parts(asked.include, settings)
    if asked.since:
        scope = replace(scope, changed=_changed_since(record, asked.since))
    choice("format", asked.format, Format)
    baseline = read_baseline(Path(asked.baseline)) if asked.baseline else None
    kept = _begun(asked, baseline)
    salt = kept.salt if kept is not None else b""
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_FINDINGS)
    with call.working() as tell:
        audits = Audits(found.app.database, lambda: found.app.indexing_options().discovery)
        find = partial(audits.find, scope, include, salt, lambda part: tell(f"audit: {part}"))
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
    warnings = [*bounded.notes, *remarks_on(call, found, [detected.stale])]
    if not findings:
        warnings.append(_nothing(include, scope))
    failed = reasons_to_fail(findings, not_checked, fail_on=fail_on, strict=asked.strict)
    return Audited(record, tuple(ordered(findings)), not_checked, tuple(failed), tuple(warnings), limit)


def _nothing(include: Sequence[Part], scope: Scope) -> str:
    """Return the checks of an audit without findings, and those that were left out."""
    where = " in the changed files" if scope.changed is not None else " there" if scope.prefixes != ("",) else ""
    said = f"{', '.join(('structure', *include))} found nothing{where}"
    rest = [part for part in PARTS if part not in include]
    return f"{said}; not checked: {', '.join(rest)}: include=all adds them" if rest else said


def _settings(call: Call, found: Found, record: IndexRecord, asked: AuditCodeArguments) -> AuditSettings:
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
    root, rules = Path(record.root_path), call.rules(record)
    if found.app.navigation.hash_of_file(path, record) is None or left_out(root, rules, [path]):
        return False
    with FolderReader(str(root.resolve()), rules.max_file_size_bytes) as reader:
        return isinstance(read_text(reader, path), bytes)


def _severity(name: str | None) -> Severity | None:
    found = next((one for one in SEVERITIES if one == name), None)
    if name and found is None:
        raise ValidationError(f"unknown severity '{name[:60]}'", hint=f"known: {', '.join(SEVERITIES)}")
    return found


def _parts(asked: Sequence[str] | None, settings: AuditSettings) -> list[Part]:
    named = [one.strip().replace("_", "-") for text in (asked or settings.include) for one in text.split(",")]
    if unknown := [one for one in named if one not in (*PARTS, "all", "")]:
        raise ValidationError(f"unknown audit part '{unknown[0][:60]}'", hint=f"known: {', '.join(PARTS)}, all")
    return [one for one in PARTS if one in named or "all" in named]


def _scope(call: Call, found: Found, asked: AuditCodeArguments, settings: AuditSettings) -> Scope:
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


def _begun(asked: AuditCodeArguments, baseline: Baseline | None) -> Baseline | None:
    """Return the baseline whose salt the ids are made with: the given one, or the one to write anew with its salt."""
    if baseline is not None or not asked.write_baseline:
        return baseline
    path = Path(asked.write_baseline)
    return read_baseline(path) if path.exists() else Baseline()


def _excused(findings: Sequence[Finding], settings: AuditSettings) -> list[Finding]:
    """Suppress the findings that a setting names."""
    excuse = Suppression("configuration", _BY_SETTING)
    return [
        replace(one, suppressed=excuse) if one.suppressed is None and one.id in settings.ignore_findings else one
        for one in findings
    ]


def _changed_since(record: IndexRecord, since: str) -> frozenset[str]:
    """Return the files that differ from a commit."""
    return frozenset(changed_since(record, since))


def _about(findings: Sequence[Finding], changed: frozenset[str]) -> list[Finding]:
    """Return the findings about one of these files."""
    return [one for one in findings if changed & {one.place.path, *(place.path for place in one.related)}]


def _stale(found: Found, record: IndexRecord, told: str | None) -> list[NotChecked]:
    """Return a gap if the index is out of date, which a dry run tells."""
    if record.commit is not None:
        return []
    forecast = found.app.forecast(Path(record.root_path), name=record.name)
    count = forecast.files_added + forecast.files_updated + forecast.files_removed
    if count:
        return [NotChecked("all", "changed files", "the index is out of date; `cocosearch-py index` updates it", count)]
    return [NotChecked("all", "changed files", told)] if told else []
