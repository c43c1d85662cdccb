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
    """What is indexed, and in which pieces."""

    include_patterns: tuple[str, ...] = setting((), Kind.STRINGS, "Only files that match one of these patterns.")
    exclude_patterns: tuple[str, ...] = setting((), Kind.STRINGS, "Leave out files that match one of these patterns.")
    chunk_size: int = setting(
        1000, Kind.INTEGER, "Target size of a chunk in bytes.", minimum=MIN_CHUNK_BYTES, maximum=MAX_INT32
    )
    chunk_overlap: int = setting(
        0,
        Kind.INTEGER,
        "Bytes before a chunk, in whole lines, that its vector is also made of; no text is stored twice.",
        minimum=0,
        maximum=MAX_INT32,
    )
    strategy: str = setting(
        "treesitter",
        Kind.STRING,
        "How files are cut: at definitions, at lines, or at lines by the number of the embedding model's tokens.",
        choices=STRATEGIES,
    )
    token_chunk_size: int = setting(
        500,
        Kind.INTEGER,
        "With the strategy tokens: tokens of a chunk at most, those that it overlaps with included.",
        minimum=MIN_TOKENS,
        maximum=MAX_TOKENS,
    )
    token_chunk_overlap: int | None = setting(
        None,
        Kind.INTEGER,
        "With the strategy tokens: tokens before a chunk that its vector is also made of, at most half of the size; "
        "null is a fifth.",
        minimum=0,
        maximum=MAX_TOKENS // 2,
    )
    vectors: bool = setting(True, Kind.BOOLEAN, "Embed what is indexed; without, searches go by words alone.")
    symbols: bool = setting(
        True, Kind.BOOLEAN, "Index definitions. Without them there is no graph either, and tools that need them say so."
    )
    graph: bool = setting(True, Kind.BOOLEAN, "Index imports and references; without, tools that need them say so.")
    max_files_to_embed: int | None = setting(
        None,
        Kind.INTEGER,
        "Files that get vectors at most, those that most others depend on; words find all. Null means no limit.",
        minimum=1,
        maximum=MAX_INT32,
    )
    tree_sitter_max_file_kb: int | None = setting(
        None,
        Kind.INTEGER,
        "Files larger than this are cut by lines; in KiB, null means no limit.",
        minimum=1,
        maximum=MAX_FILE_KB,
    )
    tree_sitter_max_blocks: int | None = setting(
        None,
        Kind.INTEGER,
        "Files that would have more passages than this are cut by lines; null means no limit.",
        minimum=1,
        maximum=MAX_INT32,
    )
    max_file_size_kb: int = setting(
        2048, Kind.INTEGER, "Files larger than this are skipped; in KiB.", minimum=1, maximum=MAX_FILE_KB
    )
    max_depth: int | None = setting(
        None,
        Kind.INTEGER,
        "Folder levels to look at; 1 is the root alone.",
        minimum=1,
        maximum=MAX_INT32,
    )
    respect_gitignore: bool = setting(True, Kind.BOOLEAN, "Leave out what git ignores.")
    submodules: bool = setting(True, Kind.BOOLEAN, "Index submodules and nested clones too.")
    languages: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Only files of these languages; empty is all.", problem=language_problem
    )
    language_overrides: Mapping[str, str] = setting(
        {},
        Kind.STRING_MAP,
        "File extension to language, before any other rule.",
        prefixes=(".",),
        problem=language_problem,
    )
    content_classes: Mapping[str, str] = setting(
        {},
        Kind.STRING_MAP,
        f"Pattern of files to the class of their content, before any other rule: {', '.join(ContentClass)}.",
        problem=class_problem,
    )
    workers: int | None = setting(
        None, Kind.INTEGER, "Processes that parse; null depends on the machine.", minimum=1, maximum=MAX_WORKERS
    )
    watch: bool = setting(
        False, Kind.BOOLEAN, "A server follows the files of the indexes that it is asked about, as `mcp --watch` does."
    )
    watch_debounce_ms: int = setting(
        300,
        Kind.INTEGER,
        "Of a watch: milliseconds without a change before a run.",
        minimum=50,
        maximum=MAX_DEBOUNCE_MS,
    )
    file_timeout: int = setting(
        60,
        Kind.INTEGER,
        "Seconds that a file may take, and a third more for each megabyte; then it counts as failed.",
        minimum=1,
        maximum=MAX_INT32,
    )
    file_memory_mb: int = setting(
        2048,
        Kind.INTEGER,
        "Memory that a process may take for a file, in MiB; then the file counts as failed. Linux only.",
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

    result_limit: int = setting(10, Kind.INTEGER, "Number of results of a search.", minimum=1, maximum=MAX_LIMIT)
    min_score: float = setting(0.0, Kind.NUMBER, "Results below this score are left out.", minimum=0, maximum=1)
    weights: Mapping[str, float] = setting(
        {},
        Kind.NUMBER_MAP,
        "Ranking weights by name; they override the trained ones.",
        minimum=-MAX_WEIGHT,
        maximum=MAX_WEIGHT,
        problem=weight_problem,
    )
    cache: bool = setting(True, Kind.BOOLEAN, "Keep answers until the index changes.")
    smart_context: bool = setting(True, Kind.BOOLEAN, "Widen a result to the definition around it.")
    freshness: str = setting(
        "repair",
        Kind.STRING,
        "What is done when the file of a result has changed: index it again, only check and say so, or nothing.",
        choices=("repair", "check", "off"),
    )


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which model turns text into vectors."""

    provider: str = setting(
        "fastembed",
        Kind.STRING,
        "What computes the embeddings.",
        choices=EMBEDDING_PROVIDERS,
        user_only="it decides to whom the text of your files is sent",
    )
    model: str | None = setting(
        None,
        Kind.STRING,
        "Model name or folder; null is the bundled one.",
        user_only="it decides which files are loaded as a model",
    )
    output_dimension: int | None = setting(
        None,
        Kind.INTEGER,
        "Length of the vectors; null is the model's own.",
        minimum=1,
        maximum=MAX_DIMENSION,
    )
    base_url: str | None = setting(
        None,
        Kind.STRING,
        "Address of the endpoint; null is the provider's own.",
        secret=True,
        prefixes=("http://", "https://"),
        user_only="it decides to which server your key and the text of your files are sent",
    )
    api_key: str | None = setting(
        None,
        Kind.STRING,
        "Key of the endpoint.",
        secret=True,
        user_only="it decides whose account pays for your embeddings",
    )
    batch_size: int = setting(8, Kind.INTEGER, "Texts in one model run.", minimum=1, maximum=MAX_BATCH_TEXTS)
    threads: int | None = setting(
        None,
        Kind.INTEGER,
        "Threads of one model run; null is the program's choice.",
        minimum=1,
        maximum=MAX_WORKERS,
    )
    timeout: float = setting(
        60.0, Kind.NUMBER, "Seconds that an endpoint may take for one answer.", above=0, maximum=MAX_TIMEOUT_S
    )
    cache_dir: str | None = setting(
        None,
        Kind.STRING,
        "Where models are kept; null is fastembed's own place.",
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
        "PostgreSQL to use; null is the embedded one.",
        secret=True,
        prefixes=("postgresql://", "postgres://"),
        user_only="it decides to which server your password and the text of your files are sent",
    )
    schema: str = setting(SCHEMA_NAME, Kind.STRING, "Schema of all tables; fixed.", choices=(SCHEMA_NAME,))
    pool_size: int = setting(
        4, Kind.INTEGER, "Connections that one process keeps open.", minimum=1, maximum=MAX_POOL_SIZE
    )
    statement_timeout_ms: int = setting(
        30_000,
        Kind.INTEGER,
        "Time limit of a reading statement in milliseconds; 0 means no limit.",
        minimum=0,
        maximum=MAX_INT32,
    )


@dataclass(frozen=True, slots=True)
class JobSettings:
    """Runs of indexing."""

    progress_timeout: int = setting(
        300,
        Kind.INTEGER,
        "Seconds without any progress after which a run is ended and counts as failed; 0 means no limit.",
        minimum=0,
        maximum=MAX_INT32,
    )


SEVERITIES = ("low", "medium", "high", "critical")


def _at_least(default: int, about: str) -> Any:
    return setting(default, Kind.INTEGER, about, minimum=1, maximum=MAX_INT32)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What an audit looks for, and from how much on; see docs/how-to/audit.md."""

    include: tuple[str, ...] = setting(
        (), Kind.STRINGS, f"What is looked for besides: {', '.join(AUDIT_PARTS)}.", problem=part_problem
    )
    file_lines: int = _at_least(800, "Lines from which on a file is large.")
    file_lines_high: int = _at_least(1500, "Lines from which on that is severe.")
    symbol_lines: int = _at_least(120, "Lines from which on a definition is large.")
    symbol_lines_high: int = _at_least(250, "Lines from which on that is severe.")
    fan_in: int = _at_least(15, "Files that import a file, from which on it is told.")
    fan_in_high: int = _at_least(40, "Files from which on that is severe.")
    fan_out: int = _at_least(20, "Files that a file imports, from which on it is told.")
    fan_out_high: int = _at_least(50, "Files from which on that is severe.")
    ignore_generated: bool = setting(True, Kind.BOOLEAN, "Leave out generated and vendored files.")
    ignore_paths: tuple[str, ...] = setting((), Kind.STRINGS, "Patterns of files that are not looked at.")
    ignore_findings: tuple[str, ...] = setting((), Kind.STRINGS, "Ids of findings that do not count.")
    entrypoint_globs: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Patterns of files whose definitions something outside of the code uses."
    )
    ignore_symbols: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Patterns of names that count as used, with or without their owners."
    )
    fail_on: str | None = setting(
        None, Kind.STRING, "The gate fails on findings of this severity or more; null is none.", choices=SEVERITIES
    )


_OF_LOGS = "it decides what is written to your disk, and how much"


@dataclass(frozen=True, slots=True)
class LoggingSettings:
    """What is logged, and where."""

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
    """What commands print."""

    output: str = setting(
        "auto",
        Kind.STRING,
        "Form of the output: text, json, or auto, which is text on a terminal and JSON elsewhere. "
        "--pretty and --json override it.",
        choices=("auto", "text", "json"),
        user_only="it decides what your own commands print",
    )


@dataclass(frozen=True, slots=True)
class TrustSettings:
    """Whose files may set what is otherwise left to the user."""

    folders: tuple[str, ...] = setting(
        (),
        Kind.STRINGS,
        "Folders whose configuration files may set everything; `/*` at the end means all folders below.",
        problem=trust_problem,
        user_only="only you can say which folders you trust",
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run, resolved."""

    index_name: str | None = setting(
        None, Kind.STRING, "Name of the index; null derives it from the folder's name.", problem=index_name_problem
    )
    linked_indexes: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Indexes that are searched together with this one, if they exist."
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
