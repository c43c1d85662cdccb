"""Audits of the indexes of one database: which detectors there are, and what their findings are put together to."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.features.audit.dead_code.detector import find_dead_code
from cocosearch_py.features.audit.duplicates.detector import find_duplicates
from cocosearch_py.features.audit.files import ignored_among
from cocosearch_py.features.audit.findings import Detected, Finding, NotChecked, Part, Scope, identified
from cocosearch_py.features.audit.ignores import with_ignores
from cocosearch_py.features.audit.queries import AuditedFile, audited_files
from cocosearch_py.features.audit.secrets import find_secrets
from cocosearch_py.features.audit.structure import find_structure
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.storage.server.database import Database


@dataclass(frozen=True, slots=True)
class Audits:
    """Looks for what is rotten in one index each; safe for threads."""

    database: Database
    rules: Callable[[], DiscoveryOptions]  # which files of a folder a run would read

    @property
    def detectors(self) -> Mapping[Part, Callable[[Scope], Detected]]:
        """Return the detectors that run on request; one that reads the index is given the database here."""
        return {
            "dead-code": lambda scope: self._read(scope, find_dead_code),
            "secrets": self._find_secrets,
            "duplicates": self._find_duplicates,
        }

    def find(
        self, scope: Scope, include: Collection[Part], salt: bytes = b"", tell: Callable[[str], None] = lambda _: None
    ) -> Detected:
        """All findings of a scope, identified, those suppressed that comments excuse; by path and line.

        Args:
            tell: hears of each part when it begins.
        Raises:
            IndexNotFoundError: the index went away.
        """
        tell("structure")
        parts = [self._read(scope, find_structure)]
        for part in include:
            tell(part)
            parts.append(self.detectors.get(part, _missing(part))(scope))
        found = [replace(one, id=identified(one, salt)) for part in parts for one in part.findings]
        return Detected(
            findings=tuple(sorted(with_ignores(found, scope), key=_order)),
            not_checked=tuple(one for part in parts for one in part.not_checked),
            versions={path: version for part in parts for path, version in part.versions.items()},
        )

    def _find_secrets(self, scope: Scope) -> Detected:
        return find_secrets(scope, self._ledger(scope), self.rules())

    def _find_duplicates(self, scope: Scope) -> Detected:
        ledger = self._ledger(scope)
        ignored = ignored_among(scope.root, self.rules(), [one.path for one in ledger])
        return find_duplicates(scope, [one for one in ledger if one.path not in ignored])

    def _ledger(self, scope: Scope) -> list[AuditedFile]:
        """The files of the index; no snapshot is kept open while they are read from the disk."""
        return self.database.read(lambda conn: audited_files(conn, require_same(conn, scope.record).index_id))

    def _read(self, scope: Scope, detect: Callable[[Scope, Connection], Detected]) -> Detected:
        """Run a detector in one snapshot."""
        return self.database.read(lambda conn: detect(replace(scope, record=require_same(conn, scope.record)), conn))


def _missing(part: Part) -> Callable[[Scope], Detected]:
    """Return a detector for a part that this version does not know."""
    told = NotChecked(part, "all files", "this version has no detector for it")
    return lambda _: Detected(not_checked=(told,))


def _order(finding: Finding) -> tuple[object, ...]:
    return finding.place.path, finding.place.start_line, finding.rule, finding.key
