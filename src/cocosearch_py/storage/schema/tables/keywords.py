"""Table `keywords`; see its comments."""

from cocosearch_py.storage.schema.registry import (
    FILE_ID,
    GIN_MIN_CHUNKS,
    INDEX_ID,
    INTEGER,
    SPARSEVEC,
    TSVECTOR,
    Column,
    FactTable,
    LeafIndex,
)

TABLE = FactTable(
    "keywords",
    "Keyword leg, one row per chunk; narrow, because every query reads it.",
    columns=(
        INDEX_ID,
        FILE_ID,
        Column("chunk_no", INTEGER, "see chunks"),
        Column("terms", TSVECTOR, "stems and identifiers of all fields, for @@"),
        Column("weights", SPARSEVEC, "BM25F weight of each term; <#> IDFs is -BM25", storage="MAIN"),
    ),
    key=("index_id", "file_id", "chunk_no"),
    indexes=(LeafIndex("gin", "terms", min_chunks=GIN_MIN_CHUNKS),),
)
