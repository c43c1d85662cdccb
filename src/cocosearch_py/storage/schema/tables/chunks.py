"""Table `chunks`; see its comments."""

from cocosearch_py.storage.schema.registry import (
    FILE_ID,
    INDEX_ID,
    INTEGER,
    TEXT,
    TRIGRAM_MIN_CHUNKS,
    Column,
    FactTable,
    LeafIndex,
)

TABLE = FactTable(
    "chunks",
    "Passages that are searched and shown, cut at syntax boundaries. By index: view cocosearch_<name>.",
    columns=(
        INDEX_ID,
        FILE_ID,
        Column("chunk_no", INTEGER, "position in the file, from 0"),
        Column("start_line", INTEGER, "first line, from 1"),
        Column("end_line", INTEGER, "last line, inclusive"),
        Column("start_byte", INTEGER, "offset in the UTF-8 text of the file"),
        Column("end_byte", INTEGER, "offset after the last byte"),
        Column("content", TEXT, "the text; all chunks of a file in order give the file back"),
        Column("block_type", TEXT, "function, class, ... or lines"),
        Column("hierarchy", TEXT, "enclosing definitions, outermost first: Outer.inner"),
        Column("symbol_no", INTEGER, "the definition this chunk is about; see symbols", nullable=True),
        Column("symbol_type", TEXT, "kind of that definition", nullable=True),
        Column("symbol_name", TEXT, "name of that definition", nullable=True),
        Column("symbol_signature", TEXT, "its signature, at most 200 characters", nullable=True),
    ),
    key=("index_id", "file_id", "chunk_no"),
    indexes=(LeafIndex("gin", "content gin_trgm_ops", min_chunks=TRIGRAM_MIN_CHUNKS, operator_class="gin_trgm_ops"),),
    sound=(
        "t.chunk_no >= 0 AND t.start_line >= 1 AND t.end_line BETWEEN t.start_line AND f.line_count "
        "AND t.start_byte >= 0 AND t.end_byte - t.start_byte = octet_length(t.content) AND t.symbol_no >= 0"
    ),
)
