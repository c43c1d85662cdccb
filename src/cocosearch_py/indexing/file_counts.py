"""Counts of files by what becomes of them, for the report of a run and for a dry run."""

from dataclasses import dataclass

from cocosearch_py.model.files import FileStatus
from cocosearch_py.storage.write.writer import StoredFile


@dataclass(slots=True)
class FileCounts:
    """Files by what becomes of them; for the counts see `progress.RunReport`."""

    files_added: int = 0
    files_updated: int = 0
    files_removed: int = 0
    files_unchanged: int = 0
    files_skipped: int = 0
    files_failed: int = 0
    folders_skipped: int = 0
    files_in_skipped_folders: int = 0
    files_reused: int = 0

    def keep(self, old: StoredFile) -> None:
        """Count a row of the ledger that stays as it is stored."""
        if old.status == FileStatus.INDEXED:
            self.files_unchanged += 1
        else:
            self._leave_out(old.status, old.path, old.file_count)

    def change(self, old: StoredFile | None, status: str | None, path: str = "", file_count: int = 1) -> None:
        """Count a file that becomes this status, or leaves the index where that is None.

        Args:
            path: of a skipped folder it ends with "/", and `file_count` are all files below it.
        """
        was_indexed = old is not None and old.status == FileStatus.INDEXED
        is_indexed = status == FileStatus.INDEXED
        self.files_added += is_indexed and not was_indexed
        self.files_updated += is_indexed and was_indexed
        self.files_removed += was_indexed and not is_indexed
        if status is not None and not is_indexed:
            self._leave_out(status, path, file_count)

    def _leave_out(self, status: str, path: str, file_count: int) -> None:
        self.files_skipped += file_count if status == FileStatus.SKIPPED else 0
        self.files_failed += file_count if status == FileStatus.FAILED else 0
        if path.endswith("/"):
            self.folders_skipped += 1
            self.files_in_skipped_folders += file_count
