"""Repairs beside the answers that wait for them: one after the other, in a thread of their own.

An answer waits for its budget at most; a repair that takes longer goes on, and the next answer has it.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.errors import BusyError, CocosearchError, DatabaseUnreachableError, as_limit
from cocosearch_py.model.files import DiscoveredFile
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import storable_path

if TYPE_CHECKING:  # brings the parsers, which the first repair loads
    from cocosearch_py.discovery.options import DiscoveryOptions
    from cocosearch_py.indexing.options import IndexingOptions
    from cocosearch_py.indexing.run import Resources
    from cocosearch_py.model.files import Naming

log = logging.getLogger(__name__)

MOST_BYTES = 300_000  # of all files of a repair: as much as is prepared in less than half a second
_LOAD_S = 2.0  # that an answer waits beyond its budget, once: a command has to load what a server has loaded
_REFUSED_S = 60.0  # for which a database or an endpoint that refused is not asked again


def naming_of_new(record: IndexRecord, path: str, options: "IndexingOptions") -> "dict[str, Naming | None] | None":
    """Return the naming of a file that an index lacks, by its path; None if a run would leave it out."""
    from cocosearch_py.discovery.walk import look_up
    from cocosearch_py.indexing.classes import naming_of

    root = Path(record.root_path)
    found = look_up(root, options.discovery, [path]) if storable_path(path) == path else []
    if not found or not isinstance(found[0], DiscoveredFile):
        return None
    return {path: naming_of(root, path, options.content_classes)}


class Repairs:
    """Repairs the indexes of one database; safe for threads. Close it at the end.

    Args:
        resources: those of runs; called by another thread.
    """

    def __init__(self, resources: "Callable[[], Resources]") -> None:
        self._resources = resources
        self._kept: Resources | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="repair")
        self._loaded = self._thread.submit(self._load)
        self._languages: set[str] = set()  # whose parsers are loaded or will be
        self._refused: dict[str, tuple[float, str]] = {}  # until when and why, by name of the index

    def expect(self, languages: Iterable[str]) -> None:
        """Load what repairs of files in these languages need, beside whatever else is done."""
        new = {*languages} - self._languages
        if new:
            self._languages |= new
            self._thread.submit(self._load_parsers, sorted(new))

    def repair(
        self,
        record: IndexRecord,
        paths: Sequence[str],
        rules: "DiscoveryOptions",
        *,
        budget_s: float,
        new: "Mapping[str, Naming | None] | None" = None,
    ) -> str | None:
        """Bring files of an index up to date within the budget; why it was not done, in words, or None.

        Args:
            rules: which files of the folder a run would read.
            new: of these, files that the index may lack; see `repair.repair`.
        """
        until, why = self._refused.get(record.name, (0.0, ""))
        if time.monotonic() < until:
            return why
        if (reason := _unfit(record.root_path, paths, rules.max_file_size_bytes)) is not None:
            return reason
        done = self._thread.submit(self._repair, record, paths, rules, new or {})
        wait([self._loaded], _LOAD_S)
        if not wait([done], budget_s).done:
            return "updating takes too long for this answer; the next one will include them"
        return done.result()

    def close(self) -> None:
        """Wait for what is being repaired; nothing else is begun."""
        self._thread.shutdown(cancel_futures=True)

    def _load(self) -> None:
        """Load parsers and model, which takes longer than most repairs. Raises CocosearchError."""
        import cocosearch_py.indexing.repair  # noqa: F401
        from cocosearch_py.indexing.words import WordTable

        resources = self._resources()
        if not resources.embed_here:
            resources.embedder.embed_documents([""])
        self._kept = replace(resources, words=WordTable(None if resources.embed_here else resources.embedder))

    def _load_parsers(self, languages: Sequence[str]) -> None:
        from cocosearch_py.parsing.source import parse_source

        for language in languages:
            parse_source(language, b"\n")

    def _repair(
        self,
        record: IndexRecord,
        paths: Sequence[str],
        rules: "DiscoveryOptions",
        new: "Mapping[str, Naming | None]",
    ) -> str | None:
        from cocosearch_py.indexing.repair import repair

        try:
            if self._kept is None:
                self._load()
            repair(record, paths, self._kept or self._resources(), rules, new)
        except BusyError:
            return "another run is writing the index"
        except DatabaseUnreachableError as error:  # somebody may have stopped it, and the next answer starts it
            return error.message
        except CocosearchError as error:
            self._refused[record.name] = (time.monotonic() + _REFUSED_S, error.message)
            return error.message
        except Exception as error:  # the edge of this thread: the answer is given all the same
            log.exception("files of index '%s' were not updated", record.name)
            limit = as_limit(error)
            return limit.message if limit else "internal error: see the log"
        return None


def _unfit(root: str, paths: Sequence[str], max_file_bytes: int) -> str | None:
    """Why an answer does not begin to repair these files."""
    size_bytes = 0
    for path in paths:
        with suppress(OSError, ValueError):
            size = os.lstat(os.path.join(root, path)).st_size
            size_bytes += size if size <= max_file_bytes else 0  # a larger one is not read
    if size_bytes > MOST_BYTES:
        return "too much has changed to read it for this answer"
    try:
        owner = os.stat(root).st_uid
    except OSError as error:
        return f"the folder cannot be read: {error.strerror}"
    return None if os.name == "nt" or os.geteuid() in (0, owner) else "the folder belongs to another user"
