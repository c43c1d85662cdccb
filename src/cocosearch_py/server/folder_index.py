"""Which index a folder means."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # brings psycopg, which a server starts without
    from cocosearch_py.storage.indexes import IndexRecord


def index_of_folder(records: "Iterable[IndexRecord]", folder: Path) -> "IndexRecord | None":
    """The index of a folder or of the nearest folder above it that has one.

    A linked worktree is a project of its own: the index of the checkout around it holds another branch's files.
    """
    by_root: dict[str, IndexRecord] = {}
    for record in records:
        by_root.setdefault(record.root_path, record)
    resolved = folder.resolve()
    for candidate in (resolved, *resolved.parents):
        if (found := by_root.get(str(candidate))) is not None:
            return found
        if _is_linked_worktree(candidate):
            return None
    return None


def _is_linked_worktree(folder: Path) -> bool:
    try:
        text = (folder / ".git").read_text(encoding="utf-8", errors="replace")[:4096]
    except OSError:
        return False
    return text.startswith("gitdir:") and "/worktrees/" in text.replace("\\", "/")
