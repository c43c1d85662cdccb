"""Files of settings, whose values need no quotes."""

from cocosearch_py.discovery.rules import secret_rule
from cocosearch_py.languages import LANGUAGES, detect_language


def is_settings(path: str, head: bytes) -> bool:
    """Report whether a file holds settings, by its name and the first bytes of its text."""
    language = LANGUAGES.get(detect_language(path, head))
    is_config = language is not None and language.kind == "config" and not language.has_recipes
    return is_config or secret_rule(path.rpartition("/")[2]) is not None
