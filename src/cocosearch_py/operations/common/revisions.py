"""Which commit the name of a revision means."""

from pathlib import Path

from cocosearch_py.errors import NotFoundError, ValidationError


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
