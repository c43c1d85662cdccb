"""How a setting is declared, and what is wrong with names that some settings hold.

Each `..._problem` tells what is wrong with one such name, "" if nothing.
"""

import re
from dataclasses import field
from pathlib import PurePath
from typing import Any

from cocosearch_py.config.names import nearest
from cocosearch_py.config.rules import Kind, Rule
from cocosearch_py.errors import ValidationError
from cocosearch_py.model.files import ContentClass

WEIGHT_NAMES = (
    "keywords", "vectors", "fused", "name", "name_full", "folders", "definition", "mention", "concept", "subject",
    "verbatim", "no_code", "settings", "settings_match", "purpose", "answers",
    "test", "foreign", "declared", "aside", "older", "depth", "vendored", "generated",
)  # fmt: skip
AUDIT_PARTS = ("dead-code", "secrets", "duplicates")

_INDEX_NAME = re.compile(r"(?=\S)[\w.\- ]{1,100}(?<! )")


def index_name_problem(name: str) -> str:
    if not name or _INDEX_NAME.fullmatch(name):
        return ""
    return f"'{name[:60]}' cannot be an index name; use 1 to 100 letters, digits, '.', '_', '-' or inner spaces"


def language_problem(name: str) -> str:
    from cocosearch_py.languages.table import resolve_language  # few settings name a language

    try:
        resolve_language(name)
    except ValidationError as error:
        return f"{error.message}; {error.hint}"
    return ""


def weight_problem(name: str) -> str:
    near = nearest(name, WEIGHT_NAMES)
    suggestion = f"did you mean '{near}'?" if near else f"known weights: {', '.join(WEIGHT_NAMES)}"
    return "" if name in WEIGHT_NAMES else f"unknown weight '{name}'; {suggestion}"


def class_problem(name: str) -> str:
    return "" if name in set(ContentClass) else f"unknown class '{name[:60]}'; known classes: {', '.join(ContentClass)}"


def trust_problem(entry: str) -> str:
    absolute = entry == "*" or entry.startswith("~") or PurePath(entry).is_absolute()
    return "" if absolute else f"'{entry}' is not an absolute path"


def part_problem(name: str) -> str:
    return "" if name in AUDIT_PARTS else f"unknown audit part '{name[:60]}'; known parts: {', '.join(AUDIT_PARTS)}"


def setting(default: object, kind: Kind, about: str, **rule: Any) -> Any:
    """Declare one setting; a secret one stays out of `repr`."""
    metadata = {"rule": Rule(kind, about, nullable=default is None, **rule)}
    show = not rule.get("secret", False)
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata, repr=show)
    return field(default=default, metadata=metadata, repr=show)
