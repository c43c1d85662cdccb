"""Table `symbols`; see its comments."""

from cocosearch_py.storage.schema.registry import (
    BOOLEAN,
    FILE_ID,
    INDEX_ID,
    INTEGER,
    TEXT,
    Column,
    FactTable,
    LeafIndex,
)

TABLE = FactTable(
    "symbols",
    "Definitions found by tree-sitter.",
    columns=(
        INDEX_ID,
        FILE_ID,
        Column("symbol_no", INTEGER, "position in the file, from 0"),
        Column("chunk_no", INTEGER, "chunk in which the definition starts"),
        Column("parent_no", INTEGER, "enclosing definition in the same file", nullable=True),
        Column("kind", TEXT, "function, method, class, interface, struct, ..."),
        Column("name", TEXT, "as written"),
        Column("name_key", TEXT, "lower case without underscores, for lookups in any style"),
        Column("qualified_name", TEXT, "with its owners: Outer.inner"),
        Column("signature", TEXT, "one line, at most 200 characters"),
        Column("doc", TEXT, "its comment or docstring"),
        Column("visibility", TEXT, "public, private, protected or internal"),
        Column("function_depth", INTEGER, "enclosing functions; 0: reachable from elsewhere"),
        Column("nested", BOOLEAN, "has an enclosing definition"),
        Column("start_line", INTEGER, "first line, from 1"),
        Column("end_line", INTEGER, "last line, inclusive"),
        Column("cyclomatic", INTEGER, "cyclomatic complexity of a function, from 1", nullable=True),
        Column("max_nesting", INTEGER, "blocks around the innermost statement of a function", nullable=True),
        Column("parameter_count", INTEGER, "parameters of a function", nullable=True),
        Column("is_test", BOOLEAN, "a test, by its annotation or by the names of it and its file"),
        Column("is_deprecated", BOOLEAN, "marked or documented as deprecated"),
    ),
    key=("index_id", "file_id", "symbol_no"),
    indexes=(LeafIndex("btree", "name_key", in_shared_leaf=True),),
    sound=(
        "t.symbol_no >= 0 AND t.chunk_no >= 0 AND t.parent_no BETWEEN 0 AND t.symbol_no - 1 AND t.start_line >= 1 "
        "AND t.end_line BETWEEN t.start_line AND f.line_count AND t.function_depth >= 0 "
        "AND t.cyclomatic >= 0 AND t.max_nesting >= 0 AND t.parameter_count >= 0"
    ),
)
