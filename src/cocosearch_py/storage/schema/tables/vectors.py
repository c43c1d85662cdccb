"""Table `vectors`; see its comments."""

from cocosearch_py.storage.schema.registry import (
    FILE_ID,
    HALFVEC,
    HNSW_BUILD_BYTES,
    HNSW_MIN_CHUNKS,
    HNSW_PART_CHUNKS,
    INDEX_ID,
    INTEGER,
    Column,
    FactTable,
    LeafIndex,
)

TABLE = FactTable(
    "vectors",
    "Vector leg, one row per chunk; narrow, because an exact scan reads it all.",
    columns=(
        INDEX_ID,
        FILE_ID,
        Column("chunk_no", INTEGER, "see chunks"),
        Column("embedding", HALFVEC, "unit vector of the chunk by indexes.embedding_model", storage="PLAIN"),
    ),
    key=("index_id", "file_id", "chunk_no"),
    indexes=(
        LeafIndex(
            "hnsw",
            "(embedding::halfvec({dimension})) halfvec_ip_ops",
            min_chunks=HNSW_MIN_CHUNKS,
            dimension_of="embedding",
            part_chunks=HNSW_PART_CHUNKS,
            build_bytes=HNSW_BUILD_BYTES,
        ),
    ),
    sound="vector_dims(t.embedding) = %(dimension)s",
)
