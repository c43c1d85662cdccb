"""Map of a repository, as answers have it."""

from cocosearch_py.model.answers import Count, Part


class RepoMap(Part):
    """A map: paths, and below each its definitions by line; `files` of `total` are shown, the most important first."""

    root: str
    map: str
    files: Count
    symbols: Count
    total: Count
    note: str = ""
    warnings: tuple[str, ...] = ()
