"""Every setting with its type, default and rule; keys are camelCase in files, snake_case here.

It decides nothing about where a value comes from (`load`) and imports no feature, so defaults that a feature
also has are written here a second time on purpose: the front end hands each feature its options.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

from cocosearch_py.config.rules import MAX_INT32, Kind, Rule

SCHEMA_NAME = "cocosearch_py"  # the migrations create this schema; CocoSearch's own tables live beside it
EMBEDDING_PROVIDERS = ("fastembed", "ollama", "openai", "openrouter")
MAX_POOL_SIZE = 100  # PostgreSQL's own default of max_connections
MAX_WORKERS = 512  # more processes than any machine has cores only cost memory
MAX_DIMENSION = 16_000  # the longest vector that pgvector stores


def _setting(default: object, kind: Kind, about: str, **rule: Any) -> Any:
    """Declare one setting; a secret one stays out of `repr`."""
    metadata = {"rule": Rule(kind, about, nullable=default is None, **rule)}
    show = not rule.get("secret", False)
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata, repr=show)
    return field(default=default, metadata=metadata, repr=show)


@dataclass(frozen=True, slots=True)
class IndexingSettings:
    """What is indexed, and in which pieces."""

    include_patterns: tuple[str, ...] = _setting((), Kind.STRINGS, "Only files that match one of these patterns.")
    exclude_patterns: tuple[str, ...] = _setting((), Kind.STRINGS, "No file that matches one of these patterns.")
    chunk_size: int = _setting(1000, Kind.INTEGER, "Bytes that a chunk aims at.", minimum=1, maximum=MAX_INT32)
    chunk_overlap: int = _setting(
        0, Kind.INTEGER, "Accepted from CocoSearch's files; chunks share no bytes here.", minimum=0
    )
    strategy: str = _setting("treesitter", Kind.STRING, "How files are cut.", choices=("treesitter", "lines"))
    max_file_size_kb: int = _setting(
        2048, Kind.INTEGER, "Larger files are skipped, in KiB.", minimum=1, maximum=MAX_INT32
    )
    max_depth: int | None = _setting(
        None,
        Kind.INTEGER,
        "Folder levels that are looked at; 1 is the root alone.",
        minimum=1,
        maximum=MAX_INT32,
    )
    respect_gitignore: bool = _setting(True, Kind.BOOLEAN, "Leave out what git ignores.")
    submodules: bool = _setting(True, Kind.BOOLEAN, "Index submodules and nested clones too.")
    languages: tuple[str, ...] = _setting((), Kind.STRINGS, "Only files of these languages; empty is all.")
    language_overrides: Mapping[str, str] = _setting(
        {}, Kind.STRING_MAP, "File extension to language, before any other rule.", prefixes=(".",)
    )
    workers: int | None = _setting(
        None, Kind.INTEGER, "Processes that parse; null is by the machine.", minimum=1, maximum=MAX_WORKERS
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How results are chosen and shown."""

    result_limit: int = _setting(10, Kind.INTEGER, "Results of a search.", minimum=1, maximum=MAX_INT32)
    min_score: float = _setting(0.0, Kind.NUMBER, "Results below this score are left out.", minimum=0, maximum=1)
    weights: Mapping[str, float] = _setting({}, Kind.NUMBER_MAP, "Ranking weights by name, over the trained ones.")
    cache: bool = _setting(True, Kind.BOOLEAN, "Keep answers until the index changes.")
    smart_context: bool = _setting(True, Kind.BOOLEAN, "Widen a result to the definition around it.")


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which model turns text into vectors."""

    provider: str = _setting("fastembed", Kind.STRING, "Who embeds.", choices=EMBEDDING_PROVIDERS)
    model: str | None = _setting(None, Kind.STRING, "Model name or folder; null is the bundled one.")
    output_dimension: int | None = _setting(
        None,
        Kind.INTEGER,
        "Length of the vectors; null is the model's own.",
        minimum=1,
        maximum=MAX_DIMENSION,
    )
    base_url: str | None = _setting(
        None,
        Kind.STRING,
        "Address of the endpoint; null is the provider's own.",
        secret=True,
        prefixes=("http://", "https://"),
    )
    api_key: str | None = _setting(None, Kind.STRING, "Key of the endpoint.", secret=True)
    batch_size: int = _setting(8, Kind.INTEGER, "Texts in one model run.", minimum=1, maximum=MAX_INT32)
    threads: int | None = _setting(
        None,
        Kind.INTEGER,
        "Threads of one model run; null is the program's choice.",
        minimum=1,
        maximum=MAX_WORKERS,
    )
    timeout: float = _setting(
        60.0, Kind.NUMBER, "Seconds that an endpoint may take for one answer.", above=0, maximum=MAX_INT32
    )
    cache_dir: str | None = _setting(None, Kind.STRING, "Where models are kept; null is fastembed's own place.")
    offline: bool = _setting(True, Kind.BOOLEAN, "Never download a model.")


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the index is kept."""

    url: str | None = _setting(
        None,
        Kind.STRING,
        "PostgreSQL to use; null is the embedded one.",
        secret=True,
        prefixes=("postgresql://", "postgres://"),
    )
    schema: str = _setting(SCHEMA_NAME, Kind.STRING, "Schema of all tables; fixed.", choices=(SCHEMA_NAME,))
    pool_size: int = _setting(4, Kind.INTEGER, "Connections that one process keeps.", minimum=1, maximum=MAX_POOL_SIZE)
    statement_timeout_ms: int = _setting(
        30_000,
        Kind.INTEGER,
        "Longest reading statement in milliseconds; 0 is no limit.",
        minimum=0,
        maximum=MAX_INT32,
    )


@dataclass(frozen=True, slots=True)
class LoggingSettings:
    """What is logged, and where."""

    file: bool = _setting(False, Kind.BOOLEAN, "Also log to a file in the user's data folder.")
    level: str = _setting(
        "warning",
        Kind.STRING,
        "Least severe message.",
        choices=("debug", "info", "warning", "error", "critical"),
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run, resolved."""

    index_name: str | None = _setting(None, Kind.STRING, "Name of the index; null is by the folder's name.")
    linked_indexes: tuple[str, ...] = _setting((), Kind.STRINGS, "Indexes that are searched together with this one.")
    indexing: IndexingSettings = field(default_factory=IndexingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)


# Sections of CocoSearch or of later releases: their keys are not looked at.
TOLERATED_SECTIONS = ("server", "watch", "audit", "wiki")
IGNORED_SECTIONS = ("controller",)


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
