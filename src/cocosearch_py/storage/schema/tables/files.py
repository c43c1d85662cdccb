"""Table `files`; see its comments."""

from cocosearch_py.storage.schema.registry import BIGINT, BYTEA, INDEX_ID, INTEGER, TEXT, Column, FactTable

TABLE = FactTable(
    "files",
    "Coverage ledger: every file on disk has a row that says what became of it.",
    columns=(
        INDEX_ID,
        Column("file_id", BIGINT, "64-bit hash of the path, the same in every index"),
        Column("path", TEXT, "relative to the root, with /; ends with / for a skipped folder"),
        Column("status", TEXT, "indexed, skipped (see reason, rule) or failed (see error)"),
        Column(
            "reason", TEXT, "why a skipped file was left out: ignored, binary, secret, too_large, ...", nullable=True
        ),
        Column(
            "rule",
            TEXT,
            "the rule that left it out or gave it its class: .gitignore:3: build/",
            nullable=True,
        ),
        Column("error", TEXT, "what went wrong with a failed file", nullable=True),
        Column("file_count", INTEGER, "files it stands for: 1, or all below a skipped folder"),
        Column("language_id", TEXT, "language of an indexed file", nullable=True),
        Column("content_hash", BYTEA, "BLAKE2b-128 of the bytes on disk", nullable=True),
        Column("size_bytes", BIGINT, "size on disk"),
        Column("line_count", INTEGER, "lines of an indexed file, else 0"),
        Column("mtime_ns", BIGINT, "modification time when read, nanoseconds since 1970"),
        Column("encoding", TEXT, "how the bytes were decoded", nullable=True),
        Column("parse_status", TEXT, "ok, partial, error or no_grammar", nullable=True),
        Column("parse_error", TEXT, "place and kind of the first syntax error", nullable=True),
        Column("parse_error_bytes", INTEGER, "bytes inside error nodes"),
        Column("chunk_count", INTEGER, "chunks of this file"),
        Column(
            "content_class",
            TEXT,
            "code, tests, docs, config, data, vendored, generated, lock, snapshot or issue_template; null until known",
            nullable=True,
        ),
    ),
    key=("index_id", "file_id"),
    sound=(
        "(t.status <> 'indexed' OR num_nulls(t.language_id, t.content_hash, t.encoding, t.parse_status) = 0) "
        "AND t.file_count >= 1 AND octet_length(t.content_hash) = 16 AND t.size_bytes >= 0 AND t.line_count >= 0 "
        "AND t.parse_error_bytes >= 0 AND t.chunk_count >= 0"
    ),
)
