"""Settings from all places: flag, then environment, then file, then default, key by key."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cocosearch_py.config.environment import OLLAMA_URL, read_environment
from cocosearch_py.config.names import nearest
from cocosearch_py.config.rules import WrongValueError, check, parse
from cocosearch_py.config.settings import Settings, build_settings, setting_rules
from cocosearch_py.errors import ConfigurationError

# Read in this order; a key of the first wins. CocoSearch refuses keys it does not know, so what only this
# program knows can stand in the first file while both programs share the second.
FILE_STEMS = ("cocosearch-py", "cocosearch")
FILE_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; `detail` is the variable's name, or "file:line", else ""."""

    kind: Literal["flag", "environment", "file", "default"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Resolved settings; `origins` has every dotted camelCase key, `files` those that were read, in order."""

    settings: Settings
    origins: Mapping[str, Origin]
    files: tuple[Path, ...]
    warnings: tuple[str, ...]


def load_settings(
    *,
    start: Path,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] | None = None,
    config_file: Path | None = None,
) -> LoadedSettings:
    """Resolve every setting: flag before environment before file before default.

    Args:
        start: folder where the search for configuration files begins; the root of its git repository is next.
        environ: the environment; also the source of `${VAR}` in files.
        overrides: dotted camelCase key to typed value, from flags; None means the flag was not given.
        config_file: read this file alone.
    Raises:
        ConfigurationError: a file cannot be read or parsed, a key is unknown, a value is wrong, or a
            variable is missing.
    """
    paths = (config_file,) if config_file is not None else tuple(find_files(start))
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    warnings: list[str] = []
    for path in reversed(paths):  # the first file is laid over the second
        # Imported here: most folders have no configuration file, and PyYAML takes 20 ms to import.
        from cocosearch_py.config.yamlfile import read_yaml_file

        from_file = read_yaml_file(path, environ)
        values.update(from_file.values)
        origins.update({key: Origin("file", f"{path.name}:{line}") for key, line in from_file.lines.items()})
        warnings += from_file.warnings
    from_environment = read_environment(environ)
    values.update(from_environment.values)
    origins.update({key: Origin("environment", name) for key, name in from_environment.variables.items()})
    flags = _check_overrides(overrides or {})
    values.update(flags)
    origins.update(dict.fromkeys(flags, Origin("flag")))
    _apply_ollama_url(values, origins, environ)
    settings = build_settings(values)
    _check_together(settings, origins)
    return LoadedSettings(
        settings,
        {key: origins.get(key, Origin("default")) for key in setting_rules()},
        paths,
        (*warnings, *from_environment.warnings),
    )


def find_files(start: Path) -> Iterator[Path]:
    """Yield the configuration files, the stronger one first, each from `start` or else the git root."""
    folders = [start]
    root = find_git_root(start)
    if root is not None and root != start.resolve():
        folders.append(root)
    for stem in FILE_STEMS:
        candidates = (folder / f"{stem}{suffix}" for folder in folders for suffix in FILE_SUFFIXES)
        found = next((path for path in candidates if _exists(path)), None)
        if found is not None:
            yield found


def find_git_root(start: Path) -> Path | None:
    """Return the nearest folder at or above `start` that has a `.git` file or folder, without asking git."""
    resolved = start.resolve()
    return next((folder for folder in (resolved, *resolved.parents) if _exists(folder / ".git")), None)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder that may not be entered has no file for us
        return False


def _check_overrides(overrides: Mapping[str, object]) -> dict[str, object]:
    rules = setting_rules()
    checked = {}
    for key, value in overrides.items():
        if value is None:
            continue
        if key not in rules:
            near = nearest(key, rules)
            suggestion = f"; did you mean '{near}'?" if near else ""
            raise ConfigurationError(
                f"unknown setting '{key}'{suggestion}", hint="`cocosearch-py config show` lists all of them"
            )
        try:
            checked[key] = check(rules[key], value)
        except WrongValueError as error:
            raise ConfigurationError(f"{key}: {error}", hint="correct the flag") from None
    return checked


def _apply_ollama_url(values: dict[str, object], origins: dict[str, Origin], environ: Mapping[str, str]) -> None:
    """Take the address of Ollama from its own variable, which means nothing to other providers."""
    key = "embedding.baseUrl"
    given = key in origins and origins[key].kind in ("flag", "environment")
    if given or values.get("embedding.provider") != "ollama" or not environ.get(OLLAMA_URL, "").strip():
        return
    try:
        values[key] = parse(setting_rules()[key], environ[OLLAMA_URL])
    except WrongValueError as error:
        raise ConfigurationError(
            f"{OLLAMA_URL} ({key}): {error}", hint="correct or unset the environment variable"
        ) from None
    origins[key] = Origin("environment", OLLAMA_URL)


def _check_together(settings: Settings, origins: Mapping[str, Origin]) -> None:
    """Refuse values that are fine alone and wrong together."""
    indexing = settings.indexing
    if indexing.chunk_overlap >= indexing.chunk_size:
        origin = origins.get("indexing.chunkOverlap") or origins.get("indexing.chunkSize") or Origin("default")
        raise ConfigurationError(
            f"indexing.chunkOverlap is {indexing.chunk_overlap} ({origin.detail or origin.kind}), "
            f"but must be below indexing.chunkSize, which is {indexing.chunk_size}",
            hint="lower indexing.chunkOverlap or raise indexing.chunkSize",
        )
