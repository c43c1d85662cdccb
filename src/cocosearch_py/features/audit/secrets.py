"""Findings about secrets in the files of a repository: those that are indexed, and what git does not ignore besides.

Files are read from the disk. A value leaves this module only as a finding's `secret`, which nobody shows.
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from cocosearch_py.analysis.paths import is_example, is_test
from cocosearch_py.discovery.classes import class_of_path
from cocosearch_py.discovery.git import list_files
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Skip, inspect
from cocosearch_py.features.audit.common import is_secondary, left_out, read_step
from cocosearch_py.features.audit.files import ignored_among
from cocosearch_py.features.audit.findings import Actionability, Detected, Finding, NotChecked, Place, Scope
from cocosearch_py.features.audit.queries import AuditedFile
from cocosearch_py.features.audit.rules import RULES
from cocosearch_py.model.files import ContentClass, FileStatus, SkipReason
from cocosearch_py.secrets.scan import PUBLIC_IP, Secret, scan
from cocosearch_py.secrets.settings import is_settings

_PART = "secrets"
_HEAD_BYTES = 2_000
_NOT_OWN = frozenset({ContentClass.VENDORED, ContentClass.GENERATED, ContentClass.SNAPSHOT})
_OWN = frozenset({"code", "config", "data"})
_MESSAGES = {
    "secret/private-key": "the file contains a private key",
    "secret/assigned": "a name that suggests a secret is assigned a value",
    "secret/basic-auth-url": "a URL contains a password",
    "secret/random-hex": "a random string follows a secret's name",
    "secret/random-base64": "a random string follows a secret's name",
    "secret/jwt": "the file contains a signed token",
    PUBLIC_IP: "the file contains a public IP address",
}


def find_secrets(scope: Scope, ledger: Sequence[AuditedFile], rules: DiscoveryOptions) -> Detected:
    """The secrets in the files of a scope.

    Args:
        ledger: the files of the index, with those that it leaves out.
        rules: which files of the folder a run would read.
    """
    classes = {one.path: one.content_class for one in ledger}
    listing = list_files(scope.root)
    listed = listing.tracked | listing.untracked if listing is not None else frozenset[str]()
    paths = sorted(listed | (classes.keys() - ignored_among(scope.root, rules, classes.keys() - listed)))
    found: list[tuple[Place, str, bytes]] = []  # where, rule, value
    doubtful: list[tuple[Place, str, bytes]] = []
    unread: Counter[str] = Counter()
    with FolderReader(str(scope.root.resolve()), scope.max_file_bytes, reads_secrets=True) as reader:
        for path in paths:
            if not scope.holds(path) or left_out(path, scope) or not _is_wanted(path, scope):
                continue
            source = _text(reader, path, wanted=not scope.ignore_generated)
            if isinstance(source, str):
                unread.update([source] if source and scope.is_asked(path) else [])
                continue
            scanned = scan(source, bare=is_settings(path, source[:_HEAD_BYTES]))
            found += ((_place(path, source, one), one.rule, one.value) for one in scanned.secrets)
            doubtful += ((_place(path, source, one), one.rule, one.value) for one in scanned.doubtful)
    known = {value for _, _, value in found}
    found += (one for one in doubtful if one[2] in known)
    notes = [NotChecked(_PART, why, "the file was not read", count) for why, count in sorted(unread.items())]
    if listing is None:
        notes.append(NotChecked(_PART, "history", "git does not respond: only indexed files were read", is_gap=False))
    readable = {one.path for one in ledger if one.status == FileStatus.INDEXED}
    return Detected(findings=tuple(_findings(scope, found, classes, readable)), not_checked=tuple(notes))


def _is_wanted(path: str, scope: Scope) -> bool:
    """Whether a file is read by its name: hashes in lock files are none of anybody's secrets."""
    naming = class_of_path(path)
    if naming is None:
        return True
    return naming.content_class is not ContentClass.LOCK and not (
        scope.ignore_generated and naming.content_class in _NOT_OWN
    )


def _text(reader: FolderReader, path: str, *, wanted: bool) -> bytes | str:
    """The text of a file; or why it cannot be told, nothing where it is left out on purpose."""
    try:
        data = reader.read(path)
    except (FileNotFoundError, IsADirectoryError):  # gone meanwhile; a submodule
        return ""
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if isinstance(data, Skip):
        return data.rule if data.reason is SkipReason.TOO_LARGE else ""
    text = inspect(path, data, wanted=wanted)
    if not isinstance(text, Skip):
        return text.source
    return data if text.reason is SkipReason.SECRET else ""


def _findings(
    scope: Scope, found: Iterable[tuple[Place, str, bytes]], classes: dict[str, str], readable: Set[str]
) -> Iterable[Finding]:
    counts: Counter[tuple[str, str]] = Counter()
    for place, rule, value in sorted(found):
        path = place.path
        content_class = classes.get(path, "code")
        own = "code" if content_class in _OWN else content_class
        secondary = is_secondary(path, own) or is_test(path) or is_example(path)
        if rule == PUBLIC_IP and secondary:
            continue
        counts[path, rule] += 1
        actionability: Actionability = "candidate" if secondary else "actionable"
        yield Finding(
            rule=rule,
            severity=RULES[rule].severity,
            actionability="risk_note" if rule == PUBLIC_IP else actionability,
            place=place,
            message=_MESSAGES.get(rule, f"{RULES[rule].title} in the file"),
            key=f"{counts[path, rule]}",
            evidence=tuple(_evidence(path, classes, secondary)),
            secondary=secondary,
            next_steps=(read_step(scope, path, place.start_line, place.end_line),) if path in readable else (),
            secret=value,
        )


def _evidence(path: str, classes: dict[str, str], secondary: bool) -> Iterable[str]:
    if path not in classes:
        yield "the file is not in the index, or not yet; git does not ignore it"
    if secondary:
        yield "the file is a test, an example or documentation: the value may be a sample"


def _place(path: str, source: bytes, one: Secret) -> Place:
    line = source.count(b"\n", 0, one.start) + 1
    begin = source.rfind(b"\n", 0, one.start) + 1
    column = len(source[begin : one.start].decode("utf-8", "replace")) + 1
    last = source.count(b"\n", 0, one.end) + 1
    end = source.rfind(b"\n", 0, one.end) + 1
    return Place(path, line, last, column, len(source[end : one.end].decode("utf-8", "replace")) + 1)
