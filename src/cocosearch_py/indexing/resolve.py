"""The stage that needs all files: it runs once their rows are written, before the index is put in place."""

from cocosearch_py.indexing.run import Run
from cocosearch_py.storage.lexemes import position
from cocosearch_py.storage.write.rows import lexeme_row


def resolve(run: Run) -> None:
    """Write what only all files together tell: in how many chunks each term is."""
    changes = run.writer.document_frequencies()
    rows = [lexeme_row(run.writer.index_id, term, position(term), df) for term, df in changes.items()]
    run.writer.write_vocabulary(rows)
