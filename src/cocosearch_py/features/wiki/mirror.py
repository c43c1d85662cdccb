"""Files of the pages of a wiki, which an ordinary run indexes. The database remains the source of truth."""

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from cocosearch_py.discovery.rules import secret_rule
from cocosearch_py.features.wiki.model import Failure, Page, Wiki
from cocosearch_py.model.private import FOLDER_MODE, write_private

_ENDING = ".md"
_MARK = "_"  # No ID ends with it.
_MAX_NAME_BYTES = 100


class MirrorFile(NamedTuple):
    """A file with the time of its page, so that a run sees without reading that it has not changed."""

    text: str
    mtime_ns: int


def mirror_folder(above: Path, wiki: Wiki) -> Path:
    """Return the folder of a wiki's files. Wikis of several databases may have one number."""
    told = f"{wiki.wiki_id}\0{wiki.repository}\0{wiki.created_at.isoformat()}"
    return above / f"{wiki.wiki_id}-{blake2b(told.encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()}"


def path_of(page: Page) -> str:
    """Return the file of a page. Its name is the title, because file names count in searches.

    No folder or file has a name that a run would skip or treat as vendored, such as `node_modules`.
    """
    plain = re.sub(r"[^\w-]+", "-", page.title).encode()[:_MAX_NAME_BYTES].decode(errors="ignore").strip("-")
    name = (plain or page.page_id) + _ENDING
    return f"{page.page_type}/{page.page_id}{_MARK}/{name if secret_rule(name) is None else f'page-{name}'}"


def page_of(path: str) -> str:
    """Return the page of a file."""
    return path.split("/")[1].removesuffix(_MARK)


def failure_of(path: str) -> tuple[str, int]:
    """Return the page and number of a file's failure."""
    _, page_id, name = path.split("/")
    return page_id, int(name.removesuffix(_ENDING))


def page_files(pages: Iterable[Page]) -> dict[str, MirrorFile]:
    """Return the files of pages, by path."""
    return {path_of(page): MirrorFile(page_text(page), _ns(page.latest.written_at.timestamp())) for page in pages}


def failure_files(failures: Iterable[Failure]) -> dict[str, MirrorFile]:
    """Return the files of failures, by path."""
    return {
        f"failure/{one.page_id}/{one.failure_no}{_ENDING}": MirrorFile(
            failure_text(one), _ns(one.recorded_at.timestamp())
        )
        for one in failures
    }


def page_text(page: Page) -> str:
    """Return the indexed text of a page: its content below its title."""
    if page.headings[:1] == (page.title,):
        return page.latest.content
    return f"# {page.title}\n\n{page.latest.content}"


def failure_text(one: Failure) -> str:
    """Return the indexed text of a failure."""
    parts = (one.what.symptom, one.what.attempted_fix, one.what.diagnosis, one.what.actual_fix or "")
    return "\n\n".join(part for part in parts if part) + "\n"


def write_mirror(folder: Path, files: Mapping[str, MirrorFile]) -> None:
    """Make a folder hold these files and no others. Unchanged files are not written."""
    there = {}
    for above, _, names in os.walk(folder):
        for name in names:
            place = Path(above, name)
            there[place.relative_to(folder).as_posix()] = place.stat()
    for path in there.keys() - files.keys():
        (folder / path).unlink()
    for path, file in files.items():
        data = file.text.encode("utf-8", "surrogateescape")
        known = there.get(path)
        if known is not None and (known.st_size, known.st_mtime_ns) == (len(data), file.mtime_ns):
            continue
        target = folder / path
        target.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        write_private(target, data)
        os.utime(target, ns=(file.mtime_ns, file.mtime_ns))


def remove_mirror(folder: Path) -> None:
    """Remove the folder and its mark."""
    shutil.rmtree(folder, ignore_errors=True)
    _mark_of(folder).unlink(missing_ok=True)


def read_mark(folder: Path) -> dict[str, object] | None:
    """Return the mark of the last run, or None if the folder was never indexed."""
    try:
        mark = json.loads(_mark_of(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return mark if isinstance(mark, dict) else None


def write_mark(folder: Path, mark: Mapping[str, object]) -> None:
    """Store a mark that describes the index of the folder."""
    folder.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)  # A wiki without pages has no folder yet.
    write_private(_mark_of(folder), json.dumps(mark).encode())


def _mark_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.json")


def _ns(seconds: float) -> int:
    return int(seconds * 1_000_000) * 1_000
