"""SQL."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "sql",
    "SQL",
    words(".sql .psql .pgsql .ddl .dml"),
    grammar="tree_sitter_sql",
    comments="dash",
    aliases=words("psql postgresql mysql"),
)
