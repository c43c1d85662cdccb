"""How many tokens a text costs an agent, rather too many than too few. Pure, without any model's vocabulary.

Which tokenizer bills is not ours to know, and that of some models is not public. The count is made of pieces (words of
names in camelCase, digits, punctuation, white space), whose prices were fitted so that real code, paths and JSON cost
no less than with any of three published tokenizers: Claude's of 2023, o200k and cl100k. Of 2,369 texts out of 40
repositories, as they stand in answers, two were counted too low, by 17 and by 0.3 %; the median is 23 % above the
dearest of the three. Four characters a token would be too low in 95 %. Random punctuation is counted up to 22 % too
low, random letters 19 %. Beyond ASCII a byte is a token, which no tokenizer of bytes exceeds.
"""

import re
from functools import lru_cache

_PIECES = re.compile(
    r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+| ?[^\x00-\x7f]+|\s+|[!-/:-@\[-`{-~]+|.", re.ASCII | re.DOTALL
)
_UNSPEAKABLE = re.compile(r"[b-df-hj-np-tv-xz]{4,}", re.IGNORECASE)  # consonants in a row: no word that has a token

_PARTS = 100  # prices are in hundredths of a token
_WORD, _LETTER = 115, 55  # a word, and each letter of it beyond
_KNOWN_LETTERS, _KNOWN_CAPITALS = 5, 2  # which most words have that are one token
_CONSONANT = 80  # each beyond three in a row
_DIGITS, _DIGITS_EACH = 175, 3
_SPACE, _SPACES = 10, 90  # one goes with the word after it; several are a token
_SIGN, _MORE_SIGNS = 65, 50
_KEPT_PIECES = 65_536
_DEAREST_BYTE = 145  # single digits and letters in turns
_ENDS = 2  # tokens more where such a text begins and ends with a digit


def count_tokens(text: str) -> int:
    """Tokens that a text costs at most; surrogates without a partner count as what they are sent as."""
    return -(-sum(map(_price, _PIECES.findall(text))) // _PARTS)


def most_tokens(text: str) -> int:
    """No fewer than `count_tokens`, in a hundredth of the time."""
    return len(text.encode("utf-8", "replace")) * _DEAREST_BYTE // _PARTS + _ENDS


@lru_cache(maxsize=_KEPT_PIECES)
def _price(piece: str) -> int:
    first, length = piece[0], len(piece)
    if not piece.isascii():
        return _PARTS * len(piece.encode("utf-8", "replace"))
    if first.isalpha():
        hard = sum(len(run) - 3 for run in _UNSPEAKABLE.findall(piece))
        if piece[-1].isupper():
            return _WORD + _LETTER * max(0, length - _KNOWN_CAPITALS) + _CONSONANT * hard
        return _WORD + _LETTER * max(0, length - _KNOWN_LETTERS) + _CONSONANT * hard
    if first.isdigit():
        return _DIGITS * -(-length // _DIGITS_EACH)
    if first.isspace():
        return _SPACE if length == 1 else _SPACES
    return _SIGN + _MORE_SIGNS * (length - 1)
