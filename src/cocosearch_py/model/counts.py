"""Counts in words: `1 file`, `1,435 files`. Pure."""

_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the regular plural of a noun: files, classes, dependencies."""
    if noun.endswith(_SIBILANTS):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}s"
