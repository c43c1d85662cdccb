"""Rich's console, with text that cannot act on the terminal."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from cocosearch_py.model.terminal import visible


class SafeConsole(Console):
    """Console that escapes hidden characters in what it renders, and makes no links; styles stay.

    Markup is still read: text from outside goes through `views.layout.shown` first.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable, escaped."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                style = segment.style.update_link(None) if segment.style and segment.style.link else segment.style
                yield Segment(visible(segment.text), style)
