"""The tokens of single words as the bundled table's tokenizer cuts them, in half the time that it takes.

Words are made of few parts: what is between capitals, digits and underscores. Each part is cut once.
"""

import re
from collections.abc import Mapping
from itertools import chain

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
        self._known = _Parts(vocabulary, unknown_id)
        self._most = most

    def forget(self) -> None:
        """Begin anew, with no parts."""
        self._known.clear()

    def of(self, word: str) -> list[int]:
        """The ids of a word's tokens."""
        if word.islower() and word.isalpha():
            return self._known[word]
        return list(chain.from_iterable(map(self._known.__getitem__, _PART.findall(word))))[: self._most]


class _Parts(dict[str, list[int]]):
    """The tokens of each part, cut when it is first asked for."""

    def __init__(self, vocabulary: Mapping[str, int], unknown_id: int) -> None:
        super().__init__()
        self._vocabulary, self._unknown = vocabulary, [unknown_id]
        self._longest = max(map(len, vocabulary), default=0)

    def __missing__(self, part: str) -> list[int]:
        self[part] = found = self._cut(part.lower())
        return found

    def _cut(self, part: str) -> list[int]:
        """The longest token that begins the part, then the longest one that goes on from there, and so on."""
        if len(part) > _MAX_PART_CHARS:
            return self._unknown
        before, found = "", list[int]()
        while part:
            for end in range(min(len(part), self._longest), 0, -1):
                number = self._vocabulary.get(before + part[:end])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            part, before = part[end:], _INSIDE
        return found
