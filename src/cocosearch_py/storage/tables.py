"""The schema, described once for Alembic. Nothing else here: statements live beside the code that runs them.

Every table except `indexes` is LIST-partitioned by `index_id`, one leaf per index. Ids are made by the program:
`file_id` is derived from (index, path), a chunk is (file_id, chunk_no), a symbol is (file_id, symbol_no), so the same
content always gets the same key, and every key can be distributed (docs/adr/0003).
"""

from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Sequence,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

from cocosearch_py.storage.lexemes import LEXEME_SPACE
from cocosearch_py.storage.names import SCHEMA

metadata = MetaData(schema=SCHEMA)
_BY_INDEX = "LIST (index_id)"


def _index_id() -> Column[int]:
    return Column("index_id", Integer, nullable=False, comment="which index; the partition key")


def _file_id() -> Column[int]:
    return Column("file_id", BigInteger, nullable=False, comment="64-bit hash of the path; see files")


index_ids = Sequence("index_ids", metadata=metadata, schema=SCHEMA)  # numbers are taken by the program

indexes = Table(
    "indexes",
    metadata,
    Column("index_id", Integer, primary_key=True, autoincrement=False, comment="chosen by the program, never reused"),
    Column("name", Text, nullable=False, comment="what people call it"),
    Column("table_name", Text, nullable=False, comment="leaf of chunks that holds this index: cocosearch_<name>"),
    Column("root_path", Text, nullable=False, comment="canonical absolute path of the indexed folder"),
    Column("status", Text, nullable=False, comment="complete, or interrupted: some files wait for the next run"),
    Column("generation", BigInteger, nullable=False, comment="grows with every committed run; caches key on it"),
    Column("format_version", Integer, nullable=False, comment="version of the analysis; a newer program rebuilds"),
    Column("options", JSONB, nullable=False, comment="settings that shaped the content: patterns, sizes, strategy"),
    Column("embedding_model", Text, nullable=False, comment="identity of the model behind vectors.embedding"),
    Column("embedding_dimension", Integer, nullable=False, comment="numbers in a vector"),
    Column("chunk_count", Integer, nullable=False, comment="chunks now: N of the IDF formula"),
    Column("file_count", Integer, nullable=False, comment="indexed files now"),
    Column(
        "pending_file_count",
        Integer,
        nullable=False,
        server_default="0",
        comment="files that an interrupted run left for the next one",
    ),
    Column("git_branch", Text, comment="branch when last indexed; null outside git or when detached"),
    Column("git_commit", Text, comment="commit when last indexed"),
    Column("weights", JSONB, comment="ranking weights tuned for this index; null: the defaults"),
    Column("created_at", DateTime(timezone=True), nullable=False, comment="first indexed"),
    Column("updated_at", DateTime(timezone=True), nullable=False, comment="last run that finished"),
    Column("seconds", Double, nullable=False, comment="wall time of the last run that changed something"),
    UniqueConstraint("name"),
    UniqueConstraint("table_name"),
    comment="One row per index (an indexed folder).",
)

files = Table(
    "files",
    metadata,
    _index_id(),
    Column("file_id", BigInteger, nullable=False, comment="64-bit hash of the path, the same in every index"),
    Column("path", Text, nullable=False, comment="relative to the root, with /; ends with / for a skipped folder"),
    Column("status", Text, nullable=False, comment="indexed, skipped (see reason, rule) or failed (see error)"),
    Column("reason", Text, comment="why a skipped file was left out: ignored, binary, secret, too_large, ..."),
    Column("rule", Text, comment="the rule that matched, for example .gitignore:3: build/"),
    Column("error", Text, comment="what went wrong with a failed file"),
    Column("file_count", Integer, nullable=False, comment="files it stands for: 1, or all below a skipped folder"),
    Column("language_id", Text, comment="language of an indexed file"),
    Column("content_hash", LargeBinary, comment="BLAKE2b-128 of the bytes on disk"),
    Column("size_bytes", BigInteger, nullable=False, comment="size on disk"),
    Column("line_count", Integer, nullable=False, comment="lines of an indexed file, else 0"),
    Column("mtime_ns", BigInteger, nullable=False, comment="modification time when read, nanoseconds since 1970"),
    Column("encoding", Text, comment="how the bytes were decoded"),
    Column("parse_status", Text, comment="ok, partial, error or no_grammar"),
    Column("parse_error", Text, comment="place and kind of the first syntax error"),
    Column("parse_error_bytes", Integer, nullable=False, comment="bytes inside error nodes"),
    Column("chunk_count", Integer, nullable=False, comment="chunks of this file"),
    PrimaryKeyConstraint("index_id", "file_id"),
    comment="Coverage ledger: every file on disk has a row that says what became of it.",
    postgresql_partition_by=_BY_INDEX,
)

