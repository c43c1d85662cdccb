"""The log file of a command or a server: only its user can read it, and it stops growing."""

import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from cocosearch_py.model.private import open_private

_FILE_BYTES = 10 * 1024 * 1024  # CocoSearch's limit
_FILES_KEPT = 3  # CocoSearch's number


class LogFile(RotatingFileHandler):
    """A log file and its predecessors, each with mode 0600. Raises OSError when it cannot be opened."""

    def __init__(self, file: Path) -> None:
        for number in range(1, _FILES_KEPT + 1):
            older = Path(f"{file}.{number}")
            if older.exists():
                os.close(open_private(older, os.O_WRONLY))
        super().__init__(file, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        """Open the current file; called again after each rotation."""
        descriptor = open_private(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND)
        return os.fdopen(descriptor, "a", encoding=self.encoding)
