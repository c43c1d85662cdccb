"""Lets the grammar read Rust that is newer than it, in files with syntax errors."""

from cocosearch_py.languages.repairing import blank, repair_by

repair = repair_by(
    (
        # in `unsafe extern "C" { … }`
        (b"safe", rb"\b(safe(?=[ \t]+fn)|(?:un)?safe(?=[ \t]+static))\b", blank),
        (b"gen", rb"\b(gen)(?=[ \t]+fn\b)", blank),
        (b"async", rb"[:+<(,&=][ \t]*(?:(?:impl|dyn)[ \t]+)?(async)(?=[ \t]+Fn)", blank),  # F: async Fn()
        (b"trait", rb"\b(auto|const)(?=[ \t]+(?:unsafe[ \t]+)?trait\b)", blank),
        (b"impl", rb"\bimpl(?:<[^<>{}]{0,200}>)?[ \t]+(const)(?=[ \t]+\w)", blank),
        (b"const", rb"[:+][ \t]*(~const|\[const\])(?=[ \t])", blank),
    )
)
