"""Findings that are known, in a file: what is not among them is new."""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.features.audit.findings import Finding, Suppression
from cocosearch_py.model.private import replace_text

_VERSION = 1
_SALT_BYTES = 32
_MAX_BYTES = 50_000_000
_REASON = "already in the baseline"


@dataclass(frozen=True, slots=True)
class Baseline:
    """Ids that are known, each as often as it was found, and the salt of those of secrets."""

    salt: bytes = field(default_factory=lambda: secrets.token_bytes(_SALT_BYTES), repr=False)
    known: Counter[str] = field(default_factory=Counter)


class _UnfitError(ValueError):
    """Says in words why a file is not taken."""


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file.

    Raises:
        ConfigurationError: it cannot be read, or is none.
    """
    try:
        told = json.loads(read_regular(path, _MAX_BYTES))
        if told["version"] != _VERSION:
            raise _UnfitError(f"its format version is {told['version']!r}, not {_VERSION}")
        return Baseline(bytes.fromhex(told["salt"]), Counter(str(one["id"]) for one in told["findings"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"the baseline {path} cannot be read: {_told(error)}", hint="write a new one with --write-baseline"
        ) from None


def _told(error: Exception) -> str:
    match error:
        case OSError(strerror=str(reason)):
            return reason
        case _UnfitError():
            return str(error)
    return "it was not written by --write-baseline"


def write_baseline(path: Path, baseline: Baseline, findings: Iterable[Finding]) -> int:
    """Write down all findings that nothing but a baseline suppresses; gives their number.

    The file has no value of a secret, and nothing that one could be guessed by without its salt.

    Raises:
        ConfigurationError: it cannot be written.
    """
    rows = [
        {"id": one.id, "rule": one.rule, "path": one.place.path}
        for one in findings
        if one.suppressed is None or one.suppressed.kind == "baseline"
    ]
    content = {"version": _VERSION, "salt": baseline.salt.hex(), "findings": rows}
    try:
        replace_text(path, json.dumps(content, indent=1, ensure_ascii=True) + "\n")
    except OSError as error:
        raise ConfigurationError(
            f"the baseline {path} cannot be written: {_told(error)}", hint="choose another file"
        ) from None
    return len(rows)


def with_baseline(findings: Sequence[Finding], baseline: Baseline) -> list[Finding]:
    """The findings, those suppressed that the baseline has."""
    left = Counter(baseline.known)
    found = []
    for one in findings:
        is_known = left[one.id] > 0
        left[one.id] -= is_known
        reason = one.suppressed or Suppression("baseline", _REASON)
        found.append(replace(one, is_new=False, suppressed=reason) if is_known else one)
    return found
