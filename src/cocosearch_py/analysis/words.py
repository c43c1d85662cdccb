"""Identifiers to words, words to terms.

A term is what the keyword leg counts: the Porter2 stem of a word, or a whole compound identifier in lower case.
`getUserById` gives the compound `getuserbyid` and the stems `get`, `user`, `by`, `id`, so both a quoted identifier
and a question in plain words find it.
"""

import re
from functools import lru_cache

import Stemmer

TOKEN = re.compile(r"[^\W\d]\w*|\d+")
# An acronym in the plural is one word: URLs, not ur and ls; so is a letter with a number: S3, v2, x509.
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|(?<![A-Za-z])[a-z]\d+|[A-Z]\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_MAX_TERM_CHARS = 64  # longer "words" are encoded data; PostgreSQL lexemes end at 2 KB
CACHE_TOKENS = 5_000  # a server keeps what its questions brought

# Function words of English and the verbs every question uses; they say nothing about which file answers.
STOP_WORDS = frozenset(
    "a about after all also an and any are as at be before between both but by can could do does each for from has "
    "have how i if in into is it its like not of on or our s should so than that the their then there these they this "
    "those to us use used uses using via was we what when where which who why will with would you your".split()
)

_stemmer = Stemmer.Stemmer("english", 0)  # we cache ourselves, per token


@lru_cache(maxsize=CACHE_TOKENS)
def stem(word: str) -> str:
    """Porter2 stem of a lower-case word."""
    return str(_stemmer.stemWord(word))


@lru_cache(maxsize=CACHE_TOKENS)
def split_identifier(token: str) -> tuple[str, ...]:
    """Lower-case words of an identifier in camelCase, PascalCase, snake_case or SCREAMING_CASE, digits apart.

    `HTTPServer2` gives `http`, `server`, `2`, `parseURLs` `parse`, `urls`, `S3Client` `s3`, `client`; an identifier of
    underscores only gives nothing.
    """
    if not token.isascii():  # no camel case to speak of in most scripts, and cutting at accents would split words
        return tuple(part.casefold() for part in token.split("_") if part)
    return tuple(part.lower() for part in _CAMEL.findall(token))


@lru_cache(maxsize=CACHE_TOKENS)
def terms_of(token: str) -> tuple[str, ...]:
    """Terms of one token, the compound first when it has several words."""
    words = split_identifier(token)
    stems = tuple(stem(word)[:_MAX_TERM_CHARS] for word in words)
    if len(words) == 1:
        return stems
    return (token.lower()[:_MAX_TERM_CHARS], *stems)


class Stems(dict[str, str]):
    """Stems of words, as terms; keeps all that it is asked for, where the functions above keep the last few."""

    def __missing__(self, word: str) -> str:
        self[word] = made = str(_stemmer.stemWord(word))[:_MAX_TERM_CHARS]
        return made

    def terms_of(self, token: str) -> list[str]:
        """Return the terms that the function of this name returns."""
        if not token.isascii():
            stems = [self[word] for word in split_identifier.__wrapped__(token)]
        elif token.islower() and token.isalpha():  # a third of all tokens
            return [self[token]]
        else:
            stems = [self[word.lower()] for word in _CAMEL.findall(token)]
        return stems if len(stems) == 1 else [token.lower()[:_MAX_TERM_CHARS], *stems]


def name_key(name: str) -> str:
    """Key under which a definition is looked up whatever the style: `get_user` and `getUser` meet in `getuser`."""
    return name.replace("_", "").lower()


# Porter2 keeps agent and derived nouns apart from their verb (parse, parser, parsing's stem is "pars", "parser").
_DERIVATIONS = (
    *(("izer", "iz"), ("iser", "is"), ("ation", "at"), ("ator", "at"), ("or", ""), ("er", ""), ("ment", "")),
    *(("abl", ""), ("ibl", ""), ("al", ""), ("iv", ""), ("ion", ""), ("at", ""), ("iz", ""), ("e", ""), ("i", "")),
)
_MIN_ROOT_CHARS = 3  # fuse and fusion meet in fus; shorter roots join unrelated words
_MAX_DERIVATIONS = 2


@lru_cache(maxsize=CACHE_TOKENS)
def root(word: str) -> str:
    """Stem without derivational endings: `validator` and `validation` meet in `valid`."""
    text = stem(word)
    for _ in range(_MAX_DERIVATIONS):
        for ending, kept in _DERIVATIONS:
            if text.endswith(ending) and len(text) - len(ending) + len(kept) >= _MIN_ROOT_CHARS:
                text = text[: len(text) - len(ending)] + kept
                break
        else:
            break
    return text
