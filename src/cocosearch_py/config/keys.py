"""Settings by their dotted camelCase keys, as files, the environment and messages name them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from cocosearch_py.config.rules import Rule
from cocosearch_py.config.settings import Settings


@cache
def setting_rules() -> Mapping[str, Rule]:
    """Return the rule of every setting by its dotted camelCase key, top level first, as declared."""
    defaults = Settings()
    sections = [item for item in fields(Settings) if "rule" not in item.metadata]
    rules = {camel_case(item.name): item.metadata["rule"] for item in fields(Settings) if item not in sections}
    for section in sections:
        for item in fields(getattr(defaults, section.name)):
            rules[f"{camel_case(section.name)}.{camel_case(item.name)}"] = item.metadata["rule"]
    return rules


def setting_values(settings: Settings) -> dict[str, object]:
    """Return the value of every setting by its dotted camelCase key, secrets included."""
    values: dict[str, object] = {}
    for item in fields(settings):
        value = getattr(settings, item.name)
        if is_dataclass(value):
            for inner in fields(value):
                values[f"{camel_case(item.name)}.{camel_case(inner.name)}"] = getattr(value, inner.name)
        else:
            values[camel_case(item.name)] = value
    return values


def build_settings(values: Mapping[str, object]) -> Settings:
    """Make settings from checked values by dotted camelCase key; keys that are missing keep their default."""
    top: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        (sections.setdefault(section, {}) if section else top)[snake_case(name)] = value
    defaults = Settings()
    for section, given in sections.items():
        top[section] = type(getattr(defaults, section))(**given)
    return Settings(**top)


def camel_case(name: str) -> str:
    """Return "max_file_size_kb" as "maxFileSizeKb"."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def snake_case(name: str) -> str:
    """Return "maxFileSizeKb" as "max_file_size_kb"."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
