"""Draw `docs/search.svg`: the search of `make demo`, as a terminal shows it.

Runs the installed program in a terminal of its own, on an index of this repository. Run it again when the look of a
search has changed; line numbers in the picture need not be those of the current commit.
"""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "search.svg"
PROGRAM = Path(sys.executable).parent / "cocosearch-py"
INDEX = "cocosearch-py"
COLUMNS = 100
_READ_BYTES = 65_536
_WEB_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def main() -> None:
    query = re.findall(r"^QUERY \?= (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[0]
    subprocess.run([PROGRAM, "--quiet", "index", ROOT, "--name", INDEX], check=True, stdout=subprocess.DEVNULL)
    output = terminal_output([str(PROGRAM), "--no-pager", "search", query, "--limit", "5", "--index", INDEX])
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(f"$ cocosearch-py search '{query}'", highlight=False)
        console.print(Text.from_ansi(output), soft_wrap=True)
    picture = console.export_svg(title="cocosearch-py", unique_id="search")
    PICTURE.write_text(_WEB_FONT.sub("", picture), encoding="utf-8")  # any monospaced font will do


def terminal_output(command: list[str]) -> str:
    """Return what a command writes to a terminal of COLUMNS columns, with its escape sequences."""
    reading, writing = pty.openpty()
    environ = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    with subprocess.Popen(command, cwd=ROOT, stdout=writing, stderr=writing, env=environ):
        os.close(writing)
        parts = []
        try:
            while part := os.read(reading, _READ_BYTES):
                parts.append(part)
        except OSError:  # Linux reports the closed terminal as an error
            pass
    os.close(reading)
    return b"".join(parts).decode().replace("\r\n", "\n")


if __name__ == "__main__":
    main()
