"""HCL."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "hcl",
    "HCL",
    words(".hcl .tf .tfvars .tofu .nomad"),
    grammar="tree_sitter_hcl",
    comments="slash_hash",
    aliases=words("terraform tf"),
    kind="config",
    imports="hcl.imports",
)
