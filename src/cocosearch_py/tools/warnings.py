"""Warnings about the indexes behind an answer."""

from collections.abc import Iterable

from cocosearch_py.catalog.freshness import doubts
from cocosearch_py.tools.call import Call, Found


def remarks_on(call: Call, found: Found, stale: Iterable[str | None]) -> list[str]:
    """Sentences: names that no index has, old or unfinished indexes, files and checkouts that have changed since.

    Args:
        stale: what the reports say of their files; what the looks of the call have said is told as well.
    """
    drifts = [call.ask_drift(found.app, record) for record in found.records]
    told = [*found.remarks, *(f"Index '{name[:100]}' not found" for name in found.missing)]
    told += [text for record in found.records for text in doubts(record, None)]
    told += dict.fromkeys(text for text in (*stale, *call.doubts) if text)
    return [*told, *(drifted for drift in drifts if (drifted := drift()))]
