"""A plugin of pytest that notes which functions of a folder call which others while its tests run, for `asking.py`.

    PYTHONPATH=benchmarks/parsers OBSERVED_ROOT=FOLDER OBSERVED=OUT python -m pytest -p observed

OUT is JSON: [[path, first line of the caller], [path, first line of the called]], paths relative to FOLDER. The lines
are those of `def` or of the first decorator. A caller is the function of the folder that stands above in the stack with
nothing in between but C, contextlib and functools: `with made():` calls a function that makes a context.
"""

import json
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType

_ROOT = os.path.join(os.environ["OBSERVED_ROOT"], "")
_BETWEEN = ("contextlib.py", "functools.py")
_seen: set[tuple[CodeType, CodeType]] = set()


def _note(frame: FrameType, event: str, _: object) -> None:
    above = frame.f_back
    while above is not None and above.f_code.co_filename.endswith(_BETWEEN):
        above = above.f_back
    if event == "call" and above is not None and frame.f_code.co_filename.startswith(_ROOT):
        _seen.add((above.f_code, frame.f_code))


def pytest_sessionstart() -> None:
    threading.setprofile(_note)
    sys.setprofile(_note)


def pytest_sessionfinish() -> None:
    sys.setprofile(None)
    pairs = {(_place(one), _place(other)) for one, other in _seen if one.co_filename.startswith(_ROOT)}
    Path(os.environ["OBSERVED"]).write_text(json.dumps(sorted(pairs)), encoding="utf-8")


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_filename.removeprefix(_ROOT), code.co_firstlineno
