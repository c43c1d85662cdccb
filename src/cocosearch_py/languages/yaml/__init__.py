"""YAML."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "yaml",
    "YAML",
    words(".yaml .yml"),
    filenames=words(".clang-format .clang-tidy .clangd .yamllint"),
    grammar="tree_sitter_yaml",
    comments="hash",
    aliases=("yml",),
    kind="config",
    # The scanner writes its open levels, up to two in one column, into 1 KB: beyond some 250 it ends the process.
    max_indentation_levels=100,
    imports="yaml.imports",
)
