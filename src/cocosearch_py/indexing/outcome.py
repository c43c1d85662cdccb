"""The outcome of reading a file: indexed, or left out for which reason. Runs, dry runs and `why` decide by it."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from cocosearch_py.discovery.reading import Reader, hash_of
from cocosearch_py.discovery.sniff import Skip, Text, inspect
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.model.files import FileStatus, SkipReason

OUT_OF_MEMORY = "it needs more memory than a file may take (indexing.fileMemoryMb)"
_MAX_ERROR_CHARS = 500
_HEAD_BYTES = 4_096  # enough for a shebang and for telling C from C++


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a file that was read.

    Attributes:
        status: None for a file that is gone.
        is_known: nothing changes: its content is the stored one, or it cannot be read for the stored reason.
        content_hash, text: what was read; `text` only of a file to index.
        size_bytes: of the content.
    """

    status: FileStatus | None
    reason: SkipReason | None = None
    rule: str | None = None
    error: str | None = None
    language_id: str | None = None
    is_known: bool = False
    content_hash: bytes | None = None
    text: Text | None = None
    size_bytes: int = 0


def read_outcome(file: FileTask, folder: Reader, content: ContentOptions) -> Outcome:
    """Read a file that the walk found and decide; only its parser could still fail."""
    try:
        data = folder.read(file.source)
    except FileNotFoundError:
        return Outcome(None)
    except OSError as error:
        text = f"cannot be read: {error.strerror or error}"
        return Outcome(FileStatus.FAILED, error=text, is_known=text == file.known_error)
    if isinstance(data, Skip):
        return Outcome(FileStatus.SKIPPED, data.reason, data.rule)
    content_hash = hash_of(data)
    if content_hash == file.known_hash:
        return Outcome(None, is_known=True)
    try:
        return _judge(file, data, content_hash, content)
    except Exception as error:  # noqa: BLE001 - the fault of one file must not stop a run
        return Outcome(FileStatus.FAILED, error=in_words(error), content_hash=content_hash)


def in_words(error: Exception) -> str:
    """Ledger entry of a file that cannot be prepared."""
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    return f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARS]


def language_of(path: str, head: bytes, content: ContentOptions) -> str:
    """Language of a file, by the settings, its name and its first bytes."""
    override = content.language_overrides.get(PurePosixPath(path).suffix) if content.language_overrides else None
    return override or detect_language(path, head)


def _judge(file: FileTask, data: bytes, content_hash: bytes, content: ContentOptions) -> Outcome:
    judged: Text | Skip = inspect(file.path, data, wanted=file.naming is not None and file.naming.wanted)
    if isinstance(judged, Text):
        language = language_of(file.path, judged.source[:_HEAD_BYTES], content)
        if not content.languages or language in content.languages:
            return Outcome(
                *(FileStatus.INDEXED, None, None, None, language),
                content_hash=content_hash,
                text=judged,
                size_bytes=len(data),
            )
        judged = Skip(SkipReason.EXCLUDED, f"indexing.languages has no {language}")
    return Outcome(FileStatus.SKIPPED, judged.reason, judged.rule, content_hash=content_hash)
