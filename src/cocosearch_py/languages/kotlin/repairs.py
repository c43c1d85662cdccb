"""Lets the grammar read Kotlin that is newer or rarer than it, in files with syntax errors; see also `newer`."""

from cocosearch_py.languages.repairing import blank, repair_by

_IN_BRACKETS = rb"[\w\s,:<>?.]{1,200}"


def _in_parentheses(names: bytes) -> bytes:
    return b"(" + names[1:-1] + b")"


def _as_name(text: bytes) -> bytes:
    return b"_" * len(text)


def _as_other_name(word: bytes) -> bytes:
    return word[:-1] + word[-1:].upper()


repair = repair_by(
    (
        # { (a, b): Pair<A, B> -> c }
        (
            b"->",
            rb"\{\s*(?:[\w:<>?. ]{1,200},\s*)?\(" + _IN_BRACKETS + rb"\)(\s*:\s*[\w.<>?, ]{1,200}?)(?=\s*->)",
            blank,
        ),
        (b"context", rb"[:=,(<]\s*(context\s*\([^()]{0,200}\))(?=\s*[\w(])", blank),  # f: context(A) () -> B
        (b"[", rb"\bva[lr]\s+(\[" + _IN_BRACKETS + rb"\])(?=\s*=)", _in_parentheses),  # val [a, b] = c
        (b"@all:", rb"@(all)(?=:)", lambda target: b"get"),
        (b"[]", rb"=\s*(\[\])", _as_name),  # annotation class A(val b: Array<C> = [])
        # names that are words of the language elsewhere
        (b"suspend", rb"(?<![\w.@])(suspend)(?=\s*(?:[:.,)]|=(?!=)))", _as_other_name),
        (b"dynamic", rb"(?<![\w.@:])(dynamic)(?=\s*(?:[:.,)]|=(?!=)))", _as_other_name),
        (b"fun", rb"[=(,]\s*fun\s*\((\w+(?:\s*,\s*\w+){0,9})\)", blank),  # val f: A = fun(a, b) { … }
    ),
    # The last member in a body on one line: the grammar wants a semicolon behind it.
    ((b" }", rb"[^\s{;,>]([ \t])(?=\})", lambda space: b";"),),
)
