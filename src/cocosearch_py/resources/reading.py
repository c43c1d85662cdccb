"""Content of resources: text or bytes. Any front end can serve it, through its own calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cocosearch_py.errors import NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.wiki.exchange import page_file
from cocosearch_py.model.code import NotFound
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.resources import mimir, reports
from cocosearch_py.resources.addresses import ABOUT, MAX_ADDRESS_CHARS, Address, Kind, bundle_path
from cocosearch_py.resources.facts import ServerFacts
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.maps import bundled_map

MAX_BLOB_BYTES = 8 * 1024 * 1024  # clients hold it in memory, and as base64
_FEWEST_CHUNK_BYTES = 200  # that a chunk takes in a bundle
_Make = Callable[[Call, str, ServerFacts], Json | str]
_TEXTS: Mapping[Kind, tuple[_Make, _Make]] = {  # ours, and Mimir's
    Kind.SERVER: (reports.server_status, mimir.server_status),
    Kind.STATUS: (reports.status, mimir.status),
    Kind.MANIFEST: (reports.manifest, mimir.manifest),
    Kind.LOG: (reports.log, mimir.log),
    Kind.MAP: (reports.repository_map, reports.repository_map),
}


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a resource: text, or bytes."""

    mime_type: str
    data: str | bytes


def read(call: Call, address: Address, facts: ServerFacts) -> Content:
    """Return the content of a resource. Blocks.

    Raises:
        NotFoundError: no such index, file or page.
        SafetyError: a path that leads out of the index's folder.
        ValidationError: a bundle that is too large to be read so, or a path that none can have.
    """
    data: str | bytes
    if address.kind is Kind.BUNDLE:
        data = _bundle(call, address.index_name, facts)
    elif address.kind is Kind.FILE:
        data = _file(call, address)
    elif address.kind is Kind.WIKI:
        data = page_file(call, address.path)
    else:
        told = _TEXTS[address.kind][address.mimir](call, address.index_name, facts)
        data = told if isinstance(told, str) else to_json(told)
    return Content(ABOUT[address.kind].mime_type, data)


def export(call: Call, index_name: str, folder: Path) -> Path:
    """Write the bundle of an index into a folder. Raises IndexNotFoundError, WorkspaceError."""
    app = call.app()
    record = call.named(app, index_name)
    return app.transfers.export(record, folder / Kind.BUNDLE.value, bundled_map).path


def _bundle(call: Call, index_name: str, facts: ServerFacts) -> bytes:
    record = call.named(call.app(), index_name)
    if record.chunk_count * _FEWEST_CHUNK_BYTES > MAX_BLOB_BYTES:
        raise _too_large(record, facts, "more")
    with TemporaryDirectory(prefix="cocosearch-bundle-") as folder:
        path = export(call, index_name, Path(folder))
        if (size := path.stat().st_size) > MAX_BLOB_BYTES:
            raise _too_large(record, facts, f"{size:,}")
        return path.read_bytes()


def _too_large(record: IndexRecord, facts: ServerFacts, size: str) -> ValidationError:
    or_get = f", or GET {bundle_path(record.name)} from this server" if facts.serves_http else ""
    return ValidationError(
        f"the bundle of index '{record.name}' has {size} bytes; a resource may have at most {MAX_BLOB_BYTES:,}",
        hint=f"`cocosearch-py export {record.name}` writes it to a file{or_get}",
    )


def _file(call: Call, address: Address) -> str:
    if len(address.path) > MAX_ADDRESS_CHARS or not is_text(address.path):
        raise ValidationError(
            "the path contains a character that is not allowed in a path", hint="percent-encode the path in UTF-8"
        )
    app = call.app()
    record = call.named(app, address.index_name)
    found = app.navigation.whole_file(address.path, record, call.rules(record))
    if isinstance(found, NotFound):
        told = f"{found.text[:200]} {found.why}"
        if found.is_refused:
            raise SafetyError(told, hint="only indexed files can be read")
        near = f"did you mean {', '.join(found.near)}?" if found.near else "list_files shows the files in the index"
        raise NotFoundError(told, hint=near)
    return found
