"""Composition root: joins the features to one object that every front end calls.

Nothing is opened before it is used: listing indexes loads no model, `--help` starts no server.
"""

import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from cocosearch_py.config.settings import Settings
from cocosearch_py.discovery.git import repository_state
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.embedding.models import DEFAULT_MODEL, open_embedder
from cocosearch_py.embedding.options import THREADS, EmbeddingOptions
from cocosearch_py.errors import IndexNotFoundError, SchemaOutdatedError, ValidationError
from cocosearch_py.evaluation.history import read_history
from cocosearch_py.evaluation.run import CASES_PER_SOURCE, Evaluation, evaluate, mine
from cocosearch_py.indexes import lifecycle, stats
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.indexing.progress import Progress, ProgressSink, RunReport
from cocosearch_py.languages.table import resolve_language
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import SearchReport, SearchRequest
from cocosearch_py.search.cache import AnswerCache
from cocosearch_py.search.explain import explain_path
from cocosearch_py.search.pipeline import find_candidates, rank_findings, run_search
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.storage import indexes as index_rows
from cocosearch_py.storage import migrate
from cocosearch_py.storage.facts import read_definitions, read_languages, store_weights
from cocosearch_py.storage.indexes import IndexRecord
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.database import Database, DatabaseOptions, psql_environment, translated

if TYPE_CHECKING:  # indexing brings the parsers, which a search does not need
    import psycopg

    from cocosearch_py.evaluation.tuning import Tuning
    from cocosearch_py.indexing.pipeline import Tools


BESIDE_MIN_CHUNKS = 3_000  # the exact scan of these takes a millisecond


