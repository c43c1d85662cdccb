"""The indexes whose files a server follows, each in a thread of its own."""

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from cocosearch_py.errors import CocosearchError

if TYPE_CHECKING:  # brings the parts of a run
    from cocosearch_py.indexing.options import IndexingOptions

log = logging.getLogger(__name__)

MOST_RUN_S = 24 * 3600.0  # past this nobody waits for a run
_MOST = 20  # indexes; a thread and a set of watches each


class Watches:
    """Begun by calls, ended together; safe for threads."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._lock = Lock()
        self._stop = Event()

    def __contains__(self, name: str) -> bool:
        """Whether nothing is to be begun for this index."""
        return name in self._names or len(self._names) >= _MOST

    def begin(
        self,
        name: str,
        root: Path,
        read_options: "Callable[[], IndexingOptions]",
        run: Callable[[], None],
        debounce_ms: int,
    ) -> None:
        """Follow the files below `root` and call `run` now and after each burst of changes, until closed."""
        with self._lock:
            if name in self or self._stop.is_set():
                return
            self._names.add(name)

        def work() -> None:
            from cocosearch_py.indexing.watch import follow

            try:
                follow(
                    root,
                    read_options,
                    run,
                    self._stop,
                    lambda text: log.warning("%s: %s", name, text),
                    debounce_ms=debounce_ms,
                )
            except CocosearchError as error:
                log.warning("no longer watching %s: %s", name, error.message)
            except Exception:
                log.exception("no longer watching %s", name)
            finally:
                self._names.discard(name)

        log.info("watching %s for index %s", root, name)
        Thread(target=work, name=f"watch {name}", daemon=True).start()

    def close(self) -> None:
        """End all of them, without waiting."""
        self._stop.set()
