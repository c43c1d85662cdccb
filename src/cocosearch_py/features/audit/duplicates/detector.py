"""Findings about code that stands in a repository more than once."""

from collections import Counter
from collections.abc import Iterable, Sequence

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.features.audit.common import is_secondary, left_out, read_step
from cocosearch_py.features.audit.duplicates.places import Clone, find_clones
from cocosearch_py.features.audit.findings import Actionability, Detected, Finding, NotChecked, Scope, Severity
from cocosearch_py.features.audit.queries import AuditedFile
from cocosearch_py.languages import LANGUAGES, TEXT_LANGUAGE_ID
from cocosearch_py.model.counts import counted

_PART = "duplicates"
_LOOKED_AT = frozenset({"code", "tests"})
_NOT_OWN = frozenset({"generated", "vendored"})
_MEDIUM_TOKENS = 250  # about 30 lines
_MOST_PLACES = 20  # of a finding, besides its own


def find_duplicates(scope: Scope, ledger: Sequence[AuditedFile]) -> Detected:
    """Code in the files of an index that stands there more than once, at least once of that in the scope.

    Args:
        ledger: the files of the index.
    """
    files = [one for one in ledger if _is_looked_at(one, scope)]
    classes = {one.path: one.content_class for one in files}
    with FolderReader(str(scope.root.resolve()), scope.max_file_bytes) as reader:
        found = find_clones(reader, [(one.path, one.language_id) for one in files])
    shown = [clone for clone in found.clones if any(scope.holds(place.path) for place in clone.places)]
    unread = Counter(why for path, why in found.unread.items() if scope.is_asked(path))
    notes = [NotChecked(_PART, why, "the file was not read", count) for why, count in sorted(unread.items())]
    if too_large := [path for path in found.too_large if scope.is_asked(path)]:
        notes.append(NotChecked(_PART, "large files", "too many tokens to compare", len(too_large)))
    return Detected(findings=tuple(_findings(scope, shown, classes)), not_checked=tuple(notes))


def _is_looked_at(one: AuditedFile, scope: Scope) -> bool:
    if one.status != "indexed" or left_out(one.path, scope) or one.language_id == TEXT_LANGUAGE_ID:
        return False
    language = LANGUAGES.get(one.language_id)
    if language is None or language.kind != "code":
        return False
    return one.content_class in _LOOKED_AT or (one.content_class in _NOT_OWN and not scope.ignore_generated)


def _findings(scope: Scope, clones: Iterable[Clone], classes: dict[str, str]) -> Iterable[Finding]:
    for clone in clones:
        first = next(place for place in clone.places if scope.holds(place.path))
        others = [place for place in clone.places if place is not first]
        secondary = all(is_secondary(place.path, classes[place.path]) for place in clone.places)
        severity: Severity = "medium" if clone.tokens >= _MEDIUM_TOKENS and not secondary else "low"
        actionability: Actionability = "candidate" if clone.renamed or secondary else "actionable"
        lines = first.end_line - first.start_line + 1
        places = f"{len(clone.places)} places" + (", with different names or values" if clone.renamed else "")
        yield Finding(
            rule="renamed-duplicate" if clone.renamed else "duplicate",
            severity=severity,
            actionability=actionability,
            place=first,
            message=f"{counted(lines, 'line')} of code {'is' if lines == 1 else 'are'} repeated in {places}",
            key=clone.digest,
            evidence=(f"{clone.tokens} tokens are identical" + (" except names and values" if clone.renamed else ""),),
            secondary=secondary,
            related=tuple(others[:_MOST_PLACES]),
            next_steps=tuple(read_step(scope, one.path, one.start_line, one.end_line) for one in (first, others[0])),
        )
