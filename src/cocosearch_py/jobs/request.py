"""Request of a run, as one process stores it for another; no other place states its form."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run that is asked for; equal ones are the same work. Never holds a secret.

    Attributes:
        index_name: the index.
        name, folder: what it is called without its commit, and the real folder that it is of.
        options, settings: as `model.plain` writes the options of the run and the settings that it needs besides.
        needs: dotted keys of secret settings that the caller had set, which the worker must find for itself.
        limit_s: without progress for so long it is ended; 0 is no limit.
        visible: folders whose indexes content may be copied from; None for all.
        completes: no file is looked at; what an imported index lacks besides rows is made.
    """

    index_name: str
    name: str
    folder: str
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    limit_s: float = 0.0
    visible: tuple[str, ...] | None = None
    completes: bool = False

    def takes_place_of(self, other: Mapping[str, Any]) -> bool:
        """Whether it is done instead of one that waits, as that was written down: both bring a folder up to date."""
        return not self.completes and not other.get("completes") and other.get("folder") == self.folder

    def with_wishes_of(self, other: Mapping[str, Any]) -> Self:
        """Return this request with the work of another added; this one's options win.

        A run that builds anew does all that one does that does not, one of all files what one of failed files does:
        the latter leaves what is indexed, and how, to the former. What was confirmed is one choice of files.
        """
        asked = other.get("options", {})
        narrows = bool(self.options.get("only_failed")) and not asked.get("only_failed")
        more = {name: True for name in ("fresh", "confirmed") if self.options.get(name) or asked.get(name)}
        if more.get("confirmed") and _choice(self.options) != _choice(asked):
            more["confirmed"] = bool((asked if narrows else self.options).get("confirmed"))
        if not narrows:
            return replace(self, options={**self.options, **more})
        return replace(
            self,
            options={**asked, **more},
            settings=other.get("settings", self.settings),
            needs=tuple(other.get("needs", self.needs)),
        )


def _choice(options: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the options of a run that decide which files it finds."""
    return options.get("discovery"), options.get("revision"), options.get("content", {}).get("languages")
