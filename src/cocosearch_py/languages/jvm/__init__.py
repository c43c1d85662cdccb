"""What Java, Kotlin and Scala share."""

from cocosearch_py.languages.language import Language

JVM = Language(
    "jvm",
    "any language of the JVM",
    imports="jvm.imports",
    family="jvm",
    folder_is_scope=True,
    keeps_imports=True,
    imports_by_use=True,
)
