"""Settings from all places: flag, environment, project's files, user's file, default, key by key.

A project's file may have come with a clone: unless the user trusts its folder, it sets what concerns the project
alone, and the rest of it is told as ignored.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from cocosearch_py.config.environment import LAST_NAMES, OF_OLLAMA, OLLAMA_URL, read_environment, variable_name
from cocosearch_py.config.keys import build_settings, setting_rules, setting_values
from cocosearch_py.config.names import nearest
from cocosearch_py.config.paths import user_config_file
from cocosearch_py.config.rules import WrongValueError, check, parse
from cocosearch_py.config.settings import TRUST_KEY, Settings
from cocosearch_py.config.trust import is_own, is_trusted
from cocosearch_py.errors import ConfigurationError

if TYPE_CHECKING:
    from cocosearch_py.config.yamlfile import FromFile, Standing

# Read in this order; a key of the first wins. CocoSearch refuses keys it does not know, so what only this
# program knows can stand in the first file while both programs share the second.
FILE_STEMS = ("cocosearch-py", "cocosearch")
FILE_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; `detail` is the variable's name, or "file:line", else "".

    `masked` is the text of a file's value without what its variables gave, if it has any.
    """

    kind: Literal["flag", "environment", "file", "default", "parameter"]
    detail: str = ""
    masked: str | None = None


class Ignored(NamedTuple):
    """A value of a project's file that does not count: key, "file:line", why, and what makes it count."""

    key: str
    place: str
    why: str
    remedy: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Resolved settings; `origins` has every dotted camelCase key, `files` those that were read, in order."""

    settings: Settings
    origins: Mapping[str, Origin]
    files: tuple[Path, ...]
    warnings: tuple[str, ...]
    ignored: tuple[Ignored, ...] = ()


def load_settings(
    *,
    start: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] | None = None,
    config_file: Path | None = None,
) -> LoadedSettings:
    """Resolve every setting: flag before environment before project's files before user's file before default.

    Args:
        start: folder where the search for configuration files begins; the root of its git repository is next. None
            reads no project's files.
        environ: the environment; it also tells where the user's own file is and what `${VAR}` in files stands for.
        overrides: dotted camelCase key to typed value, from flags; None means the flag was not given.
        config_file: read this file alone; the user named it, so it may set everything.
    Raises:
        ConfigurationError: a file cannot be read or parsed, a key is unknown, a value is wrong, or a
            variable is missing.
    """
    layers = _Layers(environ)
    from_environment = read_environment(environ)
    flags = _check_overrides(overrides or {})
    if config_file is not None:
        layers.read_as_user(config_file, config_file.name)
    else:
        layers.read_own_file()
        trusted = {**layers.values, **from_environment.values, **flags}.get(TRUST_KEY, ())
        found = find_files(start) if start is not None else ()
        layers.read_project(tuple(found), cast(tuple[str, ...], trusted))
    layers.lay(
        from_environment.values, {key: Origin("environment", n) for key, n in from_environment.variables.items()}
    )
    layers.lay(flags, dict.fromkeys(flags, Origin("flag")))
    _apply_ollama_url(layers.values, layers.origins, environ)
    _apply_last_names(layers.values, layers.origins, environ)
    settings = build_settings(layers.values)
    _check_together(settings, layers.origins)
    return LoadedSettings(
        settings,
        {key: layers.origins.get(key, Origin("default")) for key in setting_rules()},
        tuple(layers.files),
        (*layers.warnings, *_warnings(layers, settings), *from_environment.warnings),
        tuple(_ignored(path, key, found) for path, found in layers.refused for key in found.refused),
    )


class _Layers:
    """Values that lie over each other, the strongest last; `refused` are the files with values that do not count."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.values: dict[str, object] = {}
        self.origins: dict[str, Origin] = {}
        self.files: list[Path] = []
        self.warnings: list[str] = []
        self.refused: list[tuple[Path, FromFile]] = []

    def lay(self, values: Mapping[str, object], origins: Mapping[str, Origin]) -> None:
        self.values.update(values)
        self.origins.update(origins)

    def read_own_file(self) -> None:
        own = user_config_file(self.environ)
        if own is None or not _exists(own):
            return
        if is_own(own):
            self.read_as_user(own, str(own))
        else:
            self.warnings.append(f"{own} is ignored: it belongs to another user, or any user can write to it")

    def read_as_user(self, path: Path, shown: str) -> None:
        from cocosearch_py.config.yamlfile import Standing

        self.read(path, shown, Standing.USER)

    def read_project(self, paths: tuple[Path, ...], trusted: tuple[str, ...]) -> None:
        for path in reversed(paths):  # the first file is laid over the second
            from cocosearch_py.config.yamlfile import Standing

            known = is_trusted(path, trusted, self.environ)
            self.read(path, path.name, Standing.TRUSTED if known else Standing.UNKNOWN)

    def read(self, path: Path, shown: str, standing: "Standing") -> None:
        # Imported here: most folders have no configuration file, and PyYAML takes 20 ms to import.
        from cocosearch_py.config.yamlfile import read_yaml_file

        found = read_yaml_file(path, self.environ, standing)
        self.lay(
            found.values,
            {key: Origin("file", f"{shown}:{found.lines[key]}", found.masked.get(key)) for key in found.values},
        )
        self.files.insert(0, path)
        self.warnings += found.warnings
        if found.refused:
            self.refused.insert(0, (path, found))


