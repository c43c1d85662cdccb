"""Table `refs`; see its comments. `REFERENCES` is a word of SQL."""

from cocosearch_py.storage.schema.registry import FILE_ID, INDEX_ID, INTEGER, LEXEME, TEXT, Column, FactTable, LeafIndex

TABLE = FactTable(
    "refs",
    "Uses of names, as written: which definition each means is worked out by a query.",
    columns=(
        INDEX_ID,
        Column("ref_no", INTEGER, "position in the file, from 0"),
        FILE_ID,
        Column("line", INTEGER, "line, from 1"),
        Column("col", INTEGER, "column in characters, from 1"),
        Column("symbol_no", INTEGER, "innermost definition around it; see symbols", nullable=True),
        Column(
            "kind",
            TEXT,
            "call, type, inherit, read, computed: by a name made at run time; gives and holds tell types; exports: a "
            "definition under another name or as the default",
        ),
        Column(
            "name",
            LEXEME,
            "identifier alone: b of a.b(); … if computed; →b for a declared type; ⇒ for an export",
        ),
        Column(
            "qualifier",
            TEXT,
            "what stands before it: a of a.b(); empty for nothing, … for an expression; of exports the exported name",
        ),
        Column(
            "receiver",
            TEXT,
            "type of that, as far as its file says it, or how it is got: f(); of a computed name its text: visit_…; of "
            "exports the local name",
            nullable=True,
        ),
    ),
    key=("index_id", "file_id", "ref_no"),
    indexes=(LeafIndex("btree", "name", in_shared_leaf=True),),
    sound="t.ref_no >= 0 AND t.line BETWEEN 1 AND f.line_count AND t.col >= 1 AND t.symbol_no >= 0",
)
