"""Audits of the indexes of one database: which detectors there are, and what their findings are put together to."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from cocosearch_py.model.audit import Detected, Finding, Part, Scope, identified
from cocosearch_py.storage.server.database import Database


@dataclass(frozen=True, slots=True)
class Audits:
    """Looks for what is rotten in one index each; safe for threads."""

    database: Database

    @property
    def _detectors(self) -> Mapping[Part, Callable[[Scope], Detected]]:
        """What is looked for only where it is asked for; a detector that reads the index is given the database here."""
        return {}

    def find(self, scope: Scope, include: Collection[Part], salt: bytes = b"") -> Detected:
        """All findings of a scope, identified; by path and line.

        Raises:
            IndexNotFoundError: the index went away.
        """
        parts = [self._detectors[part](scope) for part in include]
        findings = [replace(one, id=identified(one, salt)) for part in parts for one in part.findings]
        return Detected(
            findings=tuple(sorted(findings, key=_order)),
            not_checked=tuple(one for part in parts for one in part.not_checked),
            versions={path: version for part in parts for path, version in part.versions.items()},
        )


def _order(finding: Finding) -> tuple[object, ...]:
    return finding.place.path, finding.place.start_line, finding.rule, finding.key
