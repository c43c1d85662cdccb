"""Lets the grammar read Java that is newer than it, in files with syntax errors."""

from cocosearch_py.languages.repairing import blank, repair_by


def _as_name(word: bytes) -> bytes:
    return word[:-1] + word[-1:].upper()


repair = repair_by(
    (
        (b"import module", rb"(?m)^[ \t]*import[ \t]+(module)(?=[ \t]+[\w.]+[ \t]*;)", blank),
        # a constructor's super(…) or this(…) behind other statements
        (b"(", rb"(?:[;}]|\*/|//[^\n]{0,500}\n)\s*(super|this)(?=[ \t]*\()", _as_name),
    )
)
