"""Programs that tests start have the default signals, whoever started the tests."""

import os
import signal
import subprocess
import sys

from tests.signals import default_signals_for_children

SHOW = "import signal; print(signal.getsignal(signal.SIGHUP).name)"


def test_children_of_tests_that_run_under_nohup_do_not_ignore_signals() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with default_signals_for_children():
            shown = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, check=True)
            os.kill(os.getpid(), signal.SIGHUP)  # the tests themselves go on
        assert shown.stdout == "SIG_DFL\n"
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