chunks = Table(
    "chunks",
    metadata,
    _index_id(),
    _file_id(),
    Column("chunk_no", Integer, nullable=False, comment="position in the file, from 0"),
    Column("start_line", Integer, nullable=False, comment="first line, from 1"),
    Column("end_line", Integer, nullable=False, comment="last line, inclusive"),
    Column("start_byte", Integer, nullable=False, comment="offset in the UTF-8 text of the file"),
    Column("end_byte", Integer, nullable=False, comment="offset after the last byte"),
    Column("content", Text, nullable=False, comment="the text; all chunks of a file in order give the file back"),
    Column("block_type", Text, nullable=False, comment="function, class, ... or lines"),
    Column("hierarchy", Text, nullable=False, comment="enclosing definitions, outermost first: Outer.inner"),
    Column("symbol_no", Integer, comment="the definition this chunk is about; see symbols"),
    Column("symbol_type", Text, comment="kind of that definition"),
    Column("symbol_name", Text, comment="name of that definition"),
    Column("symbol_signature", Text, comment="its signature, at most 200 characters"),
    PrimaryKeyConstraint("index_id", "file_id", "chunk_no"),
    comment="Passages that are searched and shown, cut at syntax boundaries. Leaves: cocosearch_<index>.",
    postgresql_partition_by=_BY_INDEX,
)

keywords = Table(
    "keywords",
    metadata,
    _index_id(),
    _file_id(),
    Column("chunk_no", Integer, nullable=False, comment="see chunks"),
    Column("terms", TSVECTOR, nullable=False, comment="stems and identifiers of all fields, for @@"),
    Column("weights", SPARSEVEC(LEXEME_SPACE), nullable=False, comment="BM25F weight of each term; <#> IDFs is -BM25"),
    PrimaryKeyConstraint("index_id", "file_id", "chunk_no"),
    comment="Keyword leg, one row per chunk; narrow, because every query reads it.",
    postgresql_partition_by=_BY_INDEX,
)

vectors = Table(
    "vectors",
    metadata,
    _index_id(),
    _file_id(),
    Column("chunk_no", Integer, nullable=False, comment="see chunks"),
    Column("embedding", HALFVEC(), nullable=False, comment="unit vector of the chunk by indexes.embedding_model"),
    PrimaryKeyConstraint("index_id", "file_id", "chunk_no"),
    comment="Vector leg, one row per chunk; narrow, because an exact scan reads it all.",
    postgresql_partition_by=_BY_INDEX,
)

symbols = Table(
    "symbols",
    metadata,
    _index_id(),
    _file_id(),
    Column("symbol_no", Integer, nullable=False, comment="position in the file, from 0"),
    Column("chunk_no", Integer, nullable=False, comment="chunk in which the definition starts"),
    Column("parent_no", Integer, comment="enclosing definition in the same file"),
    Column("kind", Text, nullable=False, comment="function, method, class, interface, struct, ..."),
    Column("name", Text, nullable=False, comment="as written"),
    Column("name_key", Text, nullable=False, comment="lower case without underscores, for lookups in any style"),
    Column("qualified_name", Text, nullable=False, comment="with its owners: Outer.inner"),
    Column("signature", Text, nullable=False, comment="one line, at most 200 characters"),
    Column("doc", Text, nullable=False, comment="its comment or docstring"),
    Column("visibility", Text, nullable=False, comment="public, private, protected or internal"),
    Column("function_depth", Integer, nullable=False, comment="enclosing functions; 0: reachable from elsewhere"),
    Column("nested", Boolean, nullable=False, comment="has an enclosing definition"),
    Column("start_line", Integer, nullable=False, comment="first line, from 1"),
    Column("end_line", Integer, nullable=False, comment="last line, inclusive"),
    PrimaryKeyConstraint("index_id", "file_id", "symbol_no"),
    comment="Definitions found by tree-sitter.",
    postgresql_partition_by=_BY_INDEX,
)

lexemes = Table(
    "lexemes",
    metadata,
    _index_id(),
    Column("lexeme", Text(collation="C"), nullable=False, comment="a term of keywords.terms"),
    Column("position", Integer, nullable=False, comment="its position in keywords.weights: a hash, from 0"),
    Column("df", Integer, nullable=False, comment="chunks that hold it: document frequency of the IDF formula"),
    PrimaryKeyConstraint("index_id", "lexeme"),
    comment="Vocabulary with document frequencies, kept exact by every run.",
    postgresql_partition_by=_BY_INDEX,
)
