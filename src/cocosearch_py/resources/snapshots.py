"""The state of everything at one time, and what of it makes a resource another one than before."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from cocosearch_py.catalog.selection import meant
from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.resources.addresses import Address, Kind

_OF_STATE = (Kind.STATUS, Kind.LOG)


@dataclass(frozen=True, slots=True)
class Moment:
    """Indexes that a client may know of, by name, and of each how far its last run is.

    `name_of` gives the name that a name or an id means, `hash_of_file` what an index holds of a path, `mark_of_page`
    how pages of a name are in all wikis: whose a client means, only a call of it tells.
    """

    indexes: Mapping[str, IndexRecord]
    runs: Mapping[str, Hashable]
    name_of: Callable[[str], str]
    hash_of_file: Callable[[str, IndexRecord], Hashable]
    mark_of_page: Callable[[str], Hashable]

    def names(self) -> Hashable:
        """Return a mark that changes with the list of resources."""
        return frozenset(self.indexes)

    def mark(self, address: Address) -> Hashable:
        """Return a mark that changes with the resource at an address; one that cannot be read counts as missing."""
        if address.kind is Kind.SERVER:
            states = frozenset((name, _state(record)) for name, record in self.indexes.items())
            return states, frozenset(self.runs.items())
        if address.kind is Kind.WIKI:
            return self.mark_of_page(address.path)
        record = meant(self.indexes.values(), address.index_name)
        if address.kind in _OF_STATE:
            name = record.name if record is not None else self.name_of(address.index_name)
            return _state(record), self.runs.get(name)
        if record is None or address.kind is not Kind.FILE:
            return _content(record)
        try:
            return self.hash_of_file(address.path, record)
        except CocosearchError:  # it went away meanwhile
            return None


def _content(record: IndexRecord | None) -> tuple[Hashable, ...]:
    return () if record is None else (record.index_id, record.root_path, record.generation)


def _state(record: IndexRecord | None) -> Hashable:
    if record is None:
        return None
    return (*_content(record), record.status, record.file_count, record.pending_file_count, record.updated_at)
