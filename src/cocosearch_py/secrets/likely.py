"""Tells values that may be secrets from samples, placeholders, references and hashes of public things (pure).

A plain word is taken for a sample, whatever it is given to: a password that is a word cannot be told from one.
"""

import math
import re
from base64 import b64decode
from binascii import Error
from collections import Counter
from itertools import pairwise
from urllib.parse import unquote_to_bytes

_TEMPLATE = re.compile(
    rb"\$\{|\$\(|\{\{|<%|#\{|%\(|%[sdv]|\{[\w.]*\}|^<.*>$|^\[.*\]$|^[$%@&*!][\w.{(]|\\\(|\$[A-Za-z_]|__[A-Z_]+__"
)
_PLACEHOLDER = re.compile(
    rb"(?i:example|sample|placeholder|change.?me|change.?this|replace|insert.?|your|^my[_-]?|dummy|fake|mock|foo|bar|baz"
    rb"|test|xxx|todo|redacted|default|undefined|null|none|invalid|wrong|super.?secret|not.?a|some|hunter2|secure"
    rb"|p[a@4]s+w[o0]r|postgres|localhost|development|qwerty|letmein|keyboard|lorem|hello|world|abc123|deadbeef|cafebabe)"
    rb"|\.\.\.|\*\*|\xe2\x80\xa6|(.)\1{5}"
)
_PLACEHOLDER_IN_RANDOM = re.compile(rb"(?i:example|placeholder|changeme|redacted)|(.)\1{5}")  # others occur by chance
_UUID = re.compile(rb"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_BETWEEN = rb"[ _.,:;/\\!?#&+'()-]"
_WORDS = re.compile(rb"[A-Za-z\x80-\xff]+(?:" + _BETWEEN + rb"+[A-Za-z\x80-\xff]+)*" + _BETWEEN + rb"*")
_CAMEL = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLACE = re.compile(
    rb"://|^\.{0,2}/[\w./-]+$|^~/|^[A-Z]:\\|\w\.(?:pem|key|crt|cer|json|ya?ml|txt|jks|p12|pfx|html?|php|rb|py|js|ts|go|java|"
    rb"conf|env|gpg|pub|asc|md)$"
)
_CODE = re.compile(rb"[\w.\]]\(|^[\w$]+(?:(?:\.|->|::)[A-Za-z_]\w*)+$|^\w+\[|=>|&&|\|\|")
_LEET = bytes.maketrans(b"013457@$!", b"oieastasi")
_SAMPLE = re.compile(
    rb"(?:pass|pw|password|passwort|passwd|passphrase|secret|token|key|user"
    rb"|admin|root|guest|geheim|topsecret|pa|apikey)[\W\d_]*"
)
_DIGITS = re.compile(rb"(?<=[a-z])[013457]{1,2}(?=[a-z])")
_ONE_WORD = re.compile(rb"[A-Za-z][a-z0-9]{1,13}")
# Names that end so do not hold the secret itself, but say something of one.
_OTHER = re.compile(
    rb"(?i:(?:file|path|dir|folder|url|uri|endpoint|name|names|id|ids|label|field|hint|prompt|regexp?|pattern|length|len|size|type"
    rb"|header|param|parameter|env|var|variable|policy|placeholder|message|error|title|text|reset|required|expired|help"
    rb"|algorithm|alg|provider|format|version|arn|selector|class|input|prefix|suffix|column|attribute|property|method|host"
    rb"|strategy|mode|count|index|schema|table|scope|status|rules?|public|digest|hint|ref|store|manager|vault))$"
)
_RUN_LETTERS = 20
_LEAST = 5
_LONG = 32
_COMMON_PIECE = 3.5  # letters of a word of camelCase, on average; random ones have fewer


def is_likely(value: bytes, name: bytes = b"") -> bool:
    """Whether a value may be a secret that a `name` is given; "" where only its own look speaks for it."""
    text = value.strip()
    if len(text) < _LEAST or b" " in text or b"\t" in text or not re.search(rb"[A-Za-z]", text):
        return False
    placeholder = _PLACEHOLDER if len(text) < _LONG else _PLACEHOLDER_IN_RANDOM
    if _TEMPLATE.search(text) or placeholder.search(text) or _UUID.search(text):
        return False
    if _PLACE.search(text) or _CODE.search(text) or is_sequence(text):
        return False
    lowered = text.lower()
    if name and (_OTHER.search(name) or lowered in name.lower() or name.lower() in lowered):
        return False
    plain = lowered.translate(_LEET)
    if len(re.findall(rb"[-_.]", text)) > 1:
        text = re.sub(rb"[-_.]?\d{1,2}$", b"", text)  # the second of several samples
    return not (_SAMPLE.fullmatch(plain) or _SAMPLE.fullmatch(lowered) or is_words(text) or _is_spelled(text))


def _is_spelled(text: bytes) -> bool:
    """Whether a text is a word with some letters written as digits: `s00pers3cret`."""
    digits = _DIGITS.findall(text)
    plain = _DIGITS.sub(lambda one: one[0].translate(_LEET), text)
    return 0 < len(digits) <= 2 and _ONE_WORD.fullmatch(text) is not None and is_words(plain)


def is_sample_password(value: bytes) -> bool:
    """Whether the password of an address, which may be percent-encoded, is a reference or a sample."""
    return not is_likely(unquote_to_bytes(value).replace(b" ", b"-"))


def is_sample(value: bytes) -> bool:
    """Whether what looks like a credential is one that documentation uses, or made of one thing over and over."""
    return (
        re.search(rb"(?i:example|placeholder|your|dummy|fake|xxxx|redacted)|(.)\1{7}", value) is not None
        or len(set(value)) < 10
        or is_sequence(value)
    )


def is_words(text: bytes) -> bool:
    """Whether a text is words with marks between them; letters without sense are none."""
    if not _WORDS.fullmatch(text):
        return False
    longest = max(re.findall(rb"[A-Za-z\x80-\xff]+", text), key=len)
    return len(longest) < _RUN_LETTERS or has_words(longest)


def has_words(text: bytes) -> bool:
    """Whether the letters of a text make words, as in camelCase, rather than pieces of one or two."""
    pieces = _CAMEL.findall(text)
    return sum(map(len, pieces)) >= _COMMON_PIECE * len(pieces)


def says_something(value: bytes) -> bool:
    """Whether it is readable text in base64; what is short may be that by chance."""
    if len(value) < _RUN_LETTERS:
        return False
    try:
        text = b64decode(value.replace(b"-", b"+").replace(b"_", b"/") + b"=" * (-len(value) % 4), validate=True)
    except (Error, ValueError):
        return False
    return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in text)


def is_sequence(text: bytes) -> bool:
    """Whether most characters follow the one before, as in an alphabet."""
    follow = sum(second - first in (0, 1) for first, second in pairwise(text))
    return follow >= 0.5 * max(len(text) - 1, 1)


def entropy(text: bytes) -> float:
    """Bits for each byte, by how often the bytes of the text occur (Shannon)."""
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values())
