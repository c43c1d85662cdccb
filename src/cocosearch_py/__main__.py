"""Entry of `cocosearch-py` and `python -m cocosearch_py`.

Imports a front end only inside `main`: worker processes import this module again and need none of it.
"""

import atexit
import gc
import os
import sys

from cocosearch_py.config.process import process_environment

_NEW_OBJECTS = 50_000  # between two collections; with Python's own 700 a search begins with 160 of them


def main() -> None:
    # What is imported stays. Collecting it again and again while it comes, and once more at the end, took a fifth of
    # the CPU of a short command; nobody needs the memory of a process that ends.
    gc.set_threshold(_NEW_OBJECTS)
    atexit.register(gc.freeze)
    # numpy brings threads for products of matrices: they spin for a tenth of a second, and ours are too small for them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # noqa: TID251
    if sys.argv[1:2] == ["mcp"]:
        from cocosearch_py.mcp.command import run as serve

        sys.exit(serve(sys.argv[2:]))
    if sys.argv[1:2] == ["--nudge"]:
        sys.exit(_nudge(*sys.argv[2:3]))
    environ = process_environment()
    if "_COCOSEARCH_PY_COMPLETE" in environ:
        from cocosearch_py.cli.completion import complete

        if (code := complete(environ)) is not None:
            sys.exit(code)
    from cocosearch_py.cli.main import run

    run()


def _nudge(server: str = "") -> int:
    """The hook that `init --hook` writes; whatever goes wrong, the call that it stands before goes on."""
    from cocosearch_py.clients.nudge import MAX_INPUT_CHARS, reminder

    try:
        sys.stdout.write(reminder(sys.stdin.read(MAX_INPUT_CHARS + 1), server))
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):  # closed or missing streams, bytes that are no text
        pass
    return 0


if __name__ == "__main__":
    main()
