"""When a server ends: end of input, a closed output, signals, death of the parent, idleness; and that it does end.

Over stdio a server belongs to the program that started it, and ends with it. Over HTTP the web server first ends its
requests and then passes the signal on to the handlers here; idleness counts when that was asked for.
"""

import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable

from cocosearch_py.server.state import ServerState

log = logging.getLogger(__name__)

CHECK_INTERVAL_S = 1.0
STOP_WAIT_S = 8.0  # for the running batch to be committed; clients kill servers that take longer


class Lifecycle:
    """Watches one server from a thread of its own, so that a busy event loop cannot keep it alive.

    `parent` is the process that started this one, asked for before the imports, during which it may end.
    """

    def __init__(self, state: ServerState, close: Callable[[], None], parent: int) -> None:
        self._state, self._close = state, close
        self._parent = parent
        self._wanted = threading.Event()
        self._ending = threading.Lock()
        self._reason = ""
        self._unread: Callable[[], bool] = bool

    def watch(self) -> None:
        """Begin to watch, and take over SIGTERM, SIGHUP and SIGINT. Call from the main thread, before serving."""
        if self._state.options.local:
            self._unread = _unread_output()
        for name in ("SIGTERM", "SIGHUP", "SIGINT"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_signal)
        threading.Thread(target=self._loop, name="lifecycle", daemon=True).start()

    def end(self, reason: str, code: int = 0) -> None:
        """Stop jobs, keep what they have done, close the engine and end the process; does not return."""
        if not self._ending.acquire(blocking=False):
            threading.Event().wait()  # another thread is ending the process
        log.info("server ends: %s", reason)
        # Whatever hangs below, the process must not outlive its client.
        last = threading.Timer(2 * STOP_WAIT_S, os._exit, (1,))
        last.daemon = True
        last.start()
        try:
            self._state.watches.close()
            self._state.jobs.close(STOP_WAIT_S)
            self._state.processes.close()
            self._close()
        except Exception:  # the edge of the process: it ends either way
            log.exception("closing failed")
        logging.shutdown()
        os._exit(code)  # threads that wait for input or for the database cannot be joined

    def _on_signal(self, number: int, _: object) -> None:
        self._reason = signal.Signals(number).name
        self._wanted.set()

    def _loop(self) -> None:
        while not self._wanted.wait(CHECK_INTERVAL_S):
            if self._state.options.local and os.getppid() != self._parent:
                self._reason = "its parent process has ended"
                break
            if self._unread():
                self._reason = "the client no longer reads answers"
                break
            if self._is_idle():
                self._reason = "idle"
                break
            self._state.processes.end_idle()
        self.end(self._reason)

    def _is_idle(self) -> bool:
        limit_s = self._state.options.idle_timeout_s
        if not limit_s or self._state.open_calls or self._state.jobs.busy or self._state.changes.followed:
            return False
        return time.monotonic() - self._state.last_call_s > limit_s


def _unread_output() -> Callable[[], bool]:
    """A question whether the reader of standard output has gone, on systems that tell before something is written."""
    try:
        output = os.dup(sys.stdout.fileno())  # a transport may put something else in its place
        poll = select.poll()
    except (AttributeError, OSError, ValueError):  # Windows has no poll; a program may have no output
        return bool
    poll.register(output, 0)  # errors and the end are told unasked
    return lambda: bool(poll.poll(0))
