"""`mcp` as the help lists it. The entry of the program hands the command to the server before this module is loaded."""

from typing import Annotated

import typer

from cocosearch_py.errors import ValidationError


def mcp(
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH] [FLAGS]", help="See `cocosearch-py mcp --help`.")
    ] = None,
) -> None:
    """Serve code search to AI agents over MCP: stdio, SSE or streamable HTTP."""
    raise ValidationError(
        "`mcp` has to be the first word", hint="write flags after it: cocosearch-py mcp [PATH] --transport http"
    )
