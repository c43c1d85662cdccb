"""Which commit the name of a revision means."""

from pathlib import Path

from cocosearch_py.errors import NotFoundError, ValidationError


def changed_since(folder: Path, ref: str) -> list[str]:
    """Paths of the files that differ from a commit, on disk, also removed ones; errors as of `commit_meant`."""
    from cocosearch_py.discovery.revisions import changed_paths

    changed = changed_paths(folder, commit_meant(folder, ref), None)
    return [one.path for one in changed or ()]


def commit_meant(folder: Path, ref: str) -> str:
    """Full name of the commit; raises ValidationError for what is no name, NotFoundError where git knows none."""
    from cocosearch_py.discovery.revisions import commit_of, is_revision_name

    if not is_revision_name(ref):
        raise ValidationError(f"'{ref[:60]}' is no name of a revision", hint="pass a branch, a tag or a commit")
    if (commit := commit_of(folder, ref)) is None:
        raise NotFoundError(
            f"git knows no commit '{ref[:60]}' in {folder}", hint="nothing is fetched: see `git branch -a` there"
        )
    return commit
