"""Every setting with its type, default and rule; keys are camelCase in files, snake_case here.

It decides nothing about where a value comes from (`load`) and imports no feature, so defaults that a feature
also has are written here a second time on purpose: the front end hands each feature its options.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cocosearch_py.config.declaring import (
    AUDIT_PARTS,
    class_problem,
    index_name_problem,
    language_problem,
    part_problem,
    setting,
    trust_problem,
    weight_problem,
)
from cocosearch_py.config.rules import MAX_INT32, Kind
from cocosearch_py.config.serving import EditSettings, ServerSettings
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.indexes import STRATEGIES
from cocosearch_py.model.search import MAX_LIMIT

SCHEMA_NAME = "cocosearch_py"  # the migrations create this schema; CocoSearch's own tables live beside it
EMBEDDING_PROVIDERS = ("fastembed", "ollama", "openai", "openrouter")
MAX_POOL_SIZE = 100  # PostgreSQL's own default of max_connections
MAX_WORKERS = 512  # more processes than any machine has cores only cost memory
MAX_DIMENSION = 16_000  # the longest vector that pgvector stores
MIN_TOKENS, MAX_TOKENS = 100, 10_000  # of a chunk; Code Index has the same bounds
MIN_CHUNK_BYTES = 50  # below it there are more rows than lines, and an index is many times as large as its files
MAX_FILE_KB = MAX_INT32 // 1024  # the database keeps positions in a file in 32 bits
MAX_BATCH_TEXTS = 2048  # what OpenAI's interface takes in one request, the largest of all
MAX_TIMEOUT_S = 3600  # beyond 24 days the operating system's own limit is passed
MAX_DEBOUNCE_MS = 60_000
MAX_WEIGHT = 1000  # far beyond it, sums are no longer numbers
TRUST_KEY = "trust.folders"


@dataclass(frozen=True, slots=True)
class IndexingSettings:
    """Choice of files, and their chunking."""

    include_patterns: tuple[str, ...] = setting((), Kind.STRINGS, "Index only files that match one of these patterns.")
    exclude_patterns: tuple[str, ...] = setting((), Kind.STRINGS, "Exclude files that match one of these patterns.")
    chunk_size: int = setting(
        1000, Kind.INTEGER, "Target size of a chunk in bytes.", minimum=MIN_CHUNK_BYTES, maximum=MAX_INT32
    )
    chunk_overlap: int = setting(
        0,
        Kind.INTEGER,
        "Bytes of preceding text, in whole lines, that a chunk's vector also covers; no text is stored twice.",
        minimum=0,
        maximum=MAX_INT32,
    )
    strategy: str = setting(
        "treesitter",
        Kind.STRING,
        "How to split files: at definitions, at lines, or at lines by the embedding model's token count.",
        choices=STRATEGIES,
    )
    token_chunk_size: int = setting(
        500,
        Kind.INTEGER,
        "Maximum tokens per chunk, including the overlap, with the strategy `tokens`.",
        minimum=MIN_TOKENS,
        maximum=MAX_TOKENS,
    )
    token_chunk_overlap: int | None = setting(
        None,
        Kind.INTEGER,
        "Tokens of preceding text that a chunk's vector also covers, with the strategy `tokens`: at most half the "
        "chunk size; null means a fifth.",
        minimum=0,
        maximum=MAX_TOKENS // 2,
    )
    vectors: bool = setting(True, Kind.BOOLEAN, "Compute embeddings. Without them, search uses words alone.")
    symbols: bool = setting(
        True, Kind.BOOLEAN, "Index definitions. Without them there is no graph, and tools that need them say so."
    )
    graph: bool = setting(
        True, Kind.BOOLEAN, "Index imports and references. Without them, tools that need them say so."
    )
    max_files_to_embed: int | None = setting(
        None,
        Kind.INTEGER,
        "Maximum number of files to embed; the files with the most dependents come first. Word search finds all "
        "files. Null means no limit.",
        minimum=1,
        maximum=MAX_INT32,
    )
    tree_sitter_max_file_kb: int | None = setting(
        None,
        Kind.INTEGER,
        "Maximum file size for tree-sitter, in KiB; larger files are split at lines. Null means no limit.",
        minimum=1,
        maximum=MAX_FILE_KB,
    )
    tree_sitter_max_blocks: int | None = setting(
        None,
        Kind.INTEGER,
        "Maximum number of passages per file for tree-sitter; files with more are split at lines. Null means no limit.",
        minimum=1,
        maximum=MAX_INT32,
    )
    max_file_size_kb: int = setting(
        2048, Kind.INTEGER, "Maximum file size in KiB; larger files are skipped.", minimum=1, maximum=MAX_FILE_KB
    )
    max_depth: int | None = setting(
        None,
        Kind.INTEGER,
        "Maximum folder depth; 1 means the root alone.",
        minimum=1,
        maximum=MAX_INT32,
    )
    respect_gitignore: bool = setting(True, Kind.BOOLEAN, "Exclude files that git ignores.")
    submodules: bool = setting(True, Kind.BOOLEAN, "Also index submodules and nested clones.")
    languages: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Index only files in these languages; empty means all.", problem=language_problem
    )
    language_overrides: Mapping[str, str] = setting(
        {},
        Kind.STRING_MAP,
        "Language by file extension; overrides every other rule.",
        prefixes=(".",),
        problem=language_problem,
    )
    content_classes: Mapping[str, str] = setting(
        {},
        Kind.STRING_MAP,
        f"Content class by file pattern; overrides every other rule: {', '.join(ContentClass)}.",
        problem=class_problem,
    )
    workers: int | None = setting(
        None, Kind.INTEGER, "Number of parser processes; null chooses by the machine.", minimum=1, maximum=MAX_WORKERS
    )
    watch: bool = setting(
        False, Kind.BOOLEAN, "Let a server watch the files of the indexes that clients query, like `mcp --watch`."
    )
    watch_debounce_ms: int = setting(
        300,
        Kind.INTEGER,
        "Milliseconds without a change before a watch starts a run.",
        minimum=50,
        maximum=MAX_DEBOUNCE_MS,
    )
    file_timeout: int = setting(
        60,
        Kind.INTEGER,
        "Time limit per file in seconds, plus a third of it per megabyte. A file that takes longer counts as failed.",
        minimum=1,
        maximum=MAX_INT32,
    )
    file_memory_mb: int = setting(
        2048,
        Kind.INTEGER,
        "Memory limit for processing a file, in MiB. A file that needs more counts as failed. Linux only.",
        minimum=512,
        maximum=MAX_INT32,
    )

    @property
    def token_overlap(self) -> int:
        """Tokens that a chunk overlaps with."""
        return self.token_chunk_size // 5 if self.token_chunk_overlap is None else self.token_chunk_overlap


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How results are chosen and shown."""

    result_limit: int = setting(10, Kind.INTEGER, "Maximum number of search results.", minimum=1, maximum=MAX_LIMIT)
    min_score: float = setting(0.0, Kind.NUMBER, "Minimum vector similarity of a result.", minimum=0, maximum=1)
    weights: Mapping[str, float] = setting(
        {},
        Kind.NUMBER_MAP,
        "Ranking weights by name; they override the trained weights.",
        minimum=-MAX_WEIGHT,
        maximum=MAX_WEIGHT,
        problem=weight_problem,
    )
    cache: bool = setting(True, Kind.BOOLEAN, "Cache answers until the index changes.")
    smart_context: bool = setting(True, Kind.BOOLEAN, "Expand each result to the enclosing definition.")
    freshness: str = setting(
        "repair",
        Kind.STRING,
        "How to treat results whose file has changed: index the file again, only report the change, or do nothing.",
        choices=("repair", "check", "off"),
    )


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which model turns text into vectors."""

    provider: str = setting(
        "fastembed",
        Kind.STRING,
        "Provider that computes the embeddings.",
        choices=EMBEDDING_PROVIDERS,
        user_only="it decides to whom the text of your files is sent",
    )
    model: str | None = setting(
        None,
        Kind.STRING,
        "Model name or folder; null means the bundled model.",
        user_only="it decides which files are loaded as a model",
    )
    output_dimension: int | None = setting(
        None,
        Kind.INTEGER,
        "Vector dimension; null means the model's own.",
        minimum=1,
        maximum=MAX_DIMENSION,
    )
    base_url: str | None = setting(
        None,
        Kind.STRING,
        "URL of the endpoint; null means the provider's own.",
        secret=True,
        prefixes=("http://", "https://"),
        user_only="it decides to which server your key and the text of your files are sent",
    )
    api_key: str | None = setting(
        None,
        Kind.STRING,
        "API key of the endpoint.",
        secret=True,
        user_only="it decides whose account pays for your embeddings",
    )
    batch_size: int = setting(8, Kind.INTEGER, "Number of texts per model run.", minimum=1, maximum=MAX_BATCH_TEXTS)
    threads: int | None = setting(
        None,
        Kind.INTEGER,
        "Number of threads per model run; null lets the program choose.",
        minimum=1,
        maximum=MAX_WORKERS,
    )
    timeout: float = setting(
        60.0, Kind.NUMBER, "Time limit for one response of an endpoint, in seconds.", above=0, maximum=MAX_TIMEOUT_S
    )
    cache_dir: str | None = setting(
        None,
        Kind.STRING,
        "Model cache folder; null means fastembed's own.",
        user_only="it decides where models are loaded from",
    )
    offline: bool = setting(
        True, Kind.BOOLEAN, "Never download a model.", user_only="it decides whether models are downloaded"
    )


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the index is kept."""

    url: str | None = setting(
        None,
        Kind.STRING,
        "PostgreSQL database to use; null means the embedded one.",
        secret=True,
        prefixes=("postgresql://", "postgres://"),
        user_only="it decides to which server your password and the text of your files are sent",
    )
    schema: str = setting(SCHEMA_NAME, Kind.STRING, "Schema of all tables; cannot be changed.", choices=(SCHEMA_NAME,))
    pool_size: int = setting(
        4, Kind.INTEGER, "Number of database connections per process.", minimum=1, maximum=MAX_POOL_SIZE
    )
    statement_timeout_ms: int = setting(
        30_000,
        Kind.INTEGER,
        "Time limit for a read query in milliseconds; 0 means no limit.",
        minimum=0,
        maximum=MAX_INT32,
    )


