"""Which files of an index the arguments of an operation mean."""

from collections.abc import Sequence

from cocosearch_py.errors import SafetyError, ValidationError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.navigation.places import OutsideError, paths_meant
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.members import Inside

_MAX_PATH_CHARS = 2_000


def given_paths(one: str | None, several: Sequence[str] | None, most: int) -> list[str]:
    """Return the paths of two parameters, one for a path and one for several.

    Raises:
        ValidationError: nothing, too many, or what is no path.
    """
    found = [text for text in (one, *(several or ())) if text]
    if not found:
        raise ValidationError("no file given", hint="pass a path as answers show it")
    if len(found) > most:
        raise ValidationError(
            f"{len(found)} files given, at most {most} are allowed", hint="ask for the others separately"
        )
    if not all(is_text(text) and len(text) <= _MAX_PATH_CHARS for text in found):
        raise ValidationError(
            "a path contains an invalid character or is too long", hint="pass paths as answers have them"
        )
    return found


def stored_paths(call: Call, record: IndexRecord, text: str, member: Inside | None = None) -> list[str]:
    """Paths as an index stores them that a text can mean, the likeliest first; "" is its root.

    Raises:
        SafetyError, ValidationError: it is outside of the index's folder, or of the member's.
    """
    place = call.selection.place
    text = member.path(text) if member else text
    try:
        return paths_meant(record.root_path, text, str(place.folders[0]) if place else None)
    except OutsideError:
        raise SafetyError(
            f"{text[:200]} is outside the index's folder, {record.root_path}",
            hint="only indexed files can be queried",
        ) from None


def stored_prefixes(call: Call, record: IndexRecord, text: str | None, member: Inside | None = None) -> tuple[str, ...]:
    """Return the paths that the file or folder of a filter may mean; those of the root or the member without one.

    Raises:
        SafetyError, ValidationError.
    """
    if not text:
        return (member.folder if member else "",)
    return tuple(stored_paths(call, record, given_paths(text, None, 1)[0], member))
