"""How a wiki is: what its pages cover, and which of them need work."""

from collections.abc import Mapping
from dataclasses import dataclass

from cocosearch_py.discovery.git import repository_state, run_git
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.files import DiscoveredFile
from cocosearch_py.model.wiki import LinkState, Page, SourceState, Wiki, WikiPlace
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import wiki as store
from cocosearch_py.wiki.service import WikiService


@dataclass(frozen=True, slots=True)
class Status:
    """Figures of a wiki. `states` are by page; `commits_behind` is None without git, or when it does not tell.

    `files` are the code files of the place, `covered` those that a page is about.
    """

    wiki: Wiki
    pages: tuple[Page, ...]
    states: Mapping[str, list[SourceState]]
    broken_links: tuple[LinkState, ...]
    commits_behind: int | None
    covered: int
    files: int
    open_failures: int
    open_contradictions: int


def read_status(wikis: WikiService, place: WikiPlace) -> Status:
    """Look at all pages, and at the folder; raises NotFoundError where there is no wiki."""
    wiki = wikis.require(place)
    pages = tuple(wikis.pages(place))
    states = wikis.states(place, pages)

    def count_open(conn: Connection) -> tuple[int, int]:
        failures, contradictions = store.failures(conn, wiki.wiki_id), store.contradictions(conn, wiki.wiki_id)
        return sum(one.resolved_at is None for one in failures), sum(one.resolved_at is None for one in contradictions)

    code = {
        entry.path
        for entry in open_origin(place.root, None).walk(DiscoveryOptions())
        if isinstance(entry, DiscoveredFile) and _is_code(entry.path)
    }
    about = {one.moved_to or one.source.path for found in states.values() for one in found}
    failures, contradictions = wikis.database.read(count_open)
    return Status(
        wiki=wiki,
        pages=pages,
        states=states,
        broken_links=tuple(one for one in wikis.links(place) if one.broken),
        commits_behind=_commits_behind(place, wiki.git_ref),
        covered=len(code & about),
        files=len(code),
        open_failures=failures,
        open_contradictions=contradictions,
    )


def _is_code(path: str) -> bool:
    language = LANGUAGES.get(detect_language(path, b""))
    return language is not None and language.kind == "code"


def _commits_behind(place: WikiPlace, git_ref: str | None) -> int | None:
    if git_ref is None or repository_state(place.root) is None:
        return None
    answer = run_git(place.root, ["rev-list", "--count", f"{git_ref}..HEAD", "--"])
    return int(answer) if answer is not None and answer.strip().isdigit() else None
