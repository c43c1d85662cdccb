"""Names of indexes, for completion."""

from collections.abc import Mapping

from cocosearch_py.config.paths import data_folder
from cocosearch_py.storage.server.index_names import index_names
from cocosearch_py.storage.server.location import locate


def names(environ: Mapping[str, str]) -> list[str]:
    """Return the names in the embedded database; none if its server does not run."""
    return index_names(locate(data_folder(environ)))
