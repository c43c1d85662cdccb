"""Names of the schema that the hot path needs, apart from `tables`, which costs half a second of SQLAlchemy imports."""

SCHEMA = "cocosearch_py"

# Partitioned table -> leaf name prefix; `chunks` carries the name that people and the API see.
LEAF_PREFIXES = {
    "files": "files_",
    "chunks": "cocosearch_",
    "keywords": "keywords_",
    "vectors": "vectors_",
    "symbols": "symbols_",
    "lexemes": "lexemes_",
}

# Columns that indexing writes, in the order of the rows that `rows` builds.
COPY_COLUMNS = {
    "files": (
        *("index_id", "file_id", "path", "status", "reason", "rule", "error", "file_count", "language_id"),
        *("content_hash", "size_bytes", "line_count", "mtime_ns", "encoding", "parse_status", "parse_error"),
        *("parse_error_bytes", "chunk_count"),
    ),
    "chunks": (
        *("index_id", "file_id", "chunk_no", "start_line", "end_line", "start_byte", "end_byte", "content"),
        *("block_type", "hierarchy", "symbol_no", "symbol_type", "symbol_name", "symbol_signature"),
    ),
    "keywords": ("index_id", "file_id", "chunk_no", "terms", "weights"),
    "vectors": ("index_id", "file_id", "chunk_no", "embedding"),
    "symbols": (
        *("index_id", "file_id", "symbol_no", "chunk_no", "parent_no", "kind", "name", "name_key"),
        *("qualified_name", "signature", "doc", "visibility", "function_depth", "nested", "start_line", "end_line"),
    ),
    "lexemes": ("index_id", "lexeme", "position", "df"),
}
