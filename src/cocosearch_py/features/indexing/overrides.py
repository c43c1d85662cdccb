"""Settings of one call for its run: Code Index's overrides, a profile, features, languages. Pure.

They become values of settings by dotted key, and are checked like these.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cocosearch_py.config.names import nearest
from cocosearch_py.config.rules import Kind, Rule, WrongValueError, check
from cocosearch_py.config.settings import MAX_DIMENSION, MAX_TOKENS, MIN_TOKENS
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.model.indexes import STRATEGIES

_KIB = 1024
_MAX_FILE_BYTES = 100 * _KIB * _KIB
_MAX_BATCH, _MAX_TIMEOUT_S, _MAX_BLOCKS = 1000, 3600, 1_000_000
_OF_SEARCHES = "it applies to searches, not to index runs"

# Code Index's own example of a quick run: by lines, many texts at once, no large files.
PROFILES: Mapping[str, Mapping[str, object]] = {
    "fast": {
        "indexing.strategy": "lines",
        "embedding.batchSize": 100,
        "indexing.maxFileSizeKb": 512,
        "embedding.timeout": 60.0,
    },
}
FEATURES: Mapping[str, str] = {"vector": "indexing.vectors", "symbol": "indexing.symbols", "graph": "indexing.graph"}


class _Field(NamedTuple):
    """A setting that may be overridden; without a `setting` it has no effect, which `why` explains."""

    rule: Rule
    setting: str = ""
    why: str = ""


def _number(about: str, minimum: int, maximum: int, setting: str = "") -> _Field:
    return _Field(Rule(Kind.INTEGER, about, minimum=minimum, maximum=maximum), setting)


_FIELDS: Mapping[str, _Field] = {
    "embedding_length": _number("length of the vectors, as the model has it", 1, MAX_DIMENSION),
    "chunking_strategy": _Field(Rule(Kind.STRING, "how files are cut", choices=STRATEGIES), "indexing.strategy"),
    "use_tree_sitter": _Field(Rule(Kind.BOOLEAN, "cut by syntax, whatever the strategy")),
    "batch_segment_threshold": _number("texts in one model run", 1, _MAX_BATCH, "embedding.batchSize"),
    "embed_timeout_seconds": _number("seconds for one answer of a model", 1, _MAX_TIMEOUT_S, "embedding.timeout"),
    "max_file_size_bytes": _number("larger files are skipped", _KIB, _MAX_FILE_BYTES, "indexing.maxFileSizeKb"),
    "tree_sitter_max_file_size_bytes": _number(
        "larger files are cut by lines", _KIB, _MAX_FILE_BYTES, "indexing.treeSitterMaxFileKb"
    ),
    "tree_sitter_max_blocks_per_file": _number(
        "files with more passages are cut by lines", 1, _MAX_BLOCKS, "indexing.treeSitterMaxBlocks"
    ),
    "tree_sitter_skip_test_files": _Field(
        Rule(Kind.BOOLEAN, "tests"), why="tests are indexed like other code, and ranked below it"
    ),
    "token_chunk_size": _number("tokens of a chunk", MIN_TOKENS, MAX_TOKENS, "indexing.tokenChunkSize"),
    "token_chunk_overlap": _number("tokens of overlap", 0, MAX_TOKENS // 2, "indexing.tokenChunkOverlap"),
    "extensions": _Field(Rule(Kind.STRINGS, "only files with these endings", prefixes=(".",))),
    "exclude_files_path": _Field(Rule(Kind.STRING, "a file of patterns to leave out")),
    "auto_extensions": _Field(Rule(Kind.BOOLEAN, "find out languages"), why="languages are always detected"),
    "timeout_log_path": _Field(
        Rule(Kind.STRING, "a file"), why="no file is written; timeout_files and index_status name them"
    ),
    "search_min_score": _Field(Rule(Kind.NUMBER, "least score", minimum=0, maximum=1), why=_OF_SEARCHES),
    "search_max_results": _Field(Rule(Kind.INTEGER, "results", minimum=1, maximum=_MAX_BATCH), why=_OF_SEARCHES),
    "search_file_type_weights": _Field(
        Rule(Kind.NUMBER_MAP, "weights", minimum=0, maximum=_MAX_BATCH), why=_OF_SEARCHES
    ),
    "search_path_boosts": _Field(Rule(Kind.STRINGS, "boosts"), why=_OF_SEARCHES),
}


@dataclass(frozen=True, slots=True)
class Overridden:
    """Settings that a call changes.

    `settings` are by dotted key. Only files that match `include` count, if it has patterns. `exclude_file` has patterns
    of files to leave out, one a line. `embedding_length` is the length that the vectors must have. `warnings` name
    overrides without effect.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude_file: str | None = None
    embedding_length: int | None = None
    warnings: tuple[str, ...] = ()


