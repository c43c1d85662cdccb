"""Lets the grammars read JavaScript and TypeScript that are newer than they, in files with syntax errors."""

from cocosearch_py.languages.repairing import blank, repair_by


def _as_const(using: bytes) -> bytes:
    return b"const".ljust(len(using))


repair = repair_by(
    (
        # interface A<in T, out U>
        (b"<", rb"[<,]\s*((?:in[ \t]+out|in|out)[ \t]+)(?=[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))", blank),
        # static accessor x = 1
        (
            b"accessor",
            rb"\b(?:static|abstract|private|protected|public|readonly|override|declare)[ \t]+(accessor)"
            rb"(?=[ \t]+[\w#$'\"\[])",
            blank,
        ),
        # import defer * as a from "b"
        (b"import", rb"\bimport[ \t]+(defer|source)(?=[ \t]+(?!from\b)[\w$*])", blank),
        (b"type", rb"\bexport[ \t]+(type)(?=[ \t]*\*)", blank),  # export type * from "a"
        (b"using", rb"\bfor[ \t]*(?:await[ \t]*)?\([ \t]*((?:await[ \t]+)?using)(?=[ \t]+[\w$]+[ \t]+of\b)", _as_const),
        (b"import(", rb"\bimport\([^()\n]{1,200}\)(?:\.[\w$]+)+(<[^;\n(){}]{1,200}>)", blank),  # import("a").B<C>
    )
)
