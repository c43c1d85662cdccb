"""Subject of a question: tests, documents and settings, or code as nearly always. Pure."""

import re
from collections.abc import Sequence, Set

from cocosearch_py.analysis.words import TOKEN, split_identifier

_WORD = re.compile(r"[A-Za-z]+")
TEST_WORDS = frozenset("test tests tested testing spec specs fixture fixtures mock mocks benchmark benchmarks".split())
# What test files are called, and code that is not one of them is not.
TEST_FILE_WORDS = frozenset({"tests", "specs", "fixtures", "benchmarks"})
# Words of a question that is about the documents and settings of a repository rather than its code. Not json and xml:
# questions about code that reads and writes them are more frequent.
DOCUMENT_WORDS = frozenset(
    "changelog ci contributing doc dockerfile docs documentation documented guide licence license makefile "
    "manual markdown readme toml tutorial workflow workflows yaml yml".split()
)
_HOW = re.compile(r"\s*how\s+(?!(?:many|much|often|long|large|big|old)\b)", re.IGNORECASE)
# What ends the phrase that names the subject: "tests | of the cart", "mock handler | for tests".
_ENDS = frozenset(
    "about across after against and around as at before behind between but by during for from if in inside into "
    "like of on onto or over per so than that through to under until using via when where whether while with "
    "within without".split()
)
_JOINT = re.compile(r"\s(?:and|or|&)\s", re.IGNORECASE)
_ASKING = frozenset({"how", "what", "where", "which", "who", "why"})
_OPENINGS = frozenset(
    "a all an any are can could do does find get give has have how i is it list look me my our please search "
    "should show some tell the their there these this those want was were what where which who why will would".split()
)


def asks_how(text: str) -> bool:
    """Whether the question is how something is done, which code answers; "how many replicas" is not."""
    return _HOW.match(text) is not None


def count_first_words(text: str, words: Sequence[str]) -> int:
    """How many of the question's content words name the first of the things that it joins; 0 if it joins none.

    "session store and its drivers" is answered where the session store is more often than where the drivers are.
    """
    joint = _JOINT.search(text)
    if joint is None:
        return 0
    before = {word for token in TOKEN.findall(text, 0, joint.start()) for word in split_identifier(token)}
    count = sum(word in before for word in words)
    return count if count < len(words) else 0


def is_about(text: str, subjects: Set[str]) -> bool:
    """Whether one of the words is the head of the question: the last word of its first phrase.

    "cart tests" and "where are the tests of the cart" are about tests, "test runner" and "stubs for tests" are not.
    After "which" and "what" it may be the first word, too: "which tests cover the cart".
    """
    words = [word.lower() for word in _WORD.findall(text)]
    opened = 0
    while opened < len(words) and words[opened] in _OPENINGS:
        opened += 1
    asked = next((word for word in words[:opened] if word in _ASKING), "")
    phrase: list[str] = []
    for word in words[opened:]:
        if word in _ENDS:
            break
        phrase.append(word)
    if not phrase:
        return False
    if asked == "how":  # a question about what code does
        return phrase[-1] in subjects and phrase[-1].endswith("ed")
    return phrase[-1] in subjects or (asked in {"which", "what"} and phrase[0] in subjects)
