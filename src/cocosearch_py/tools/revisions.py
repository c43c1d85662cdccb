"""Which commit the name of a revision means, and which index holds it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.catalog.freshness import incompleteness
from cocosearch_py.catalog.selection import project_root
from cocosearch_py.discovery.repository import find_repository
from cocosearch_py.discovery.revisions import changed_paths, commit_of, is_revision_name, is_shallow
from cocosearch_py.errors import NotFoundError, NotIndexedError, ValidationError
from cocosearch_py.model.indexes import IndexRecord, Revision, base_name, name_at
from cocosearch_py.model.paths import storable_path
from cocosearch_py.tools.call import Call, Found

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.jobs.registry import JobStatus

HEAD = ("HEAD", "@")  # names of what is checked out
WAIT_S = 20.0  # that an answer waits for an index which takes little
# A commit takes little if so much of its source must be read and embedded, and so much of it be copied besides: a few
# seconds on two cores (`benchmarks run revisions`).
CHEAP_BYTES, CHEAP_TREE_BYTES = 1_000_000, 10_000_000
_MOST_COMPARED = 5  # indexes of the folder that a commit is compared with
_SHOWN_CHARS = 12  # of a commit


def changed_since(record: IndexRecord, ref: str) -> list[str]:
    """Paths of the files that differ from a commit, also removed ones; errors as of `commit_meant`.

    Those on disk are compared with it, or those of the commit that the index is of.
    """
    folder = Path(record.root_path)
    changed = changed_paths(folder, commit_meant(folder, ref), record.commit)
    return [one.path for one in changed or ()]


def commit_meant(folder: Path, ref: str) -> str:
    """Full name of the commit; raises ValidationError for what is no name, NotFoundError where git knows none."""
    if not is_revision_name(ref):
        raise ValidationError(f"'{ref[:60]}' is not a valid revision", hint="pass a branch, a tag or a commit")
    if (commit := commit_of(folder, ref)) is None:
        raise NotFoundError(f"git has no commit '{ref[:60]}' in {folder.resolve()}", hint=_unknown_hint(folder))
    return commit


def _unknown_hint(folder: Path) -> str:
    if is_shallow(folder):
        return "the clone is shallow and lacks older commits: fetch them with `git fetch --unshallow`"
    return "nothing is fetched from remotes: `git branch -a` there lists the branches"


def commit_known(folder: Path, commit: str) -> bool:
    """Whether git has a commit, given by its full name."""
    return commit_of(folder, commit) is not None


def revision_meant(folder: Path, ref: str | None) -> Revision | None:
    """The commit that a call is about; None for the folder as it is on disk, which HEAD means where files are.

    Raises as `commit_meant`.
    """
    if not ref:
        return None
    # A bare repository has commits and no files, a folder without git the reverse.
    if ref in HEAD and (find_repository(folder) is not None or commit_of(folder, ref) is None):
        return None
    return Revision(ref, commit_meant(folder, ref))


def found_at(call: Call, rev: str | None, *, only_cheap: bool = False) -> Found:
    """The indexes that a call is about: with a revision, those of that commit.

    An index of the commit is made if there is none: now if that takes little (CHEAP_BYTES), else by a job. A place's
    linked indexes are of other repositories and left out. With `only_cheap` no job is begun that takes longer.

    Raises:
        ValidationError, NotFoundError: there is no such revision.
        NotIndexedError: a job makes the index, and is named in `details`; or the caller may not have it made.
        IndexNotFoundError, IndexCollisionError: as of `Call.find`.
    """
    if not rev:
        return call.find()
    place = call.selection.place
    try:
        found = call.find()
    except NotIndexedError:
        without = _of_folder_without(call, place.folders[0], rev, only_cheap=only_cheap) if place else None
        if without is None:
            raise
        return without
    known = call.visible(found.app)
    records, remarks = [], []
    for record in found.records if place is None else found.records[:1]:
        if record.is_detached:
            raise NotFoundError(
                f"index '{record.name}' was imported without its folder, so other revisions are unknown",
                hint="leave out rev, or import it again with the folder of its repository",
            )
        at, told = _at(call, known, Path(record.root_path), base_name(record.name), rev, only_cheap=only_cheap)
        records.append(at)
        remarks.append(told)
    return found._replace(records=tuple(records), remarks=tuple(remarks))


def _of_folder_without(call: Call, folder: Path, rev: str, *, only_cheap: bool) -> Found | None:
    """Return the index of a commit for a folder that has no index itself: a bare repository, for one.

    None where the caller may neither see one of its commits nor have one indexed: git would tell what is there.
    """
    app, root = call.app(folder), project_root(folder)
    known = call.visible(app)
    if not (call.may_write(str(root)) or any(one.root_path == storable_path(str(root)) for one in known)):
        return None
    record, told = _at(call, known, root, app.catalog.name_for(root), rev, only_cheap=only_cheap)
    return Found(app, (record,), call.selection.place, (), (told,))


def _at(
    call: Call, known: Sequence[IndexRecord], root: Path, name: str, rev: str, *, only_cheap: bool
) -> tuple[IndexRecord, str]:
    """The index of a revision of a folder, with what an answer should say of it."""
    root_path = storable_path(str(root))
    of_folder = [one for one in known if one.root_path == root_path]
    # Its full name needs no git, nor the repository.
    whole = next((one.commit for one in of_folder if one.commit == rev), None)
    revision = Revision(rev, whole) if whole else revision_meant(root, rev)
    if revision is None:
        own = [one for one in of_folder if one.commit is None]
        if not own:
            run = f"`cocosearch-py index {root}`, or the tool index_codebase"
            raise NotIndexedError(f"{root} has no index", hint=f"index it first: {run}")
        of_name = next((one for one in own if one.name == name), own[0])
        return (
            of_name,
            f"{rev}: the answer comes from the folder's index '{of_name.name}', including uncommitted changes",
        )
    there = [one for one in of_folder if one.commit == revision.commit]
    app = call.app(root)
    is_whole = any(incompleteness(one) is None for one in there)
    if not is_whole and (not there or call.may_write(root_path)):
        takes_little = partial(_takes_little, app, root, revision, of_folder)
        if only_cheap and not takes_little():
            run = f"`cocosearch-py index {root} --rev {rev}`, or the tool index_codebase"
            raise NotIndexedError(f"{rev} has no index", hint=f"index it: {run}")
        _make(call, app, root, name, revision, takes_little)
        there = [one for one in call.visible(app) if (one.root_path, one.commit) == (root_path, revision.commit)]
    if not there:
        raise NotIndexedError(f"the index of {rev} has just been deleted", hint="try again")
    record = next((one for one in there if base_name(one.name) == name), there[0])
    if call.may_write(record.root_path):
        app.catalog.note_use(record)
    return record, f"{rev} is commit {revision.commit[:_SHOWN_CHARS]}, in index '{record.name}'"


def _make(call: Call, app: "App", root: Path, name: str, revision: Revision, takes_little: Callable[[], bool]) -> None:
    """Make the index of a commit; raises NotIndexedError while that goes on."""
    told = f"commit {revision.commit[:_SHOWN_CHARS]} ({revision.name[:60]}) has no index"
    if not call.may_write(str(root)):
        raise NotIndexedError(
            told, hint=f"this server may not build one: `cocosearch-py index {root} --rev {revision.name}` does"
        )
    call.tell(f"{told}; building it first")
    job = call.start_run(app, root, name, replace(app.indexing_options(), revision=revision))
    if not job.ended and takes_little():
        job = call.wait_for(job, WAIT_S)
    if job.error is not None:
        raise job.error
    if not job.ended:
        raise _not_yet(told, name_at(name, revision.commit), revision, job)


def _not_yet(told: str, name: str, revision: Revision, job: "JobStatus") -> NotIndexedError:
    return NotIndexedError(
        f"{told} yet: job {job.job_id} is building it",
        hint=f"ask again when index_status with job_id {job.job_id} reports that it is completed",
        details={"job_id": job.job_id, "index_name": name, "commit": revision.commit},
    )


def _takes_little(app: "App", root: Path, revision: Revision, of_folder: Sequence[IndexRecord]) -> bool:
    """Whether a commit is small, or close to one that an index of the folder is of."""
    from cocosearch_py.discovery.commits import read_tree

    most = app.settings.indexing.max_file_size_kb * 1024
    tree = read_tree(root, revision.commit)
    whole = tree.bytes_beside(None, most)
    if whole <= CHEAP_BYTES:
        return True
    if whole > CHEAP_TREE_BYTES:
        return False
    commits = dict.fromkeys(one.git_commit for one in of_folder if one.git_commit)
    return any(
        tree.bytes_beside(read_tree(root, commit), most) <= CHEAP_BYTES
        for commit in list(commits)[:_MOST_COMPARED]
        if commit_known(root, commit)
    )
