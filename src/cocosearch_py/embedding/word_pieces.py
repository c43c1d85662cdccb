"""The tokens of single words as the bundled table's tokenizer cuts them, in half the time that it takes.

Words are made of few parts: what is between capitals, digits and underscores. Each part is cut once.
"""

import re
from collections.abc import Mapping

# As its tokenizer.json says: parts, the longest one that is cut, and what marks a token that does not begin a part.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MAX_PART_CHARS = 40
_INSIDE = "##"


class WordPieces:
    """Cuts words of ASCII letters, digits and underscores, and remembers their parts.

    Args:
        vocabulary: token -> id.
        unknown_id: of a part that cannot be cut.
        most: tokens of one word; the rest is left out.
    """

    def __init__(self, vocabulary: Mapping[str, int], unknown_id: int, most: int) -> None:
        self._first = {text: number for text, number in vocabulary.items() if not text.startswith(_INSIDE)}
        self._later = {text[2:]: number for text, number in vocabulary.items() if text.startswith(_INSIDE)}
        self._longest = max(map(len, vocabulary), default=0)
        self._unknown, self._most = [unknown_id], most
        self._known: dict[str, list[int]] = {}

    def forget(self) -> None:
        """Begin anew, with no parts."""
        self._known.clear()

    def of(self, word: str) -> list[int]:
        """The ids of a word's tokens."""
        found: list[int] = []
        for part in _PART.findall(word):
            own = self._known.get(part)
            if own is None:
                own = self._known[part] = self._cut(part.lower())
            found += own
        return found[: self._most]

    def _cut(self, part: str) -> list[int]:
        """The longest token that begins the part, then the longest one that goes on from there, and so on."""
        if len(part) > _MAX_PART_CHARS:
            return self._unknown
        tokens, found = self._first, []
        while part:
            for end in range(min(len(part), self._longest), 0, -1):
                number = tokens.get(part[:end])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            part, tokens = part[end:], self._later
        return found