def _ignored(path: Path, key: str, found: "FromFile") -> Ignored:
    why = found.refused[key][1]
    if key == TRUST_KEY:
        remedy = "run `cocosearch-py config trust FOLDER`"
    else:
        remedy = f"run `{_trust_command(path)}` if you trust its files, now and in future, or set {variable_name(key)}"
    return Ignored(key, f"{path.name}:{found.lines[key]}", why, remedy)


def _warnings(layers: _Layers, settings: Settings) -> list[str]:
    """One warning for each file that would change something if it were trusted."""
    values = setting_values(settings)
    warnings = []
    for path, found in layers.refused:
        keys = [
            f"{key} (line {found.lines[key]})"
            for key, (value, _) in found.refused.items()
            if key != TRUST_KEY
            and layers.origins.get(key, Origin("default")).kind in ("file", "default")
            and value != values[key]
        ]
        if keys:
            warnings.append(
                f"{path.name}: ignored {', '.join(keys)}, because this folder is not trusted; to trust it, "
                f"run `{_trust_command(path)}` (`cocosearch-py config show` has details)"
            )
    return warnings


def _trust_command(path: Path) -> str:
    return f"cocosearch-py config trust {shlex.quote(str(path.parent.resolve()))}"


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


def adjusted(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return the settings with some values replaced, by dotted camelCase key; null keeps a value.

    Raises:
        ConfigurationError: a value is wrong.
    """
    checked = _check_overrides(changes, "correct the parameter")
    if not checked:
        return settings
    values = {key: value for key, value in setting_values(settings).items() if key not in checked}
    made = build_settings(values | checked)
    _check_together(made, dict.fromkeys(checked, Origin("parameter")))
    return made


def _check_overrides(overrides: Mapping[str, object], hint: str = "correct the flag") -> dict[str, object]:
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
            raise ConfigurationError(f"{key}: {error}", hint=hint) from None
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


def _apply_last_names(values: dict[str, object], origins: dict[str, Origin], environ: Mapping[str, str]) -> None:
    """Take from variables of other programs what nothing else has said."""
    of_ollama = values.get("embedding.provider") == "ollama"
    for variable, key in LAST_NAMES.items():
        text = environ.get(variable, "")
        if key in values or not text.strip() or (variable in OF_OLLAMA and not of_ollama):
            continue
        try:
            values[key] = parse(setting_rules()[key], text)
        except WrongValueError as error:
            raise ConfigurationError(
                f"{variable} ({key}): {error}",
                hint=f"correct or unset the environment variable, or set {variable_name(key)}",
            ) from None
        origins[key] = Origin("environment", variable)


def _check_together(settings: Settings, origins: Mapping[str, Origin]) -> None:
    """Refuse values that are fine alone and wrong together."""
    indexing = settings.indexing
    overlap, size = indexing.chunk_overlap, indexing.chunk_size
    if overlap >= size:
        raise _too_much(origins, ("indexing.chunkOverlap", overlap), "below", ("indexing.chunkSize", size))
    overlap, size = indexing.token_chunk_overlap or 0, indexing.token_chunk_size
    if 2 * overlap > size:
        names = ("indexing.tokenChunkOverlap", overlap), "at most half of", ("indexing.tokenChunkSize", size)
        raise _too_much(origins, *names)


def _too_much(
    origins: Mapping[str, Origin], overlap: tuple[str, int], bound: str, size: tuple[str, int]
) -> ConfigurationError:
    origin = origins.get(overlap[0]) or origins.get(size[0]) or Origin("default")
    return ConfigurationError(
        f"{overlap[0]} is {overlap[1]} ({origin.detail or origin.kind}), "
        f"but must be {bound} {size[0]}, which is {size[1]}",
        hint=f"lower {overlap[0]} or raise {size[0]}",
    )
