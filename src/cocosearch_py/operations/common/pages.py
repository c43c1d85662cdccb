"""Pages of answers: where the next one begins. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from cocosearch_py.errors import ValidationError

_CURSOR = re.compile(r"([a-z]{1,20}):(\d{1,4}):(\d{1,9})")


class Cursor(NamedTuple):
    """Where a page begins: how it was searched, the number of the index, and what of it was shown before."""

    mode: str
    number: int
    offset: int

    def __str__(self) -> str:
        return f"{self.mode}:{self.number}:{self.offset}"


def read_cursor(text: str | None, modes: Sequence[str], indexes: int) -> Cursor | None:
    """The cursor that a caller gave back.

    Raises:
        ValidationError: it is not one of ours.
    """
    if text is None:
        return None
    read = _CURSOR.fullmatch(text)
    if read is None or read[1] not in modes or int(read[2]) >= indexes:
        raise ValidationError("the cursor cannot be read", hint="pass next_cursor of the answer before, as it is")
    return Cursor(read[1], int(read[2]), int(read[3]))
