"""Addresses of resources: ours, and those of Mimir's API, which nothing lists. Pure; knows no index."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple
from urllib.parse import quote, unquote

from cocosearch_py.model.paths import is_text

MAX_ADDRESS_CHARS = 8_000
JSON, MARKDOWN, BUNDLE_TYPE, TEXT = "application/json", "text/markdown", "application/zstd", "text/plain"


class Kind(Enum):
    """Kind of a resource."""

    SERVER = "server"
    STATUS = "status.json"
    MANIFEST = "manifest.json"
    LOG = "log.md"
    MAP = "repomap.md"
    BUNDLE = "bundle.tar.zst"
    FILE = "file"
    WIKI = "wiki"


class About(NamedTuple):
    """Description of a kind for people and agents; `tool` answers the same, `address` is a template of RFC 6570."""

    address: str
    title: str
    description: str
    mime_type: str
    tool: str


ABOUT = {
    Kind.SERVER: About(
        "cocosearch://status",
        "State of the server",
        "Indexes that this server shows, and unfinished runs.",
        JSON,
        "index_status",
    ),
    Kind.STATUS: About(
        "cocosearch://indexes/{index}/status.json",
        "State of an index",
        "Indexing progress, or the state of an index, as index_status reports it.",
        JSON,
        "index_status",
    ),
    Kind.MANIFEST: About(
        "cocosearch://indexes/{index}/manifest.json",
        "Manifest of an index",
        "Source, settings, contents and versions of an index.",
        JSON,
        "index_stats",
    ),
    Kind.LOG: About(
        "cocosearch://indexes/{index}/log.md",
        "Log of an index",
        "Log of the latest runs of an index, and its contents.",
        MARKDOWN,
        "index_status",
    ),
    Kind.MAP: About(
        "cocosearch://indexes/{index}/repomap.md",
        "Map of a repository",
        "Central files of a repository and the definitions that others use, as get_repo_map shows them.",
        MARKDOWN,
        "get_repo_map",
    ),
    Kind.BUNDLE: About(
        "cocosearch://indexes/{index}/bundle.tar.zst",
        "Bundle of an index",
        "Index as one file that `cocosearch-py import` reads into another database.",
        BUNDLE_TYPE,
        "export_index",
    ),
    Kind.FILE: About(
        "cocosearch://file/{index}/{+path}",
        "File of an index",
        "Text of an indexed file as it is on disk now.",
        TEXT,
        "read_code",
    ),
    Kind.WIKI: About(
        "cocosearch://wiki/{page}",
        "Page of the wiki",
        "Page of the project's wiki, as `wiki export` writes it; index.md lists all pages.",
        MARKDOWN,
        "wiki_read",
    ),
}
OF_AN_INDEX = (Kind.STATUS, Kind.MANIFEST, Kind.LOG, Kind.MAP, Kind.BUNDLE)
_MIMIR = (Kind.STATUS, Kind.MANIFEST, Kind.LOG, Kind.BUNDLE)
_REPO = {"manifest": Kind.MANIFEST, "logs": Kind.LOG, "bundle": Kind.BUNDLE}
_MIMIR_SCHEMES = ("repo://", "mimir://")


@dataclass(frozen=True, slots=True)
class Address:
    """Address that a client asks for; `path` is that of a file, or the page of a wiki.

    `mimir`: the answer is to have Mimir's shape.
    """

    uri: str
    kind: Kind
    index_name: str = ""
    path: str = ""
    mimir: bool = False


def is_of_mimir(uri: str) -> bool:
    """Whether an address is in one of Mimir's schemes, known or not."""
    return uri.lower().startswith(_MIMIR_SCHEMES)


def address_of(kind: Kind, index_name: str) -> str:
    """Our address of something of an index."""
    return f"cocosearch://indexes/{quote(index_name, safe='@')}/{kind.value}"


def bundle_path(index_name: str) -> str:
    """Where servers on a port give the bundle of an index, however large it is."""
    return f"/indexes/{quote(index_name, safe='@')}/{Kind.BUNDLE.value}"


def read_address(uri: str) -> Address | None:
    """Return the meaning of an address; None when it has none here."""
    scheme, separator, rest = uri.partition("://")
    if not separator or len(uri) > MAX_ADDRESS_CHARS:
        return None
    parts = rest.split("/", 2)
    match scheme.lower(), parts:
        case ("cocosearch" | "repo") as found, ["status"]:
            return Address(uri, Kind.SERVER, mimir=found == "repo")
        case "cocosearch", ["indexes", name, last] if (kind := _kind(last, OF_AN_INDEX)) is not None:
            return _named(uri, kind, name)
        case "mimir", ["indexes", name, last] if (kind := _kind(last, _MIMIR)) is not None:
            return _named(uri, kind, name, mimir=True)
        case "repo", [what, name] if what in _REPO:
            return _named(uri, _REPO[what], name, mimir=True)
        case "cocosearch", ["file", name, path] if path:
            return _named(uri, Kind.FILE, name, unquote(path))
        case "cocosearch", ["wiki", page] if page and is_text(unquote(page)):
            return Address(uri, Kind.WIKI, path=unquote(page))
    return None


def _named(uri: str, kind: Kind, name: str, path: str = "", *, mimir: bool = False) -> Address | None:
    index_name = unquote(name)
    return Address(uri, kind, index_name, path, mimir) if index_name and is_text(index_name) else None


def _kind(text: str, among: tuple[Kind, ...]) -> Kind | None:
    return next((kind for kind in among if kind.value == text), None)