@dataclass(frozen=True, slots=True)
class JobSettings:
    """Runs of indexing."""

    progress_timeout: int = setting(
        300,
        Kind.INTEGER,
        "Seconds without progress after which a run is stopped and counts as failed; 0 means no limit.",
        minimum=0,
        maximum=MAX_INT32,
    )


SEVERITIES = ("low", "medium", "high", "critical")


def _at_least(default: int, about: str) -> Any:
    return setting(default, Kind.INTEGER, about, minimum=1, maximum=MAX_INT32)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Findings and thresholds of an audit; see docs/how-to/audit.md."""

    include: tuple[str, ...] = setting(
        (), Kind.STRINGS, f"Additional checks: {', '.join(AUDIT_PARTS)}.", problem=part_problem
    )
    file_lines: int = _at_least(800, "Number of lines at which a file counts as large.")
    file_lines_high: int = _at_least(1500, "Number of lines at which that is severe.")
    symbol_lines: int = _at_least(120, "Number of lines at which a definition counts as large.")
    symbol_lines_high: int = _at_least(250, "Number of lines at which that is severe.")
    fan_in: int = _at_least(15, "Number of importing files at which a file is reported.")
    fan_in_high: int = _at_least(40, "Number of importing files at which that is severe.")
    fan_out: int = _at_least(20, "Number of imported files at which a file is reported.")
    fan_out_high: int = _at_least(50, "Number of imported files at which that is severe.")
    ignore_generated: bool = setting(True, Kind.BOOLEAN, "Leave out generated and vendored files.")
    ignore_paths: tuple[str, ...] = setting((), Kind.STRINGS, "Patterns of files to skip.")
    ignore_findings: tuple[str, ...] = setting((), Kind.STRINGS, "IDs of findings to ignore.")
    entrypoint_globs: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Patterns of files whose definitions are used from outside the code."
    )
    ignore_symbols: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Patterns of names that count as used; they match with or without the enclosing name."
    )
    fail_on: str | None = setting(
        None, Kind.STRING, "Lowest severity that makes the gate fail; null means never.", choices=SEVERITIES
    )


_OF_LOGS = "it decides what is written to your disk, and how much"


@dataclass(frozen=True, slots=True)
class LoggingSettings:
    """Level and place of the log."""

    file: bool = setting(False, Kind.BOOLEAN, "Also log to a file in the user's data folder.", user_only=_OF_LOGS)
    level: str = setting(
        "warning",
        Kind.STRING,
        "Lowest level to log.",
        choices=("debug", "info", "warning", "error", "critical"),
        user_only=_OF_LOGS,
    )


@dataclass(frozen=True, slots=True)
class CliSettings:
    """Output of commands."""

    output: str = setting(
        "auto",
        Kind.STRING,
        "Output format: text, json or auto (text on a terminal, JSON elsewhere). --pretty and --json override it.",
        choices=("auto", "text", "json"),
        user_only="it decides what your own commands print",
    )


@dataclass(frozen=True, slots=True)
class TrustSettings:
    """Whose files may set what is otherwise left to the user."""

    folders: tuple[str, ...] = setting(
        (),
        Kind.STRINGS,
        "Folders whose configuration files may set everything; a trailing `/*` means every folder below.",
        problem=trust_problem,
        user_only="only you can say which folders you trust",
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run, resolved."""

    index_name: str | None = setting(
        None, Kind.STRING, "Index name; null derives it from the folder's name.", problem=index_name_problem
    )
    linked_indexes: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Other indexes to search together with this one, if they exist."
    )
    indexing: IndexingSettings = field(default_factory=IndexingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    jobs: JobSettings = field(default_factory=JobSettings)
    audit: AuditSettings = field(default_factory=AuditSettings)
    edit: EditSettings = field(default_factory=EditSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)
    cli: CliSettings = field(default_factory=CliSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)


# Sections of CocoSearch or of later releases: their keys are not looked at.
TOLERATED_SECTIONS = ("watch", "wiki")
IGNORED_SECTIONS = ("controller",)
