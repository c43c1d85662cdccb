"""Requests to an audit, and its findings.

A detector is a function from a `Scope` to a `Detected`. `features.audit.detectors` lists all of them; a further one
needs its rules in `features.audit.rules` and a line there.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord

Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: Sequence[Severity] = get_args(Severity)  # the least first
Actionability = Literal["actionable", "candidate", "risk_note", "expected"]
Part = Literal["dead-code", "secrets", "duplicates"]  # that is looked for only where it is asked for
PARTS: Sequence[Part] = get_args(Part)

_ID_BYTES = 10


class Place(NamedTuple):
    """Lines of a file, inclusive, from 1; columns in characters, from 1, the end exclusive, 0 where not known."""

    path: str
    start_line: int = 1
    end_line: int = 1
    start_column: int = 0
    end_column: int = 0


class NextStep(NamedTuple):
    """A call of one of our tools that shows more; it runs as it is."""

    tool: str
    arguments: Mapping[str, Any]


class NotChecked(NamedTuple):
    """Gap of an audit: the rule or part, what is missing and why, and the number of files, 0 if unknown.

    A gap does not pass a strict gate. Else it was left out on purpose, by a setting or by what the part is about.
    """

    part: str
    what: str
    why: str
    files: int = 0
    is_gap: bool = True


class Suppression(NamedTuple):
    """Reason why a finding does not count in gates: inline, configuration or baseline, with its comment."""

    kind: Literal["inline", "configuration", "baseline"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule of an audit.

    Attributes:
        id: kebab-case; of secrets `secret/...`.
        part: what has to be asked for; None for what every audit does.
        help: why it matters and what to do, in sentences.
    """

    id: str
    title: str
    help: str
    severity: Severity
    part: Part | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something rotten.

    Attributes:
        rule: id of a `Rule`.
        place: where; the path is relative to the root, with /.
        message: one sentence without a full stop; never the value of a secret.
        evidence: what it is concluded from, in sentences; never the value of a secret.
        key: what stays the same when lines shift, among findings of the rule in the file: a qualified name, `3rd`.
        secret: what tells it better but must not be shown; it is only ever hashed with a baseline's salt.
        secondary: in tests, examples or scripts, which matter less.
        related: other places that it is about: the other files of a cycle, the other copies.
        next_steps: calls that show more, the best first.
        suppressed: why it does not count.
        id: set by the frame, see `identified`.
        is_new: not in the baseline that it was compared with.
    """

    rule: str
    severity: Severity
    actionability: Actionability
    place: Place
    message: str
    key: str
    evidence: tuple[str, ...] = ()
    secondary: bool = False
    related: tuple[Place, ...] = ()
    next_steps: tuple[NextStep, ...] = ()
    secret: bytes | None = field(default=None, repr=False)
    suppressed: Suppression | None = None
    id: str = ""
    is_new: bool = True


def identified(finding: Finding, salt: bytes) -> str:
    """The id of a finding: the same as long as its rule, path and key are, wherever its lines move.

    With a salt, what is secret about it counts instead of its key. Without, nothing of it goes into the id.
    """
    hides = finding.secret is not None and bool(salt)
    told = blake2b(digest_size=_ID_BYTES, key=salt[:64] if hides else b"")
    what = finding.secret if hides and finding.secret is not None else finding.key.encode()
    for part in (finding.rule.encode(), finding.place.path.encode(errors="surrogateescape"), what):
        told.update(len(part).to_bytes(8, "big") + part)
    return told.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """From how much on something is found: medium, and high. See settings `audit.*`."""

    file_lines: tuple[int, int] = (800, 1500)
    symbol_lines: tuple[int, int] = (120, 250)
    fan_in: tuple[int, int] = (15, 40)
    fan_out: tuple[int, int] = (20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Files that a detector examines.

    Attributes:
        root: the folder of the index.
        prefixes: what the file or folder that is looked at may be, as the index stores paths; "" is all.
        changed: of these, only what is about one of these files is told; None: about all.
        ignored: globs of paths that are not looked at.
        ignore_generated: leave out generated and vendored files.
        entrypoints: globs of files whose definitions something outside the repository uses.
        kept_symbols: globs of names, with or without owners, that count as used.
        max_file_bytes: larger files are not read.
    """

    root: Path
    record: IndexRecord
    prefixes: tuple[str, ...] = ("",)
    changed: frozenset[str] | None = None
    ignored: tuple[str, ...] = ()
    ignore_generated: bool = True
    entrypoints: tuple[str, ...] = ()
    kept_symbols: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    max_file_bytes: int = 2**21

    def holds(self, path: str) -> bool:
        """Whether a file is at or below one of the prefixes."""
        return any(not one or path == one or path.startswith(one + "/") for one in self.prefixes)

    def is_asked(self, path: str) -> bool:
        """Whether something has to be said about a file: the scope holds it, and it has changed if that counts."""
        return self.holds(path) and (self.changed is None or path in self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """Findings of a detector, and the gaps in what it examined.

    `versions` are files that it concluded from as the index holds them, for those that read the index; `stale` tells,
    in words, that they are no longer so.
    """

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.findings if one.place.path not in gone)
        return replace(self, findings=kept, stale=why)
