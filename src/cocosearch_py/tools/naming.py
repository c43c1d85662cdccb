"""Names of definitions as parameters of tools."""

from typing import TYPE_CHECKING

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools.call import Found
from cocosearch_py.tools.emptiness import no_definitions

if TYPE_CHECKING:
    from cocosearch_py.model.definitions import DefinitionRequest

MAX_NAME_CHARS = 1_000


def checked_name(text: str, subject: str = "the name") -> str:
    """Return the name of a symbol that a caller gave.

    Raises:
        ValidationError: it cannot be a name; the message begins with the subject.
    """
    name = text.strip()
    if not name or not is_text(name) or len(name) > MAX_NAME_CHARS:
        raise ValidationError(
            f"{subject} is empty, longer than {MAX_NAME_CHARS} characters or not text", hint="give the name of a symbol"
        )
    return name


def instead(found: Found, request: "DefinitionRequest", name: str) -> tuple[tuple[str, ...], list[str]]:
    """Names to try where nothing has the one that was asked for; else why there are none."""
    if request.part != "name":
        return (), no_definitions(found, request, name)
    suggestions = [found.app.navigation.suggest(request, record) for record in found.records]
    if left_out := sum(one.left_out for one in suggestions):
        definitions = "1 definition has" if left_out == 1 else f"{left_out} definitions have"
        return (), [f"{definitions} this name, but the filters exclude {'it' if left_out == 1 else 'them'}"]
    nearest = tuple(dict.fromkeys(near for one in suggestions for near in one.nearest))
    return nearest, [] if nearest else no_definitions(found, request, name)
