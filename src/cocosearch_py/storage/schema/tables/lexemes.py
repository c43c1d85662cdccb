"""Table `lexemes`; see its comments."""

from cocosearch_py.storage.schema.registry import INDEX_ID, INTEGER, LEXEME, Column, FactTable

TABLE = FactTable(
    "lexemes",
    "Vocabulary with document frequencies, kept exact by every run.",
    columns=(
        INDEX_ID,
        Column("lexeme", LEXEME, "a term of keywords.terms"),
        Column("position", INTEGER, "its position in keywords.weights: a hash, from 0"),
        Column("df", INTEGER, "chunks that hold it: document frequency of the IDF formula"),
    ),
    key=("index_id", "lexeme"),
    sound="t.position BETWEEN 0 AND 536870911 AND t.df >= 1",  # LEXEME_SPACE - 1
)
