"""What a run makes of a file, found out by reading it as a run does, without parsing or writing anything."""

from dataclasses import dataclass

from cocosearch_py.discovery.reading import Reader, hash_of
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.prepare import judge_content, unreadable
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.model.files import FileStatus, SkipReason


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a file, or will become of it.

    `status` is None for a file that is gone. `is_known`: its content is what is stored, so it stays as it is stored.
    """

    status: FileStatus | None
    reason: SkipReason | None = None
    rule: str | None = None
    error: str | None = None
    language_id: str | None = None
    is_known: bool = False


def fate_of(file: FileTask, folder: Reader, content: ContentOptions) -> Fate:
    """Read a file that the walk found and say what a run would make of it; only its parser could still fail."""
    try:
        data = folder.read(file.source)
    except FileNotFoundError:
        return Fate(None)
    except OSError as error:
        return Fate(FileStatus.FAILED, error=unreadable(error))
    if isinstance(data, Skip):
        return Fate(FileStatus.SKIPPED, data.reason, data.rule)
    if hash_of(data) == file.known_hash:
        return Fate(None, is_known=True)
    judged = judge_content(file, data, content)
    if isinstance(judged, Skip):
        return Fate(FileStatus.SKIPPED, judged.reason, judged.rule)
    return Fate(FileStatus.INDEXED, language_id=judged[1])
