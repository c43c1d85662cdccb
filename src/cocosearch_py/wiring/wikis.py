"""Finds pages of wikis: by hidden indexes, which ordinary runs make and ordinary searches read (docs/adr/0017)."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cocosearch_py.catalog.service import Catalog
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.errors import BusyError, IndexNotFoundError
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.model.indexes import FORMAT_VERSION
from cocosearch_py.search.service import SearchService
from cocosearch_py.storage.server.database import Database
from cocosearch_py.wiki.search import WEIGHTS, Engine, WikiSearch

Run = Callable[[Path, str, IndexingOptions], object]  # indexes a folder under a name
# The user's settings do not count for a folder of ours.
_OPTIONS = IndexingOptions(
    content=ContentOptions(graph=False),
    discovery=DiscoveryOptions(respect_gitignore=False),
    confirmed=True,
    hidden=True,
)


def wiki_search(database: Database, catalog: Catalog, searches: SearchService, run: Run, folder: Path) -> WikiSearch:
    """Join what searches wikis to what indexes and searches folders.

    Args:
        searches: those of code; the model and what is known of it are shared.
        folder: where pages lie as files.
    """
    searches = replace(searches, weights=WEIGHTS)

    def drop(name: str) -> None:
        """Remove an index if it is there and nobody reads it; else it stays until somebody removes it by name."""
        with suppress(IndexNotFoundError, BusyError):
            catalog.clear(name)

    engine = Engine(
        lambda mirror, name: run(mirror, name, _OPTIONS),
        lambda request, name: searches.search(request, name)[1],
        drop,
        lambda: {"format": FORMAT_VERSION, "model": searches.embedder().name},
    )
    return WikiSearch(database, folder, engine)
