"""Common parts of Java, Kotlin and Scala."""

from cocosearch_py.languages.language import Language

JVM = Language(
    "jvm",
    "any language of the JVM",
    reflective="Class.forName:0 *.loadClass:0 *.getMethod:0 *.getDeclaredMethod:0 *.getMethods:- "
    "*.getDeclaredMethods:- *.getField:0 *.getDeclaredField:0 *.getFields:- *.getDeclaredFields:- "
    "*.getDeclaredClasses:- *.getConstructors:- *.getDeclaredConstructors:- *.findVirtual:1 "
    "*.findStatic:1 *.findGetter:1",
    imports="jvm.imports",
    family="jvm",
    folder_is_scope=True,
    keeps_imports=True,
    imports_by_use=True,
)
