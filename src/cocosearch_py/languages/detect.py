"""Which language a file is in, from its path and its first bytes.

Decides by whole file name, unless a `#!` line says otherwise (a script may be called `build`), then by extension, then
by the `#!` line. It reads no file and never fails: a text that nothing names is "text". It does not tell text from
binary.
"""

import re

from cocosearch_py.languages.table import LANGUAGES, TEXT_LANGUAGE_ID

_ID_BY_FILENAME = {name: language.id for language in LANGUAGES.values() for name in language.filenames}
_ID_BY_INTERPRETER = {name: language.id for language in LANGUAGES.values() for name in language.interpreters}

_ID_BY_EXTENSION = {name: language.id for language in LANGUAGES.values() for name in language.extensions}
_VERSION_SUFFIX = "0123456789.-"


def _gather_probes() -> dict[str, list[tuple[bytes, str]]]:
    probes: dict[str, list[tuple[bytes, str]]] = {}
    for language in LANGUAGES.values():
        for extension, pattern in language.probes.items():
            probes.setdefault(extension, []).append((pattern, language.id))
    return probes


# By extension: patterns with the language of files that fit. Several for one extension are tried in order of ids.
_PROBES = _gather_probes()


def detect_language(path: str, head: bytes) -> str:
    """Return the id of the language of the file at `path`, whose first bytes are `head` (a few KB are enough)."""
    name = path[path.rfind("/") + 1 :].lower()
    found = _ID_BY_FILENAME.get(name)
    if found is not None:
        named = _by_shebang(head) if head.startswith(b"#!") else TEXT_LANGUAGE_ID
        return found if named == TEXT_LANGUAGE_ID else named
    dot = name.rfind(".")
    if dot >= 0:
        extension = name[dot:]
        found = _ID_BY_EXTENSION.get(extension)
        if found is not None:
            return _probe(extension, head) or found
        stem = name[: name.find(".", 1)]  # Dockerfile.dev, Makefile.inc
        found = _ID_BY_FILENAME.get(stem)
        if found is not None:
            return found
    return _by_shebang(head)


def is_file_name(text: str) -> bool:
    """Whether a word without a dot is meant as a file's name, by its spelling: `Makefile`, `BUILD`, not `Build`."""
    return text.lower() in _ID_BY_FILENAME and "." not in text and (text.isupper() or text.lower().endswith("file"))


def _probe(extension: str, head: bytes) -> str | None:
    """Look at the content where several languages share an extension, or none has it."""
    for pattern, language_id in _PROBES.get(extension, ()):
        if re.search(pattern, head):
            return language_id
    return None


def _by_shebang(head: bytes) -> str:
    if not head.startswith(b"#!"):
        return _probe("", head) or TEXT_LANGUAGE_ID
    line = head[2:256].split(b"\n", 1)[0].decode("ascii", "replace")
    for word in line.split():
        program = word[word.rfind("/") + 1 :].lower()
        if program == "env" or program.startswith("-") or "=" in program:
            continue
        found = _ID_BY_INTERPRETER.get(program) or _ID_BY_INTERPRETER.get(program.rstrip(_VERSION_SUFFIX))
        return found or TEXT_LANGUAGE_ID
    return TEXT_LANGUAGE_ID
