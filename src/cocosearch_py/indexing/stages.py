"""The stages of a run that has something to do, in their order: contents, what needs all files, the end."""

from cocosearch_py.errors import WorkspaceError
from cocosearch_py.indexing.finish import finish, finish_unchanged, keep_old
from cocosearch_py.indexing.memory import trim
from cocosearch_py.indexing.progress import FINALIZE, GRAPH
from cocosearch_py.indexing.resolve import resolve
from cocosearch_py.indexing.reuse import reuse
from cocosearch_py.indexing.run import Run
from cocosearch_py.indexing.skipped import write_unread


def execute(run: Run) -> None:
    """Take all stages.

    Raises:
        WorkspaceError: the folder went away meanwhile.
        CocosearchError: embedder or workers gave up before anything was done.
    """
    run.writer.begin()
    write_unread(run)
    reuse(run)
    if run.left:
        from cocosearch_py.indexing.content import write_contents  # brings all parsers

        write_contents(run)
    else:
        run.writer.flush()
    if run.options.revision is None and (run.root.is_symlink() or not run.root.is_dir()):
        raise WorkspaceError(
            f"the folder {run.root} disappeared during indexing",
            hint="the index is unchanged; index the folder again",
        )
    if run.keeps_old:
        keep_old(run)
        return
    run.tell(GRAPH)
    if not (run.changed or run.writer.building):
        finish_unchanged(run)
        return
    resolve(run)
    if run.options.content.max_files_to_embed is not None:
        from cocosearch_py.indexing.embedding import embed_central

        embed_central(run)
    run.tell(FINALIZE)
    if run.is_large:
        trim()  # the server is to build its search indexes
    finish(run)
