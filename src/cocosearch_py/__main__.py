"""Entry of `cocosearch-py` and `python -m cocosearch_py`.

Imports a front end only inside `main`: worker processes import this module again and need none of it.
"""

import atexit
import gc
import os
import sys
from importlib import import_module

from cocosearch_py.config.process import process_environment

_NEW_OBJECTS = 50_000  # between two collections; with Python's own 700 a search begins with 160 of them
# Front ends by the first argument; without one of them it is the command line.
_FRONT_ENDS = {"mcp": "cocosearch_py.mcp.command", "--nudge": "cocosearch_py.cli.nudge"}


def main() -> None:
    # What is imported stays. Collecting it again and again while it comes, and once more at the end, took a fifth of
    # the CPU of a short command; nobody needs the memory of a process that ends.
    gc.set_threshold(_NEW_OBJECTS)
    atexit.register(gc.freeze)
    # numpy brings threads for products of matrices: they spin for a tenth of a second, and ours are too small for them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # noqa: TID251
    first, environ = "".join(sys.argv[1:2]), process_environment()
    if first in _FRONT_ENDS:
        sys.exit(import_module(_FRONT_ENDS[first]).run(sys.argv[2:]))
    if "_COCOSEARCH_PY_COMPLETE" in environ:
        sys.exit(import_module("cocosearch_py.cli.completion").complete(sys.argv[1:], environ))
    import_module("cocosearch_py.cli.main").run(sys.argv[1:])


if __name__ == "__main__":
    main()
