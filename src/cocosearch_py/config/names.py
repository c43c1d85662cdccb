"""The nearest known name to a wrong one."""

from collections.abc import Iterable
from difflib import get_close_matches

_MAX_CHARS = 100  # of a wrong name; comparing takes the square of its length, and no known name is half as long
LEAST_LIKENESS = 0.6  # difflib's own default: below it, suggestions are more often wrong than right


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None; letter case, '_' and '-' do not count.

    A name that is right but in another section ("chunkSize" for "indexing.chunkSize") counts as like it.
    """
    if len(name) > _MAX_CHARS:
        return None
    by_plain: dict[str, str] = {}
    for candidate in known:
        by_plain.setdefault(_plain(candidate), candidate)
        by_plain.setdefault(_plain(candidate.rpartition(".")[2]), candidate)
    for wanted in (_plain(name), _plain(name.rpartition(".")[2])):
        matches = get_close_matches(wanted, by_plain, n=1, cutoff=LEAST_LIKENESS)
        if matches:
            return by_plain[matches[0]]
    return None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
