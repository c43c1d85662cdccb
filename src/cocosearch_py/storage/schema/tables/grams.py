"""Table `grams`; see its comments."""

from cocosearch_py.storage.schema.registry import BYTEA, INDEX_ID, INTEGER, Column, FactTable

TABLE = FactTable(
    "grams",
    "Which chunks may hold a text, by trigrams of their lines; only of large indexes.",
    columns=(
        INDEX_ID,
        Column("gram", INTEGER, "three bytes of a line in lower case, hashed to 16 bits"),
        Column("segment", INTEGER, "of the numbers of chunks, which is 65,536 of them, from 0"),
        Column("chunk_count", INTEGER, "chunks of the segment that hold it"),
        Column("chunks", BYTEA, "their numbers in the segment, ascending, in one of three forms", storage="EXTERNAL"),
    ),
    key=("index_id", "gram", "segment"),
    derived=True,
    sound="t.gram BETWEEN 0 AND 65535 AND t.segment >= 0 AND t.chunk_count >= 1",
)
