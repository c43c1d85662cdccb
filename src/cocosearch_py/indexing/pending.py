"""How far the folder of an index has moved on since its last run, by names, sizes and times; reads no content."""

from pathlib import Path

from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.plan import make_plan
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write.writer import load_ledger

MOST_FILES = 20_000  # of an index; whoever asks how it is should not wait for a larger folder to be walked


def count_pending(record: IndexRecord, options: IndexingOptions, database: Database) -> int:
    """How many files the next run would look at: new ones, changed ones, and those that are gone.

    One that was only touched counts, too.

    Raises:
        WorkspaceError: the folder is not there.
    """
    root = Path(record.root_path)
    origin = open_origin(root, record.commit)
    found = origin.walk(options.discovery)
    stored = database.read(lambda conn: load_ledger(conn, record.index_id))
    classes = Classifier(root, [one.path for one in found], options.content_classes, origin.attributes)
    plan = make_plan(found, stored, classes.name, record.read_ns)
    return len(plan.to_read) + len(plan.gone) + len(plan.ledger_only)
