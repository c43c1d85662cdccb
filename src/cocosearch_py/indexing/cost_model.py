"""Cost of files in a run, in bytes of ordinary code, and the time that takes. Pure.

Runs and their forecasts count in the same way, so the time of runs in some languages tells how long others take.
"""

from cocosearch_py.languages import LANGUAGES

DEFAULT_RATE = 1_300_000.0  # that one worker does in a second where `machine.speed` is 1
START = 500_000.0  # of starting workers and putting an index in place
_FILE = 500.0  # of a file, however small
_UNPARSED = 0.5  # of a byte that only has words


def effort_of(language_id: str, size_bytes: int) -> float:
    """Return the cost of reading and preparing a file."""
    language = LANGUAGES.get(language_id)
    if language is None or language.grammar is None:
        return _FILE + size_bytes * _UNPARSED
    return _FILE + size_bytes * language.cost


def seconds_of(effort: float, rate: float) -> float:
    """How long a run of this effort takes."""
    return (START + effort) / rate


def rate_of(effort: float, seconds: float) -> float:
    """How fast a run of this effort was."""
    return (START + effort) / seconds
