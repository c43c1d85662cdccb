"""Settings for people: each value, secrets masked, and where it was set."""

from collections.abc import Mapping
from typing import NamedTuple

from cocosearch_py.config.keys import setting_rules, setting_values
from cocosearch_py.config.load import LoadedSettings, Origin
from cocosearch_py.model.redaction import MASK, redact


class Described(NamedTuple):
    """One setting: dotted camelCase key, value ready for JSON with secrets masked, origin."""

    key: str
    value: object
    origin: Origin


def describe(loaded: LoadedSettings) -> list[Described]:
    """Return every setting in order of declaration, for `config show`; no secret is in it."""
    values = setting_values(loaded.settings)
    return [
        Described(key, _shown(key, values[key], loaded.origins[key]), loaded.origins[key]) for key in setting_rules()
    ]


def _shown(key: str, value: object, origin: Origin) -> object:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str) and key.rpartition(".")[2] in ("url", "baseUrl"):
        return redact(value if origin.masked is None else origin.masked)
    return MASK if value and setting_rules()[key].secret else value
