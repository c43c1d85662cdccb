"""The longest text that every match of a pattern holds, collected while the pattern is read. Pure."""


class _Group:
    """Texts that every match of a group holds; the last one is still being read."""

    def __init__(self) -> None:
        self.texts = [""]
        self.has_alternatives = False
        self.atom_start: int | None = None  # of the group that was just closed, in `texts`


class RequiredTexts:
    """Collects texts in the order of the pattern. Of a group with alternatives none is required."""

    def __init__(self) -> None:
        self._groups = [_Group()]

    def add(self, character: str) -> None:
        """A character that stands for itself."""
        self._groups[-1].texts[-1] += character
        self._groups[-1].atom_start = None

    def interrupt(self) -> None:
        """Some character: what follows is another text."""
        self._groups[-1].texts.append("")
        self._groups[-1].atom_start = None

    def open(self) -> None:
        self._groups.append(_Group())

    def alternative(self) -> None:
        self._groups[-1].has_alternatives = True

    def close(self) -> None:
        inner, outer = self._groups.pop(), self._groups[-1]
        outer.atom_start = len(outer.texts)
        outer.texts += [*([] if inner.has_alternatives else inner.texts), ""]

    def repeat(self, least: int) -> None:
        """The character or group just read comes at least so many times."""
        group = self._groups[-1]
        if not least and group.atom_start is not None:
            del group.texts[group.atom_start :]
        elif not least:
            group.texts[-1] = group.texts[-1][:-1]
        self.interrupt()

    def longest(self) -> str:
        """The longest text; empty if a match may hold anything."""
        outermost = self._groups[0]
        return "" if outermost.has_alternatives else max(outermost.texts, key=len)
