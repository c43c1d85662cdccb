"""Lets the grammar read PHP that is newer or rarer than it, in files with syntax errors."""

from cocosearch_py.languages.repairing import blank, repair_by

repair = repair_by(
    (
        (b"(void)", rb"(?m)(?:^|[;{}])[ \t]*(\(void\))(?=[ \t]*[\w$\\])", blank),  # (void) f();
        (b"__halt_compiler", rb"\b__halt_compiler\s*\(\s*\)\s*;([\s\S]+)", blank),  # data, to the end
    )
)
