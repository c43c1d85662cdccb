"""How much of a line that matches is shown. Pure."""

MOST_CHARS = 200  # that are shown of a line
_CHARS_BEFORE = 60  # of them, before the match in a longer line


def shown_part(text: str, column: int) -> str:
    """As much of a line as is shown, with the match in it."""
    text = text.removesuffix("\r")
    if len(text) <= MOST_CHARS:
        return text
    start = min(max(0, column - 1 - _CHARS_BEFORE), len(text) - MOST_CHARS)
    return ("…" if start else "") + text[start : start + MOST_CHARS] + ("…" if start + MOST_CHARS < len(text) else "")
