"""Which data folder the home of an embedded server belongs to, where it stands apart from that; see `homes`."""

import json
from pathlib import Path

from cocosearch_py.model.private import private_data_folder, write_private
from cocosearch_py.storage.server.location import EmbeddedServer

_NOTE = "data-folder.json"


def note(server: EmbeddedServer) -> None:
    """Write down which data folder a home belongs to, and see that the folder is there; nothing where they are one."""
    folder = server.apart_from
    if folder is None:
        return
    private_data_folder(folder)
    told = json.dumps({"path": str(folder), "device": folder.stat().st_dev})
    file = server.home / _NOTE
    if not file.exists() or file.read_text(encoding="utf-8") != told:
        write_private(file, told.encode())


def noted(home: Path) -> tuple[str | None, int]:
    """The data folder of a home, and the number of its disk."""
    try:
        told = json.loads((home / _NOTE).read_text(encoding="utf-8"))
        return str(told["path"]), int(told["device"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, 0
