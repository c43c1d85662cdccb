"""`cocosearch-py prune`: delete the indexes that were not updated for long."""

from dataclasses import dataclass
from typing import Annotated, Any

from cocosearch_py.operations import clear_index
from cocosearch_py.operations.clear_index import Cleared, Clearing
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of prune; agents have those of clear_index."""

    older_than_days: Annotated[
        int,
        Flag(
            names=("--older-than",),
            metavar="DAYS",
            minimum=0,
            help="Delete indexes that were not updated for this many days.",
        ),
    ] = 30
    confirm: Annotated[bool, Flag(names=("-y", "--force", "--yes"), help="Do not ask for confirmation.")] = False
    dry_run: Annotated[bool, Flag(names=("--dry-run",), help="Show what would be deleted; delete nothing.")] = False
    purge: Annotated[
        bool, Flag(names=("--purge",), help="Delete for good and free the space now; they cannot be restored.")
    ] = False

    @property
    def meaning(self) -> clear_index.Arguments:
        """The same for clear_index."""
        return clear_index.Arguments(
            older_than_days=self.older_than_days, confirm=self.confirm, dry_run=self.dry_run, purge=self.purge
        )


def prune(call: Call, asked: Arguments) -> Clearing:
    """Delete all indexes that were not updated for so long."""
    return clear_index.clear_index(call, asked.meaning)


def _answer(clearing: Clearing, asked: Arguments) -> Json:
    return clear_index.answer(clearing, asked.meaning)


def _command_answer(clearing: Clearing, asked: Arguments) -> Any:
    return clear_index.command_answer(clearing, asked.meaning)


def _exit_code(clearing: Clearing, asked: Arguments) -> int:
    return clear_index.exit_code(clearing, asked.meaning)


OPERATION = Operation(
    name="prune_indexes",
    title="Delete old indexes",
    arguments=Arguments,
    run=prune,
    shape=_answer,
    answer=Cleared,
    writes=True,
    destroys=True,
    command=Command(
        name="prune",
        help="""Delete indexes that have not been updated for a long time.

        `restore` can bring them back for 24 hours; the next run after that frees their space.
        """,
        shape=_command_answer,
        exit_code=_exit_code,
    ),
)
