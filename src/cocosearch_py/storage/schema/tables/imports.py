"""Table `imports`; see its comments."""

from cocosearch_py.storage.schema.registry import FILE_ID, INDEX_ID, INTEGER, LEXEME, TEXT, Column, FactTable, LeafIndex

TABLE = FactTable(
    "imports",
    "Imports as written, one row per imported name.",
    columns=(
        INDEX_ID,
        Column("import_no", INTEGER, "position in the file, from 0"),
        FILE_ID,
        Column("line", INTEGER, "line, from 1"),
        Column("module", TEXT, "as written, without quotes: ..pkg.mod, ./lib/x, std::fmt"),
        Column("name", LEXEME, "what is imported of it; * for all, null for the module itself", nullable=True),
        Column("alias", TEXT, "name in this file, where it is another one", nullable=True),
        Column("symbol_no", INTEGER, "innermost function around it, which alone sees it; see symbols", nullable=True),
    ),
    key=("index_id", "file_id", "import_no"),
    indexes=(LeafIndex("btree", "name", in_shared_leaf=True),),
    sound="t.import_no >= 0 AND t.line BETWEEN 1 AND f.line_count AND t.symbol_no >= 0",
)
