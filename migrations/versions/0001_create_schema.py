"""Create the schema: indexes, their partitioned tables, and views for people."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateSequence, DropSequence

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_INDEX_IDS = sa.Sequence("index_ids", schema="cocosearch_py")

# name -> (comment, query); each is for people, the program reads none of them.
_VIEWS = {
    "index_overview": (
        "One line per index: size, age, health.",
        """
        SELECT i.name, i.root_path, i.status, i.file_count, i.chunk_count, i.embedding_model, i.git_branch,
               left(i.git_commit, 12) AS git_commit, i.updated_at, now() - i.updated_at AS age, i.seconds
        FROM cocosearch_py.indexes i
        """,
    ),
    "coverage": (
        "Files per index, status and reason; the sum of files is what is on disk.",
        """
        SELECT i.name, f.status, coalesce(f.reason, f.error) AS reason, sum(f.file_count)::bigint AS files,
               sum(f.size_bytes)::bigint AS bytes
        FROM cocosearch_py.files f JOIN cocosearch_py.indexes i USING (index_id)
        GROUP BY i.name, f.status, coalesce(f.reason, f.error)
        """,
    ),
    "language_overview": (
        "Files, lines, chunks and parse health per index and language.",
        """
        SELECT i.name, f.language_id, count(*) AS files, sum(f.line_count)::bigint AS lines,
               sum(f.chunk_count)::bigint AS chunks,
               round(100.0 * count(*) FILTER (WHERE f.parse_status = 'ok') / count(*), 1) AS parse_ok_pct,
               round(100.0 * sum(f.parse_error_bytes) / greatest(sum(f.size_bytes), 1), 3) AS error_bytes_pct
        FROM cocosearch_py.files f JOIN cocosearch_py.indexes i USING (index_id)
        WHERE f.status = 'indexed'
        GROUP BY i.name, f.language_id
        """,
    ),
    "parse_problems": (
        "Indexed files that did not parse cleanly, with the place of the first error.",
        """
        SELECT i.name, f.path, f.language_id, f.parse_status, f.parse_error, f.parse_error_bytes
        FROM cocosearch_py.files f JOIN cocosearch_py.indexes i USING (index_id)
        WHERE f.status = 'indexed' AND f.parse_status IN ('partial', 'error')
        """,
    ),
    "code": (
        "Every chunk with its file: the view to start from.",
        """
        SELECT i.name AS index_name, f.path, c.start_line, c.end_line, f.language_id, c.block_type,
               c.hierarchy, c.symbol_type, c.symbol_name, c.symbol_signature, c.content, k.terms, v.embedding,
               c.index_id, c.file_id, c.chunk_no
        FROM cocosearch_py.chunks c
        JOIN cocosearch_py.indexes i USING (index_id)
        JOIN cocosearch_py.files f USING (index_id, file_id)
        LEFT JOIN cocosearch_py.keywords k USING (index_id, file_id, chunk_no)
        LEFT JOIN cocosearch_py.vectors v USING (index_id, file_id, chunk_no)
        """,
    ),
    "definitions": (
        "Every definition with its file.",
        """
        SELECT i.name AS index_name, f.path, s.start_line, s.end_line, f.language_id, s.kind, s.name,
               s.qualified_name, s.signature, s.visibility, s.doc
        FROM cocosearch_py.symbols s
        JOIN cocosearch_py.indexes i USING (index_id)
        JOIN cocosearch_py.files f USING (index_id, file_id)
        """,
    ),
}


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(CreateSequence(_INDEX_IDS))
    op.create_table(
        "chunks",
        sa.Column("index_id", sa.Integer(), nullable=False, comment="which index; the partition key"),
        sa.Column("file_id", sa.BigInteger(), nullable=False, comment="64-bit hash of the path; see files"),
        sa.Column("chunk_no", sa.Integer(), nullable=False, comment="position in the file, from 0"),
        sa.Column("start_line", sa.Integer(), nullable=False, comment="first line, from 1"),
        sa.Column("end_line", sa.Integer(), nullable=False, comment="last line, inclusive"),
        sa.Column("start_byte", sa.Integer(), nullable=False, comment="offset in the UTF-8 text of the file"),
        sa.Column("end_byte", sa.Integer(), nullable=False, comment="offset after the last byte"),
        sa.Column(
            "content",
            sa.Text(),
            nullable=False,
            comment="the text; all chunks of a file in order give the file back",
        ),
        sa.Column("block_type", sa.Text(), nullable=False, comment="function, class, ... or lines"),
        sa.Column(
            "hierarchy",
            sa.Text(),
            nullable=False,
            comment="enclosing definitions, outermost first: Outer.inner",
        ),
        sa.Column(
            "symbol_no",
            sa.Integer(),
            nullable=True,
            comment="the definition this chunk is about; see symbols",
        ),
        sa.Column("symbol_type", sa.Text(), nullable=True, comment="kind of that definition"),
        sa.Column("symbol_name", sa.Text(), nullable=True, comment="name of that definition"),
        sa.Column("symbol_signature", sa.Text(), nullable=True, comment="its signature, at most 200 characters"),
        sa.PrimaryKeyConstraint("index_id", "file_id", "chunk_no"),
        schema="cocosearch_py",
        comment="Passages that are searched and shown, cut at syntax boundaries. Leaves: cocosearch_<index>.",
        postgresql_partition_by="LIST (index_id)",
    )
    op.create_table(
        "files",
        sa.Column("index_id", sa.Integer(), nullable=False, comment="which index; the partition key"),
        sa.Column(
            "file_id",
            sa.BigInteger(),
            nullable=False,
            comment="64-bit hash of the path, the same in every index",
        ),
        sa.Column(
            "path",
            sa.Text(),
            nullable=False,
            comment="relative to the root, with /; ends with / for a skipped folder",
        ),
        sa.Column(
            "status",
            sa.Text(),
            nullable=False,
            comment="indexed, skipped (see reason, rule) or failed (see error)",
        ),
        sa.Column(
            "reason",
            sa.Text(),
            nullable=True,
            comment="why a skipped file was left out: ignored, binary, secret, too_large, ...",
        ),
        sa.Column(
            "rule",
            sa.Text(),
            nullable=True,
            comment="the rule that matched, for example .gitignore:3: build/",
        ),
        sa.Column("error", sa.Text(), nullable=True, comment="what went wrong with a failed file"),
        sa.Column(
            "file_count",
            sa.Integer(),
            nullable=False,
            comment="files it stands for: 1, or all below a skipped folder",
        ),
        sa.Column("language_id", sa.Text(), nullable=True, comment="language of an indexed file"),
        sa.Column("content_hash", sa.LargeBinary(), nullable=True, comment="BLAKE2b-128 of the bytes on disk"),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False, comment="size on disk"),
        sa.Column("line_count", sa.Integer(), nullable=False, comment="lines of an indexed file, else 0"),
        sa.Column(
            "mtime_ns",
            sa.BigInteger(),
            nullable=False,
            comment="modification time when read, nanoseconds since 1970",
        ),
        sa.Column("encoding", sa.Text(), nullable=True, comment="how the bytes were decoded"),
        sa.Column("parse_status", sa.Text(), nullable=True, comment="ok, partial, error or no_grammar"),
        sa.Column("parse_error", sa.Text(), nullable=True, comment="place and kind of the first syntax error"),
        sa.Column("parse_error_bytes", sa.Integer(), nullable=False, comment="bytes inside error nodes"),
        sa.Column("chunk_count", sa.Integer(), nullable=False, comment="chunks of this file"),
        sa.PrimaryKeyConstraint("index_id", "file_id"),
        schema="cocosearch_py",
        comment="Coverage ledger: every file on disk has a row that says what became of it.",
        postgresql_partition_by="LIST (index_id)",
    )
    op.create_table(
        "indexes",
        sa.Column(
            "index_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="chosen by the program, never reused",
        ),
        sa.Column("name", sa.Text(), nullable=False, comment="what people call it"),
        sa.Column(
            "table_name",
            sa.Text(),
            nullable=False,
            comment="leaf of chunks that holds this index: cocosearch_<name>",
        ),
        sa.Column("root_path", sa.Text(), nullable=False, comment="canonical absolute path of the indexed folder"),
        sa.Column(
            "status",
            sa.Text(),
            nullable=False,
            comment="complete, or interrupted: some files wait for the next run",
        ),
        sa.Column(
            "generation",
            sa.BigInteger(),
            nullable=False,
            comment="grows with every committed run; caches key on it",
        ),
        sa.Column(
            "format_version",
            sa.Integer(),
            nullable=False,
            comment="version of the analysis; a newer program rebuilds",
        ),
        sa.Column(
            "options",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="settings that shaped the content: patterns, sizes, strategy",
        ),
        sa.Column(
            "embedding_model",
            sa.Text(),
            nullable=False,
            comment="identity of the model behind vectors.embedding",
        ),
        sa.Column("embedding_dimension", sa.Integer(), nullable=False, comment="numbers in a vector"),
        sa.Column("chunk_count", sa.Integer(), nullable=False, comment="chunks now: N of the IDF formula"),
        sa.Column("file_count", sa.Integer(), nullable=False, comment="indexed files now"),
        sa.Column(
            "git_branch",
            sa.Text(),
            nullable=True,
            comment="branch when last indexed; null outside git or when detached",
        ),
        sa.Column("git_commit", sa.Text(), nullable=True, comment="commit when last indexed"),
        sa.Column(
            "weights",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="ranking weights tuned for this index; null: the defaults",
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, comment="first indexed"),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False, comment="last run that finished"),
        sa.Column("seconds", sa.Double(), nullable=False, comment="wall time of the last run that changed something"),
        sa.PrimaryKeyConstraint("index_id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("table_name"),
        schema="cocosearch_py",
        comment="One row per index (an indexed folder).",
    )
    op.create_table(
        "keywords",
        sa.Column("index_id", sa.Integer(), nullable=False, comment="which index; the partition key"),
        sa.Column("file_id", sa.BigInteger(), nullable=False, comment="64-bit hash of the path; see files"),
        sa.Column("chunk_no", sa.Integer(), nullable=False, comment="see chunks"),
        sa.Column(
            "terms",
            postgresql.TSVECTOR(),
            nullable=False,
            comment="stems and identifiers of all fields, for @@",
        ),
        sa.Column(
            "weights",
            SPARSEVEC(536870912),
            nullable=False,
            comment="BM25F weight of each term; <#> IDFs is -BM25",
        ),
        sa.PrimaryKeyConstraint("index_id", "file_id", "chunk_no"),
        schema="cocosearch_py",
        comment="Keyword leg, one row per chunk; narrow, because every query reads it.",
        postgresql_partition_by="LIST (index_id)",
    )
    op.create_table(
        "lexemes",
        sa.Column("index_id", sa.Integer(), nullable=False, comment="which index; the partition key"),
        sa.Column("lexeme", sa.Text(collation="C"), nullable=False, comment="a term of keywords.terms"),
        sa.Column(
            "position",
            sa.Integer(),
            nullable=False,
            comment="its position in keywords.weights: a hash, from 0",
        ),
        sa.Column(
            "df",
            sa.Integer(),
            nullable=False,
            comment="chunks that hold it: document frequency of the IDF formula",
        ),
        sa.PrimaryKeyConstraint("index_id", "lexeme"),
        schema="cocosearch_py",
        comment="Vocabulary with document frequencies, kept exact by every run.",
        postgresql_partition_by="LIST (index_id)",
    )
    op.create_table(
        "symbols",
        sa.Column("index_id", sa.Integer(), nullable=False, comment="which index; the partition key"),
        sa.Column("file_id", sa.BigInteger(), nullable=False, comment="64-bit hash of the path; see files"),
        sa.Column("symbol_no", sa.Integer(), nullable=False, comment="position in the file, from 0"),
        sa.Column("chunk_no", sa.Integer(), nullable=False, comment="chunk in which the definition starts"),
        sa.Column("parent_no", sa.Integer(), nullable=True, comment="enclosing definition in the same file"),
        sa.Column("kind", sa.Text(), nullable=False, comment="function, method, class, interface, struct, ..."),
        sa.Column("name", sa.Text(), nullable=False, comment="as written"),
        sa.Column(
            "name_key",
            sa.Text(),
            nullable=False,
            comment="lower case without underscores, for lookups in any style",
        ),
        sa.Column("qualified_name", sa.Text(), nullable=False, comment="with its owners: Outer.inner"),
        sa.Column("signature", sa.Text(), nullable=False, comment="one line, at most 200 characters"),
        sa.Column("doc", sa.Text(), nullable=False, comment="its comment or docstring"),
        sa.Column("visibility", sa.Text(), nullable=False, comment="public, private, protected or internal"),
        sa.Column(
            "function_depth",
            sa.Integer(),
            nullable=False,
            comment="enclosing functions; 0: reachable from elsewhere",
        ),
        sa.Column("nested", sa.Boolean(), nullable=False, comment="has an enclosing definition"),
        sa.Column("start_line", sa.Integer(), nullable=False, comment="first line, from 1"),
        sa.Column("end_line", sa.Integer(), nullable=False, comment="last line, inclusive"),
        sa.PrimaryKeyConstraint("index_id", "file_id", "symbol_no"),
        schema="cocosearch_py",
        comment="Definitions found by tree-sitter.",
        postgresql_partition_by="LIST (index_id)",
    )
    op.create_table(
        "vectors",
        sa.Column("index_id", sa.Integer(), nullable=False, comment="which index; the partition key"),
        sa.Column("file_id", sa.BigInteger(), nullable=False, comment="64-bit hash of the path; see files"),
        sa.Column("chunk_no", sa.Integer(), nullable=False, comment="see chunks"),
        sa.Column(
            "embedding",
            HALFVEC(),
            nullable=False,
            comment="unit vector of the chunk by indexes.embedding_model",
        ),
        sa.PrimaryKeyConstraint("index_id", "file_id", "chunk_no"),
        schema="cocosearch_py",
        comment="Vector leg, one row per chunk; narrow, because an exact scan reads it all.",
        postgresql_partition_by="LIST (index_id)",
    )
    # Inline and uncompressed: the exact vector scan and the BM25 product read these of every candidate.
    op.execute("ALTER TABLE cocosearch_py.vectors ALTER COLUMN embedding SET STORAGE PLAIN")
    op.execute("ALTER TABLE cocosearch_py.keywords ALTER COLUMN weights SET STORAGE MAIN")
    for name, (comment, query) in _VIEWS.items():
        op.execute(f"CREATE VIEW cocosearch_py.{name} AS {query}")
        op.execute(f"COMMENT ON VIEW cocosearch_py.{name} IS '{comment}'")


def downgrade() -> None:
    for name in _VIEWS:
        op.execute(f"DROP VIEW cocosearch_py.{name}")
    op.drop_table("vectors", schema="cocosearch_py")
    op.drop_table("symbols", schema="cocosearch_py")
    op.drop_table("lexemes", schema="cocosearch_py")
    op.drop_table("keywords", schema="cocosearch_py")
    op.drop_table("indexes", schema="cocosearch_py")
    op.drop_table("files", schema="cocosearch_py")
    op.drop_table("chunks", schema="cocosearch_py")
    op.execute(DropSequence(_INDEX_IDS))