def read_overrides(given: Mapping[str, Any]) -> Overridden:
    """Return the settings that overrides mean.

    Raises:
        ConfigurationError: unknown name, or a value out of its range; both are named.
    """
    values = {name: _checked(name, value) for name, value in given.items() if value is not None}
    settings = {setting: _in_unit(name, value) for name, value in values.items() if (setting := _FIELDS[name].setting)}
    if values.get("use_tree_sitter"):
        settings["indexing.strategy"] = "treesitter"
    length: Any = values.get("embedding_length")
    endings: Any = values.get("extensions", ())
    told = tuple(f"overrides.{name} has no effect: {_FIELDS[name].why}" for name in values if _FIELDS[name].why)
    listed: Any = values.get("exclude_files_path")
    return Overridden(settings, tuple(f"*{ending}" for ending in endings), listed, length, told)


def _checked(name: str, value: object) -> object:
    if name not in _FIELDS:
        near = nearest(name, _FIELDS)
        suggestion = f"did you mean '{near}'? " if near else ""
        raise ConfigurationError(
            f"unknown override '{name[:60]}'",
            hint=f"{suggestion}known: {', '.join(_FIELDS)}",
            details={"field": name[:60], "suggested_values": list(_FIELDS)},
        )
    if name == "search_path_boosts" and isinstance(value, list):
        return value
    try:
        return check(_FIELDS[name].rule, value)
    except WrongValueError as error:
        raise ConfigurationError(
            f"overrides.{name}: {error}", hint="correct the override", details={"field": name}
        ) from None


def _in_unit(name: str, value: Any) -> object:
    """Sizes in KiB, up to the next; seconds as they are."""
    if name.endswith("file_size_bytes"):
        return -(-value // _KIB)
    return float(value) if name == "embed_timeout_seconds" else value


def read_profile(name: str | None) -> Mapping[str, object]:
    """Return the settings of a profile. Raises ConfigurationError."""
    if name is None:
        return {}
    if name not in PROFILES:
        raise ConfigurationError(f"unknown profile '{name[:60]}'", hint=f"known: {', '.join(PROFILES)}")
    return PROFILES[name]


def read_features(given: Mapping[str, bool] | None) -> Mapping[str, object]:
    """Return the settings of the named features; without symbols there is no graph.

    Raises:
        ConfigurationError: unknown feature, or a graph without symbols.
    """
    if not given:
        return {}
    for name, value in given.items():
        if name not in FEATURES:
            raise ConfigurationError(f"unknown feature '{name[:60]}'", hint=f"known: {', '.join(FEATURES)}")
        if not isinstance(value, bool):
            raise ConfigurationError(f"features.{name}: expected true or false", hint="correct the feature")
    settings: dict[str, object] = {FEATURES[name]: value for name, value in given.items()}
    if given.get("symbol") is False:
        if given.get("graph"):
            raise ConfigurationError(
                "features.graph needs features.symbol: the graph links uses to definitions",
                hint="turn on both, or leave out graph",
            )
        settings[FEATURES["graph"]] = False
    return settings
