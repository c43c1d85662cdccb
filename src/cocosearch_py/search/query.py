"""Analysis of a query without its inline filters: identifiers, content words, terms, kind. Pure."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from cocosearch_py.analysis.words import STOP_WORDS, TOKEN, name_key, split_identifier, terms_of
from cocosearch_py.model.search import FileLocation, QueryAnalysis, WholeName
from cocosearch_py.search.locations import find_locations
from cocosearch_py.search.subject import DOCUMENT_WORDS, TEST_WORDS, is_about
from cocosearch_py.search.verbatim import find_phrases, quotes_most

_CASED_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|^[A-Z][A-Z]+(?!s$)[a-z]")  # URLs is no name
_CAPITALISED = re.compile(r"[A-Z][a-z]+")
_QUALIFIED = re.compile(r"::|\\|->|\.")
# A query that is one name: qualified, private, in camelCase or snake_case, or capitalised.
_ONE_NAME = re.compile(
    r"(?:[A-Za-z_]\w*(?:(?:::|\\|->|\.)[A-Za-z_]\w*)+|_\w*|[A-Za-z][A-Za-z0-9]*[A-Z_]\w*|[A-Z][A-Za-z0-9]*)[!?]?"
)
_NAME_FRAME = re.compile(r"[#@$&.:]*(.+?)(?:\(\))?[;:,]*")  # what people and tools write around a name
_MEMBER_SEPARATOR = re.compile(r"::|\\|->|[.#]")
_MEMBER_BEFORE = re.compile(r"\w(?:\.|::|->|#)\Z")

# How sure we are that a word of the query is the name of a definition; fitted once, see docs/retrieval.md.
NAME_WEIGHT = 1.0  # a name of a form that prose does not have: camelCase, snake_case, qualified
CAPITALISED_WEIGHT = 0.7  # inside a sentence
FIRST_WORD_WEIGHT = 0.4  # capitalised because it begins the sentence
LONE_WORD_WEIGHT = 0.6  # a query of one lower-case word
_CONCEPT_WORDS = 3  # longer names are not told by neighbouring words of a question
_KEPT_CONCEPTS = 100  # questions; each asks three times
_SHORT_WORD_CHARS = 3  # bus and gas are no plurals, js and py after a dot are endings of file names
MEMBER_WEIGHT = 0.7  # after a dot or colons within a sentence: "how app.listen starts"
OWNER_WEIGHT = 0.2  # earlier segments of a qualified name


def analyze_text(original: str, text: str) -> QueryAnalysis:
    """Decide what the query is and what retrieval and ranking need of it."""
    identifiers = find_identifiers(text)
    tokens = list(dict.fromkeys(TOKEN.findall(text)))
    words = [word for token in tokens for word in split_identifier(token)]
    content = [word for word in dict.fromkeys(words) if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())]
    terms = [
        term for token in tokens for word, term in _labelled_terms(token) if word not in STOP_WORDS or len(content) == 0
    ]
    if not terms:  # punctuation only: search it as it stands
        terms = [text.lower()]
    locations = find_locations(text)
    phrases = _phrases(text, locations) if '"' in text or "\u201c" in text else ()
    return QueryAnalysis(
        original_query=original,
        text=text,
        kind=_kind(text),
        has_identifier=any(weight >= NAME_WEIGHT for _, weight in identifiers),
        identifiers=identifiers,
        words=tuple(content or dict.fromkeys(words) or [text.lower()]),
        terms=tuple(dict.fromkeys(terms)),
        normalized_keyword_query=_normalized(text),
        asks_for_tests=is_about(text, TEST_WORDS),
        asks_for_documents=is_about(text, DOCUMENT_WORDS),
        whole_name=find_whole_name(text),
        phrases=phrases,
        quotes_most=bool(phrases) and quotes_most(text, phrases),
        locations=locations,
    )


def _phrases(text: str, locations: Sequence[FileLocation]) -> tuple[str, ...]:
    """Quoted parts of a query, but not the path of `File "a/b.py", line 3`, which stands in no file."""
    frames = {location.parts for location in locations if location.line is not None}
    return tuple(
        phrase
        for phrase in find_phrases(text)
        if frames.isdisjoint(location.parts for location in find_locations(phrase))
    )


def find_whole_name(text: str) -> WholeName | None:
    """The name that the whole text is; None for several words.

    `Cart.add_item()` is `cart.additem` of anything, else `additem` of `cart`.
    """
    framed = None if " " in text else _NAME_FRAME.fullmatch(text)
    if framed is None:
        return None
    *owners, member = [part for part in _MEMBER_SEPARATOR.split(framed[1]) if part] or [framed[1]]
    owner = name_key(owners[-1]) if owners else None
    keys: dict[str, str | None] = {name_key(text): None, name_key(".".join([*owners, member])): None}
    for name in (member.rstrip("!?="), member.replace("-", ""), member):
        keys.setdefault(name_key(name), owner)
    needed_by_key = tuple((key, needed) for key, needed in keys.items() if key)
    return WholeName(member, needed_by_key, tuple(map(name_key, owners)))


def _labelled_terms(token: str) -> list[tuple[str, str]]:
    """(word, term) of a token; a compound is its own word."""
    words = split_identifier(token)
    terms = terms_of(token)
    labels = words if len(words) == 1 else (token.lower(), *words)
    return list(zip(labels, terms, strict=True))


def _kind(text: str) -> str:
    if _ONE_NAME.fullmatch(bare_name(text)):
        return "symbol"
    if " " not in text:
        return "word"
    return "how" if text.lower().startswith("how ") else "prose"


def find_identifiers(text: str) -> tuple[tuple[str, float], ...]:
    """Words of the query that may name a definition, with the weight of each, in order."""
    text = bare_name(text)
    if " " not in text and _QUALIFIED.search(text) and _ONE_NAME.fullmatch(text):
        *owners, name = [part for part in _QUALIFIED.split(text.rstrip("!?")) if part]
        return ((name, NAME_WEIGHT), *((owner, OWNER_WEIGHT) for owner in owners))
    if _ONE_NAME.fullmatch(text):
        return ((text.rstrip("!?"), NAME_WEIGHT),)
    if " " not in text and TOKEN.fullmatch(text):
        return ((text, LONE_WORD_WEIGHT),)
    found: dict[str, float] = {}
    for match in TOKEN.finditer(text):
        weight = _name_weight(match[0], first=match.start() == 0)
        if len(match[0]) > _SHORT_WORD_CHARS and _MEMBER_BEFORE.search(text, 0, match.start()):
            weight = max(weight, MEMBER_WEIGHT)
        if weight and match[0] not in found:
            found[match[0]] = weight
    return tuple(found.items())


def _name_weight(token: str, *, first: bool) -> float:
    if "_" in token.strip("_") or _INNER_CAPITAL.search(token):
        return NAME_WEIGHT
    if _CAPITALISED.match(token):
        return FIRST_WORD_WEIGHT if first else CAPITALISED_WEIGHT
    return 0.0


def _normalized(text: str) -> str:
    """The query with every compound followed by its words, as the reference shows it."""
    parts = []
    for token in text.split():
        words = [word for piece in TOKEN.findall(token) for word in _CASED_WORD.findall(piece)]
        parts.append(token if len(words) <= 1 else " ".join([token, *words]))
    return " ".join(parts)


def bare_name(text: str) -> str:
    """A query without the sigils and empty parentheses around a name; as it is where there are none."""
    framed = None if " " in text else _NAME_FRAME.fullmatch(text)
    return framed[1] if framed and TOKEN.match(framed[1]) else text


def identifier_keys(analysis: QueryAnalysis) -> dict[str, float]:
    """Lookup key of each identifier -> its weight, the highest when two share a key."""
    keys: dict[str, float] = {}
    for name, weight in analysis.identifiers:
        key = name_key(name)
        keys[key] = max(weight, keys.get(key, 0.0))
    return keys


def concept_keys(analysis: QueryAnalysis) -> Mapping[str, tuple[int, int]]:
    """Lookup keys of names that neighbouring content words make, singular too -> their places in `words`, end excluded.

    A question about session drivers wants the file that defines SessionDriver. Longer names come first.
    """
    return _concept_keys(analysis.words)


@lru_cache(maxsize=_KEPT_CONCEPTS)
def _concept_keys(words: tuple[str, ...]) -> Mapping[str, tuple[int, int]]:
    keys: dict[str, tuple[int, int]] = {}
    for length in range(min(_CONCEPT_WORDS, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            joined = "".join(words[start : start + length])
            for key in (joined, _singular(joined)):
                keys.setdefault(key, (start, start + length))
    return keys


def _singular(word: str) -> str:
    return word[:-1] if len(word) > _SHORT_WORD_CHARS and word.endswith("s") and not word.endswith("ss") else word
