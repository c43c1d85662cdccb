"""Names used in code that the index leaves out: generated files use definitions as others do."""

import re
from collections import defaultdict

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Skip, inspect
from cocosearch_py.features.audit.dead_code.usage import Survey, Suspect
from cocosearch_py.features.audit.findings import Scope
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.model.files import SkipReason

_LEFT_OUT = frozenset({SkipReason.GENERATED, SkipReason.MINIFIED, SkipReason.EXCLUDED, SkipReason.TOO_DEEP})
_NAME = re.compile(r"[\w$]+")
_DOUBT = "{} names it, and is not in the index"


def doubt_by_others(made: Survey, scope: Scope) -> None:
    """Doubt all suspects that a file of code names which the index knows of, but not what stands in it."""
    by_name: dict[str, list[Suspect]] = defaultdict(list)
    for one in made.suspects:
        if not one.is_kept:
            by_name[one.one.name.removeprefix("#")].append(one)
    with FolderReader(str(scope.root.resolve()), scope.max_file_bytes) as reader:
        for file in made.files:
            if file.reason not in _LEFT_OUT or not _is_code(file.path):
                continue
            for name in by_name.keys() & set(_NAME.findall(_text(reader, file.path))):
                for one in by_name[name]:
                    one.doubts.append(_DOUBT.format(file.path))


def _is_code(path: str) -> bool:
    language = LANGUAGES.get(detect_language(path, b""))
    return language is not None and language.kind == "code"


def _text(reader: FolderReader, path: str) -> str:
    """The text of a file, empty if it cannot be read."""
    try:
        data = reader.read(path)
    except OSError:
        return ""
    text = data if isinstance(data, Skip) else inspect(path, data, wanted=True)
    return "" if isinstance(text, Skip) else text.source.decode(errors="replace")
