"""Table `dependencies`; see its comments."""

from cocosearch_py.storage.schema.registry import (
    BIGINT,
    FILE_ID,
    INDEX_ID,
    INTEGER,
    TEXT,
    Column,
    FactTable,
    LeafIndex,
)

TABLE = FactTable(
    "dependencies",
    "Which file an import means, for those that mean one of the index; worked out from imports and all paths.",
    columns=(
        INDEX_ID,
        Column("import_no", INTEGER, "see imports"),
        FILE_ID,
        Column(
            "target_file_id", BIGINT, "the file that is imported, see files; 0 if it should be in the index and is not"
        ),
        Column("line", INTEGER, "line of the import, from 1"),
        Column("module", TEXT, "as written"),
    ),
    key=("index_id", "file_id", "import_no", "target_file_id"),
    indexes=(LeafIndex("btree", "target_file_id", in_shared_leaf=True),),
    derived=True,
    sound=(
        "t.import_no >= 0 AND t.line BETWEEN 1 AND f.line_count "
        "AND (t.target_file_id = 0 OR target.status IS NOT DISTINCT FROM 'indexed')"
    ),
)
