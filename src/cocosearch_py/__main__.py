"""Entry of `cocosearch-py` and `python -m cocosearch_py`.

Imports a front end only inside `main`: worker processes import this module again and need none of it.
"""

import sys


def main() -> None:
    if sys.argv[1:2] == ["mcp"]:
        from cocosearch_py.mcp.command import run as serve

        sys.exit(serve(sys.argv[2:]))
    from cocosearch_py.cli.main import run

    run()


if __name__ == "__main__":
    main()
