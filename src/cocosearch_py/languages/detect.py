"""Which language a file is in, from its path and its first bytes.

Decides by whole file name, then by extension, then by the `#!` line. It reads no file and never fails: a text that
nothing names is "text". It does not tell text from binary.
"""

import re

from cocosearch_py.languages.table import LANGUAGES, TEXT_LANGUAGE_ID

_ID_BY_FILENAME = {name: language.id for language in LANGUAGES.values() for name in language.filenames}
_ID_BY_INTERPRETER = {name: language.id for language in LANGUAGES.values() for name in language.interpreters}


def _ids_by_extension() -> dict[str, str]:
    ids: dict[str, str] = {}
    for language in LANGUAGES.values():
        for extension in language.extensions:
            ids.setdefault(extension, language.id)
    return ids


_ID_BY_EXTENSION = _ids_by_extension()

# A header is C++ when a line starts with something C does not have.
_CPP_LINE = re.compile(
    rb"^[ \t]*(?:class[ \t]+\w|(?:inline[ \t]+)?namespace\b|template[ \t]*<|using[ \t]+\w|enum[ \t]+class\b|constexpr\b"
    rb"|(?:public|private|protected)[ \t]*:|#[ \t]*include[ \t]*<[a-z_]+>)|\bstd::",
    re.MULTILINE,
)
_OBJC_LINE = re.compile(rb"^[ \t]*(?:@interface|@protocol|@class|@end|#import)\b", re.MULTILINE)
_VERSION_SUFFIX = "0123456789.-"


def detect_language(path: str, head: bytes) -> str:
    """Return the id of the language of the file at `path`, whose first bytes are `head` (a few KB are enough)."""
    name = path[path.rfind("/") + 1 :].lower()
    found = _ID_BY_FILENAME.get(name)
    if found is not None:
        return found
    dot = name.rfind(".")
    if dot >= 0:
        extension = name[dot:]
        found = _ID_BY_EXTENSION.get(extension)
        if found is not None:
            return _settle_extension(extension, found, head)
        stem = name[: name.find(".", 1)]  # Dockerfile.dev, Makefile.inc
        found = _ID_BY_FILENAME.get(stem)
        if found is not None:
            return found
    return _by_shebang(head)


def _settle_extension(extension: str, found: str, head: bytes) -> str:
    """Look at the content where two languages share an extension."""
    if extension == ".h":
        if _CPP_LINE.search(head):
            return "cpp"
        return "objc" if _OBJC_LINE.search(head) else "c"
    if extension == ".ts" and head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"<?xml", b"<!DOCTYPE TS")):
        return "xml"  # Qt translation file
    return found


def _by_shebang(head: bytes) -> str:
    if not head.startswith(b"#!"):
        return "xml" if head.startswith(b"<?xml") else TEXT_LANGUAGE_ID
    line = head[2:256].split(b"\n", 1)[0].decode("ascii", "replace")
    for word in line.split():
        program = word[word.rfind("/") + 1 :].lower()
        if program == "env" or program.startswith("-") or "=" in program:
            continue
        found = _ID_BY_INTERPRETER.get(program) or _ID_BY_INTERPRETER.get(program.rstrip(_VERSION_SUFFIX))
        return found or TEXT_LANGUAGE_ID
    return TEXT_LANGUAGE_ID
