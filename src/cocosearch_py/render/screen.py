"""Output of a command, as views use it."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console  # remarks beside JSON do without it


class Screen(Protocol):
    """The terminal of a person, or the pipe in its place."""

    @property
    def console(self) -> "Console":
        """Standard output."""

    @property
    def verbose(self) -> bool:
        """Whether the user asked for details."""

    def near(self, path: str) -> str:
        """Return an absolute path as a person in the current folder would type it."""

    def say(self, text: str) -> None:
        """Print a line of plain text on standard output."""

    def note(self, text: str) -> None:
        """Print a remark on standard error, unless the user asked for quiet."""

    def warn(self, text: str) -> None:
        """Print a warning on standard error."""