def _no_progress(_: Progress) -> None: ...


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What `doctor` tells of a database that answers; versions are as the server writes them."""

    place: str
    server_version: str
    pgvector_version: str | None
    pgvector_fits: bool
    revision: str | None
    newest_revision: str


class App:
    """The product's operations. Close it, or use it as a context manager.

    Args:
        settings: resolved settings.
        data_folder: where the embedded server keeps its data.
        global_ignore_file: git's user-wide ignore file.
    """

    def __init__(self, settings: Settings, data_folder: Path, global_ignore_file: Path | None = None) -> None:
        self.settings = settings
        self._base: App | None = None  # the app whose model and workers this one uses
        self._cache = AnswerCache()
        self._global_ignore_file = global_ignore_file
        self.database = Database(
            DatabaseOptions(
                data_folder,
                settings.database.url,
                settings.database.pool_size,
                settings.database.statement_timeout_ms,
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def under(self, settings: Settings) -> "App":
        """The same operations under another folder's settings; database, model, workers and cache are this app's.

        What the settings say of the database and the model does not count; only this app needs closing.
        """
        other = copy(self)
        for name in ("embedder", "_tools"):
            other.__dict__.pop(name, None)
        other.settings = replace(settings, database=self.settings.database, embedding=self.settings.embedding)
        other._base = self._base or self
        return other

    def close(self) -> None:
        """End worker processes and connections; the embedded server stays for others until it is idle."""
        if "_tools" in self.__dict__:
            self._tools.pool.close()
            del self.__dict__["_tools"]
        self.database.close()

    def stop_server(self) -> bool:
        """Stop the embedded server now; False when it does not run or an external one is used."""
        self.close()
        return self.database.server is not None and embedded.stop(self.database.server)

    @cached_property
    def embedder(self) -> Embedder:
        return self._base.embedder if self._base is not None else open_embedder(self._embedding)

    @property
    def has_bundled_model(self) -> bool:
        """Whether all processes share the model through the page cache; any other one is loaded once, here."""
        return self._embedding.provider == "fastembed" and self._embedding.model in {None, DEFAULT_MODEL}

    def index(
        self,
        folder: Path,
        *,
        name: str | None = None,
        options: IndexingOptions | None = None,
        progress: ProgressSink = _no_progress,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> RunReport:
        """Bring the index of a folder up to date; see `indexing.pipeline.run_indexing` for the errors.

        Without a name: the configured one, else the one this folder already has, else the folder's.
        """
        from cocosearch_py.indexing.pipeline import Watch, run_indexing

        chosen = name or self.settings.index_name or self._known_name(folder) or lifecycle.name_from_folder(folder)
        return run_indexing(folder, chosen, options or self.indexing_options(), self._tools, Watch(progress, cancelled))

    def indexing_options(self, *, fresh: bool = False) -> IndexingOptions:
        """Options of a run as the settings have them."""
        chosen = self.settings.indexing
        return IndexingOptions(
            content=ContentOptions(
                chunk_bytes=chosen.chunk_size,
                strategy=chosen.strategy,
                languages=tuple(resolve_language(language) for language in chosen.languages),
                language_overrides={
                    extension: resolve_language(language) for extension, language in chosen.language_overrides.items()
                },
            ),
            discovery=DiscoveryOptions(
                include=chosen.include_patterns,
                exclude=chosen.exclude_patterns,
                respect_gitignore=chosen.respect_gitignore,
                max_file_size_bytes=chosen.max_file_size_kb * 1024,
                max_depth=chosen.max_depth,
                submodules=chosen.submodules,
                global_ignore_file=self._global_ignore_file,
            ),
            fresh=fresh,
            workers=chosen.workers,
        )

    def search(
        self,
        request: SearchRequest,
        *,
        index_name: str | None = None,
        folder: Path | None = None,
        use_cache: bool = False,
    ) -> tuple[IndexRecord, SearchReport]:
        """Search one index: the named one, else the one of the folder.

        With `use_cache` the report may be that of an equal request since the index last changed.

        Raises:
            IndexNotFoundError, ValidationError.
        """
        try:
            return self._search(request, index_name, folder, use_cache=use_cache)
        except SchemaOutdatedError:
            with self.database.reading() as conn:
                self._resolve(conn, index_name, folder)  # raises when the index was deleted meanwhile
            raise

    def _search(
        self, request: SearchRequest, index_name: str | None, folder: Path | None, *, use_cache: bool
    ) -> tuple[IndexRecord, SearchReport]:
        with self.database.reading() as conn:
            record = self._searchable(conn, index_name, folder)
            key = self._cache.key(record.index_id, record.generation, record.weights, request)
            if use_cache and (known := self._cache.get(key)) is not None:
                return record, known
            # A second connection pays only where the vector scan takes longer than the hand-over.
            beside = self.database.beside if record.chunk_count >= BESIDE_MIN_CHUNKS else None
            report = run_search(request, record, conn, self.embedder, beside)
        if use_cache:
            self._cache.put(key, report)
        return record, report

    def evaluate(
        self, *, index_name: str | None = None, folder: Path | None = None, most: int = CASES_PER_SOURCE
    ) -> tuple[IndexRecord, Evaluation]:
        """Measure the search of one index on at most `most` questions of each source, mined from the folder itself.

        Raises:
            IndexNotFoundError.
        """
        with self.database.reading() as conn:
            record = self._searchable(conn, index_name, folder)
            weights = {**DEFAULT_WEIGHTS, **(record.weights or {})}
            definitions = read_definitions(conn, record.table_name)
            languages = read_languages(conn, record.table_name)
            cases = mine(read_history(Path(record.root_path)), definitions, languages, most)

            def find(query: str) -> list[tuple[str, dict[str, float]]]:
                findings = find_candidates(SearchRequest(query), record, conn, self.embedder)
                return [(file.path, file.features) for file in rank_findings(findings, weights)]

            return record, evaluate(cases, find)

    def tune(self, record: IndexRecord, evaluation: Evaluation) -> "Tuning":
        """Search better weights for an index on the questions of its evaluation; keep them if they help others too."""
        from cocosearch_py.evaluation.tuning import tune  # brings numpy, a tenth of a second

        present = {name: {**DEFAULT_WEIGHTS, **(record.weights or {})}[name] for name in DEFAULT_WEIGHTS}
        tuning = tune(evaluation.outcomes, present)
        if tuning.weights is not None:
            with self.database.writing() as conn:
                store_weights(conn, record.index_id, {**tuning.weights, "tuned_at": time.time(), "gain": tuning.gain})
        return tuning

    def explain_path(self, record: IndexRecord, report: SearchReport, path: str) -> dict[str, object]:
        """Why a file is, or is not, among the answers of a search; see `search.explain`."""
        with self.database.reading() as conn:
            return explain_path(conn, record, report, path)

    def branch_drift(self, record: IndexRecord) -> str | None:
        """How the checkout moved since an index was made, in words; None when it did not, or without git."""
        if record.git_commit is None or (state := repository_state(Path(record.root_path))) is None:
            return None
        if (state.branch, state.commit) == (record.git_branch, record.git_commit):
            return None
        then = f"{record.git_branch or 'a detached commit'} at {record.git_commit[:12]}"
        now = f"{state.branch or 'a detached commit'} at {(state.commit or 'no commit')[:12]}"
        return f"the index was made on {then}, the checkout is on {now}"

    def find_index(self, name: str) -> IndexRecord:
        """Index by name; raises IndexNotFoundError with the nearest names."""
        with self.database.reading() as conn:
            return lifecycle.find(conn, name)

    def list_indexes(self) -> list[IndexRecord]:
        """All indexes by name."""
        with self.database.reading() as conn:
            return index_rows.list_all(conn)

    def stats(
        self,
        *,
        index_name: str | None = None,
        folder: Path | None = None,
        failures: bool = False,
        skipped: bool = False,
        stale_days: int = stats.STALE_DAYS,
    ) -> stats.IndexStats:
        """Figures of one index: the named one, else the one of the folder."""
        with self.database.reading() as conn:
            record = self._resolve(conn, index_name, folder)
            return stats.collect(conn, record, failures=failures, skipped=skipped, stale_days=stale_days)

    def clear(self, name: str) -> IndexRecord:
        """Delete one index for good."""
        with self.database.writing() as conn:
            return lifecycle.clear(conn, name)

    def database_facts(self) -> DatabaseFacts:
        """Versions of server, pgvector and schema. Starts the embedded server; makes no schema in an external one."""
        import psycopg

        if self.database.server:
            self.database.start()
        with translated(self.database.description), psycopg.connect(self.database.dsn, connect_timeout=10) as conn:
            row = conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
            found = str(row[0]) if row else None
            return DatabaseFacts(
                place=self.database.description,
                server_version=(conn.info.parameter_status("server_version") or "").split(" ")[0],
                pgvector_version=found,
                pgvector_fits=found is not None and _numbers(found) >= migrate.OLDEST_PGVECTOR,
                revision=migrate.current_revision(conn),
                newest_revision=migrate.HEAD_REVISION,
            )

    def upgrade_schema(self, revision: str = "head") -> str | None:
        """Bring the schema forward; returns the revision it then has. Raises ValidationError for an unknown one."""
        return self._migrate(migrate.upgrade, revision)

    def downgrade_schema(self, revision: str) -> str | None:
        """Take the schema back; `base` removes all of it. Raises ValidationError for an unknown revision."""
        return self._migrate(migrate.downgrade, revision)

    def psql(self) -> tuple[str, dict[str, str]]:
        """Program and libpq environment of a shell on the database, which is made to run."""
        self.database.start()
        program = str(embedded.executable("psql")) if self.database.server else "psql"
        return program, psql_environment(self.database.dsn)

    def _migrate(self, run: Callable[[str, str], None], revision: str) -> str | None:
        import psycopg
        from alembic.util import CommandError

        with translated(self.database.description):
            if self.database.server:
                embedded.ensure_running(self.database.server)
            try:
                run(self.database.dsn, revision)
            except CommandError as error:
                raise ValidationError(
                    f"the schema cannot go to revision '{revision}': {error}",
                    hint=f"the newest is {migrate.HEAD_REVISION}, `base` is before the first",
                ) from error
            with psycopg.connect(self.database.dsn) as conn:
                return migrate.current_revision(conn)

    def _searchable(self, conn: "psycopg.Connection", name: str | None, folder: Path | None) -> IndexRecord:
        """The index with the weights of the settings; raises IndexNotFoundError when another model made it."""
        record = self._resolve(conn, name, folder)
        if record.embedding_model != self.embedder.name:
            raise IndexNotFoundError(
                f"index '{record.name}' was made with model {record.embedding_model}, not {self.embedder.name}",
                hint=f"run `cocosearch-py index {record.root_path}` to embed it again, or set the old model",
            )
        if self.settings.search.weights:
            record = replace(record, weights={**(record.weights or {}), **self.settings.search.weights})
        return record

    def _resolve(self, conn: "psycopg.Connection", name: str | None, folder: Path | None) -> IndexRecord:
        chosen = name or self.settings.index_name
        if chosen:
            return lifecycle.find(conn, chosen)
        return lifecycle.find_for_folder(conn, folder or Path.cwd())

    def _known_name(self, folder: Path) -> str | None:
        with self.database.reading() as conn:
            found = index_rows.find_by_root(conn, str(folder.resolve()))
        return found[0].name if found else None

    @property
    def _embedding(self) -> EmbeddingOptions:
        chosen = self.settings.embedding
        return EmbeddingOptions(
            provider=chosen.provider,
            model=chosen.model,
            base_url=chosen.base_url,
            api_key=chosen.api_key,
            output_dimension=chosen.output_dimension,
            batch_size=chosen.batch_size,
            threads=chosen.threads or THREADS,
            timeout_s=chosen.timeout,
            cache_dir=chosen.cache_dir,
            offline=chosen.offline,
        )

    @cached_property
    def _tools(self) -> "Tools":
        if self._base is not None:
            return self._base._tools
        from cocosearch_py.indexing.pipeline import Tools
        from cocosearch_py.indexing.pool import WorkerPool

        pool = WorkerPool(self.settings.indexing.workers, self._embedding if self.has_bundled_model else None)
        return Tools(self.database, pool, self.embedder, embed_here=not self.has_bundled_model)
