"""Which class the content of each file of a run has: settings first, then git attributes, then paths, then text."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from cocosearch_py.analysis.paths import is_test
from cocosearch_py.discovery.attributes import (
    DOCUMENTATION,
    FILE_NAME,
    GENERATED,
    ON_DISK,
    VENDORED,
    AttributeFiles,
    Attributes,
)
from cocosearch_py.discovery.classes import CONTENT_RULE, class_of_path, foreign_folders, is_in_docs_tree
from cocosearch_py.discovery.gitignore import compile_patterns
from cocosearch_py.model.files import ContentClass, Naming, SkipReason

SETTING = "indexing.contentClasses:"
_BY_NAME = frozenset({ContentClass.LOCK, ContentClass.SNAPSHOT, ContentClass.ISSUE_TEMPLATE})


class Classifier:
    """Names the classes of the files below `root`.

    Args:
        paths: all files of the walk; some tell what a folder is.
        chosen: pattern as in a .gitignore file -> class; the last one that matches decides.
        kept: where files of attributes are read.
    """

    def __init__(
        self,
        root: Path,
        paths: Iterable[str],
        chosen: Mapping[str, ContentClass],
        kept: AttributeFiles = ON_DISK,
    ) -> None:
        known = list(paths)
        files = frozenset([path for path in known if path.endswith(FILE_NAME) and path.rpartition("/")[2] == FILE_NAME])
        self._attributes = Attributes(root, files, kept)
        self._foreign = foreign_folders(known)
        self._chosen = [
            (compile_patterns([os.fsencode(pattern), os.fsencode(_below(pattern))], SETTING), pattern, content_class)
            for pattern, content_class in reversed(list(chosen.items()))
        ]

    def name(self, path: str) -> Naming | None:
        """The class of a file as far as its path tells; None where only its language and its text can."""
        for patterns, pattern, content_class in self._chosen:
            if patterns.match(os.fsencode(path), False) is not None:
                return Naming(content_class, f"{SETTING} {pattern}", wanted=True)
        said = self._attributes.of(path)
        by_path = class_of_path(path) or self._by_folder(path)
        if not said:
            return by_path
        values = {name: one.value for name, one in said.items()}
        if values.get(VENDORED):
            return Naming(ContentClass.VENDORED, said[VENDORED].rule)
        is_vendored = by_path is not None and by_path.content_class is ContentClass.VENDORED
        if by_path and is_vendored and values.get(VENDORED) is None:
            return by_path
        if by_path and values.get(GENERATED) is not False and by_path.content_class in _BY_NAME:
            return by_path
        for name, content_class in ((GENERATED, ContentClass.GENERATED), (DOCUMENTATION, ContentClass.DOCS)):
            if values.get(name):
                return Naming(content_class, said[name].rule)
        if values.get(GENERATED) is False:
            return Naming(None, said[GENERATED].rule, wanted=True)
        return Naming(None, said[VENDORED].rule) if is_vendored else by_path

    def _by_folder(self, path: str) -> Naming | None:
        if not path.startswith(self._foreign):
            return None
        folder = next(folder for folder in self._foreign if path.startswith(folder))
        return Naming(ContentClass.VENDORED, f"built-in: third-party licences in {folder}")


def naming_of(root: Path, path: str, chosen: Mapping[str, ContentClass]) -> Naming | None:
    """Return the naming of one file, by the file and the attributes in the folders above it."""
    folders = ["", *(path[: at + 1] for at, char in enumerate(path) if char == "/")]
    attributes = [folder + FILE_NAME for folder in folders if (root / (folder + FILE_NAME)).is_file()]
    return Classifier(root, [path, *attributes], chosen).name(path)


def settle(naming: Naming | None, path: str, language_id: str) -> tuple[ContentClass, str | None]:
    """The class of a file with content, and the rule that decided; None where that is its language or its path."""
    if naming is not None and naming.content_class is not None:
        return naming.content_class, naming.rule
    # These take a while, and a run that reads nothing does without.
    from cocosearch_py.languages.table import LANGUAGES

    rule = None if naming is None else naming.rule
    language = LANGUAGES.get(language_id)
    if language is not None and language.kind == "docs":
        return ContentClass.DOCS, rule
    if is_test(path):
        return ContentClass.TESTS, rule
    if is_in_docs_tree(path):
        return ContentClass.DOCS, rule
    return ContentClass(language.kind if language else "data"), rule


def class_of_unread(naming: Naming | None, reason: str | None) -> ContentClass | None:
    """The class of a file without content, as far as path and reason tell."""
    if naming is not None and naming.content_class is not None:
        return naming.content_class
    return ContentClass.GENERATED if reason in (SkipReason.GENERATED, SkipReason.MINIFIED) else None


def stored_naming(content_class: str | None, rule: str | None) -> Naming | None:
    """Return the result of `Classifier.name` for an indexed file, from its row."""
    if content_class is None or rule is None or rule.startswith(CONTENT_RULE):
        return None
    only_not = rule.endswith((f": -{VENDORED}", f": -{GENERATED}"))
    return Naming(None if only_not else ContentClass(content_class), rule, is_wanted(rule))


def is_wanted(rule: str | None) -> bool:
    """Whether a stored rule is one that makes generated files wanted (`Naming.wanted`)."""
    return rule is not None and (rule.startswith(SETTING) or rule.endswith(f": -{GENERATED}"))


def _below(pattern: str) -> str:
    """A pattern for all that is below a folder that the pattern matches."""
    folder = pattern.rstrip("/")
    return f"{folder}/**" if "/" in folder else f"**/{folder}/**"
