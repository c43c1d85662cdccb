"""An index as a thing: what the table of indexes says of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """A row of `indexes`; see the comments there."""

    index_id: int
    name: str
    table_name: str
    root_path: str
    status: str
    generation: int
    format_version: int
    options: dict[str, Any]
    embedding_model: str
    embedding_dimension: int
    chunk_count: int
    file_count: int
    git_branch: str | None
    git_commit: str | None
    weights: dict[str, float] | None
    created_at: datetime
    updated_at: datetime
    seconds: float
    pending_file_count: int = 0
