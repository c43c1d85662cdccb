"""Settings for people: each value, secrets masked, and where it was set."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from cocosearch_py.config.load import LoadedSettings, Origin
from cocosearch_py.config.settings import setting_rules, setting_values

MASK = "***"

_PASSWORD = re.compile(r"^([^:/]*://[^:/@?#]*:).*@", re.DOTALL)
_SECRET_PARAMETER = re.compile(r"([?&](?:ssl)?(?:password|api_?key|key|token)=)[^&]*", re.IGNORECASE)


class Described(NamedTuple):
    """One setting: dotted camelCase key, value ready for JSON with secrets masked, origin."""

    key: str
    value: object
    origin: Origin


def describe(loaded: LoadedSettings) -> list[Described]:
    """Return every setting in order of declaration, for `config show`; no secret is in it."""
    values = setting_values(loaded.settings)
    return [Described(key, _shown(key, values[key]), loaded.origins[key]) for key in setting_rules()]


def mask_url(url: str) -> str:
    """Return a URL with its password, and secret parameters of its query, as "***".

    It does not take the URL apart by the rules, since a password with a bare "/" or "#" breaks them: all from
    the first ":" after the user's name to the last "@" is masked.
    """
    return _SECRET_PARAMETER.sub(rf"\1{MASK}", _PASSWORD.sub(rf"\1{MASK}@", url))


def _shown(key: str, value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str) and key.rpartition(".")[2] in ("url", "baseUrl"):
        return mask_url(value)
    return MASK if value and setting_rules()[key].secret else value
