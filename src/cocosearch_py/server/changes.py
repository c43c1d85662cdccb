"""Tells those who follow something that it changed, whichever process changed it.

A thread looks at the state of everything as long as somebody follows something: when the database has word of a change,
and every POLL_S besides, because some changes and some connections have none.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cocosearch_py.errors import CocosearchError

if TYPE_CHECKING:
    from cocosearch_py.resources.snapshots import Moment

log = logging.getLogger(__name__)

POLL_S = 0.5
LEAST_PAUSE_S = 0.5  # between two words about the same thing
_LOOK_PAUSE_S = 0.03  # before each look, when word comes of every batch of a run

_UNKNOWN = object()  # no mark is equal to it

Mark = Callable[["Moment"], Hashable]
Tell = Callable[[str], None]
Hearing = Callable[[], AbstractContextManager[Callable[[float], bool]]]


@dataclass(slots=True)
class _Followed:
    """A thing that somebody follows, as it was when they were last told."""

    key: str
    mark: Mark
    tell: Tell
    told: Hashable
    told_s: float = float("-inf")


class Changes:
    """Followed resources of one server. `look` gives the present state; `hear` lends a wait for word of changes."""

    def __init__(self, look: "Callable[[], Moment]", hear: Hearing) -> None:
        self._look = look
        self._hear = hear
        self._followed: dict[int, _Followed] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._next = 0

    @property
    def followed(self) -> int:
        """How many things are followed."""
        return len(self._followed)

    def follow(self, marks: Mapping[str, Mark], tell: Tell) -> Callable[[], None]:
        """Follow things, from their state now on; blocks. If that cannot be read now, they are told when it can be.

        Args:
            marks: by the key that `tell` gets; each reads what changes when its thing does.
            tell: called in a thread of this class, at most every LEAST_PAUSE_S for each key.
        Returns:
            what ends it.
        """
        try:
            moment = self._look() if marks else None
        except CocosearchError as error:
            log.debug("cannot read the state of a followed resource: %s", error.message)
            moment = None
        with self._lock:
            numbers = range(self._next, self._next + len(marks))
            self._next += len(marks)
            for number, (key, mark) in zip(numbers, marks.items(), strict=True):
                self._followed[number] = _Followed(key, mark, tell, _UNKNOWN if moment is None else mark(moment))
            if self._thread is None and self._followed:
                self._thread = threading.Thread(target=self._run, name="changes", daemon=True)
                self._thread.start()

        def stop() -> None:
            with self._lock:
                for number in numbers:
                    self._followed.pop(number, None)

        return stop

    def _run(self) -> None:
        while self._is_wanted():
            try:
                with self._hear() as wait:
                    while self._is_wanted():
                        wait(self._tell_all())
            except CocosearchError as error:  # the database is away, or has no connection to spare
                log.debug("no notification of changes: %s", error.message)
                self._tell_without_word()
            except Exception:  # the edge of this thread, which nobody starts again
                log.exception("following changes failed")
                time.sleep(POLL_S)

    def _tell_without_word(self) -> None:
        try:
            time.sleep(self._tell_all())
        except CocosearchError as error:
            log.debug("changes cannot be detected: %s", error.message)
            time.sleep(POLL_S)

    def _is_wanted(self) -> bool:
        with self._lock:
            if not self._followed:
                self._thread = None
            return bool(self._followed)

    def _tell_all(self) -> float:
        """Tell what changed; returns for how many seconds there is nothing to do unless word comes."""
        time.sleep(_LOOK_PAUSE_S)
        moment = self._look()
        with self._lock:
            followed = list(self._followed.values())
        pause_s = POLL_S
        for one in followed:
            mark = one.mark(moment)
            if mark == one.told:
                continue
            now = time.monotonic()
            left_s = one.told_s + LEAST_PAUSE_S - now
            if left_s > 0:
                pause_s = min(pause_s, left_s)
                continue
            one.told, one.told_s = mark, now
            one.tell(one.key)
        return pause_s
