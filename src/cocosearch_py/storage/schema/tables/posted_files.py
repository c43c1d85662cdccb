"""Table `posted_files`; see its comments."""

from cocosearch_py.storage.schema.registry import (
    FILE_ID,
    INDEX_ID,
    INTEGER,
    Column,
    FactTable,
    LeafIndex,
)

TABLE = FactTable(
    "posted_files",
    "Numbers of chunks in table grams, by file; only of large indexes.",
    columns=(
        INDEX_ID,
        FILE_ID,
        Column(
            "first_chunk",
            INTEGER,
            "number of the first chunk, the others follow; null if the file is newer than table grams",
            nullable=True,
        ),
    ),
    key=("index_id", "file_id"),
    indexes=(LeafIndex("btree", "first_chunk", in_shared_leaf=True),),
    derived=True,
    sound="t.first_chunk >= 0",
)
