"""The settings of an audit in a file that a call names: our YAML, or TOML as Lexa has it."""

import re
import tomllib
from pathlib import Path
from typing import Any

from cocosearch_py.config.keys import setting_rules, snake_case
from cocosearch_py.config.load import adjusted, load_settings
from cocosearch_py.config.names import nearest
from cocosearch_py.config.settings import AuditSettings, Settings
from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.errors import ConfigurationError

_MAX_BYTES = 64 * 1024
_MAX_DEPTH = 20  # of tables in each other; settings of an audit need two
_SECTION = "audit."
# What Lexa has other words for.
_OTHER_NAMES = {
    "large_file_lines": "fileLines", "large_file": "fileLines", "large_file_high": "fileLinesHigh",
    "large_symbol_lines": "symbolLines", "large_symbol": "symbolLines", "large_symbol_high": "symbolLinesHigh",
    "ignore_ids": "ignoreFindings", "finding_ids": "ignoreFindings", "ids": "ignoreFindings",
    "paths": "ignorePaths", "generated": "ignoreGenerated", "entrypoints": "entrypointGlobs",
}  # fmt: skip


def read_audit_file(path: Path) -> AuditSettings:
    """The `audit` section of a YAML file, or what a TOML file says of an audit.

    Raises:
        ConfigurationError: it cannot be read, a key is unknown or a value is wrong.
    """
    if path.suffix.lower() == ".toml":
        return _from_toml(path)
    return load_settings(start=None, environ={}, config_file=path).settings.audit


def _from_toml(path: Path) -> AuditSettings:
    try:
        told = tomllib.loads(read_regular(path, _MAX_BYTES).decode())
    except RecursionError:
        raise ConfigurationError(f"{path.name} is nested too deeply", hint="correct the brackets") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(
            f"{path.name} cannot be read: {error}", hint="correct it, or leave out config"
        ) from None
    own = told.get("audit", told)
    if not isinstance(own, dict):
        raise ConfigurationError(f"{path.name}: audit is not a table", hint="write [audit] and its keys below")
    return adjusted(Settings(), dict(_values(path, own, is_own="audit" in told))).audit


def _values(
    path: Path, table: dict[str, Any], *, is_own: bool, above: str = "", depth: int = 1
) -> list[tuple[str, Any]]:
    """Setting and value, of all tables below."""
    if depth > _MAX_DEPTH:
        raise ConfigurationError(f"{path.name} is nested too deeply", hint="shorten the names of its tables")
    known = {snake_case(key.removeprefix(_SECTION)): key for key in setting_rules() if key.startswith(_SECTION)}
    found = []
    for name, value in table.items():
        spelled = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower().replace("-", "_")
        if isinstance(value, dict):
            found += _values(path, value, is_own=is_own, above=spelled, depth=depth + 1)
            continue
        other = _OTHER_NAMES.get(spelled)
        key = known.get(f"{above}_{spelled}") or known.get(spelled) or (f"{_SECTION}{other}" if other else None)
        if key is None and (above.startswith("dead") and spelled == "enabled"):
            found += [(f"{_SECTION}include", ["dead-code"])] if value is True else []
        elif key is None:
            near = nearest(spelled, known)
            hint = f"did you mean {near}?" if near else f"known: {', '.join(sorted(known))}"
            raise ConfigurationError(f"{path.name}: unknown audit setting '{name[:60]}'", hint=hint)
        else:
            found.append((key, value))
    return found
