"""Java."""

from dataclasses import replace

from cocosearch_py.languages.java.newer import repair
from cocosearch_py.languages.jvm import JVM
from cocosearch_py.languages.visibility import INTERNAL, modifiers

LANGUAGE = replace(
    JVM,
    id="java",
    name="Java",
    extensions=(".java",),
    grammar="tree_sitter_java",
    package_word="package",
    visibility=modifiers(INTERNAL),
    repair=repair,
)
