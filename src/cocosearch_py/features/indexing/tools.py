"""Tools that build indexes and show their state; the command `why`."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import Command, Flag, tool

EXIT_UNKNOWN = 1


class WhyArguments(Arguments):
    """Parameters of why."""

    paths: Annotated[list[str], Flag(metavar="FILE...", help="Files or folders.")]
    index_name: given.IndexName = None


class VerdictItem(Part):
    """The rule that decided about a file, and the effect of the next run; `files` counts those of a folder."""

    path: str
    verdict: str
    message: str
    status: str | None
    next_run: str | None
    reason: str | None
    rule: str | None
    error: str | None
    decided_by: str | None
    language: str | UnsetType | None = UNSET
    content_class: str | UnsetType | None = UNSET
    class_rule: str | UnsetType | None = UNSET
    chunks: Count | UnsetType = UNSET
    symbols: Count | UnsetType = UNSET
    parse_status: str | UnsetType | None = UNSET
    parse_error: str | UnsetType | None = UNSET
    files: dict[str, Count] | UnsetType = UNSET
    hint: str = ""


def _why_exit_code(verdicts: list[VerdictItem], _: WhyArguments) -> int:
    return EXIT_UNKNOWN if any(item.verdict in ("missing", "outside") for item in verdicts) else 0


TOOLS = (
    tool(
        __package__,
        "why",
        module="verdicts",
        title="Why a file is indexed or not",
        arguments=WhyArguments,
        answer=list[VerdictItem],
        view="show_verdicts",
        about_indexes=True,
        command=Command(
            name="why",
            help="""Explain which rule put a file into the index, or left it out.

            It checks the file as it is now, the rules, and the result of the last run. Exits with 1 if a file does not
            exist or is outside the index's folder.
            """,
            exit_code=_why_exit_code,
        ),
    ),
)
