"""Pages of a wiki are found by an index that nobody sees; new knowledge goes where it belongs."""

from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import IndexNotFoundError, NotFoundError
from cocosearch_py.features.wiki.model import Contribution, NewFailure, WikiPlace
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.routing import FAILURES_PAGE, Routing
from cocosearch_py.features.wiki.search import WikiSearch
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.queries.indexes import list_all

PAGES = {
    "sign-in": "# Signing in\n\nA token is sent with each request. It is renewed every hour.\n\n"
    "## Expired tokens\n\nWhoever sends an expired token is asked to sign in again.\n",
    "storage": "# Where things are kept\n\nRows are in PostgreSQL, files in a bucket.\n\n"
    "## Backups\n\nBackups are made each night and are kept for a month.\n",
    "mail": "# Letters\n\nOrders are confirmed by mail. The queue is emptied every minute.\n",
}


@pytest.fixture
def place(app: App, sample_repo: Path) -> WikiPlace:
    """A project with an index and a wiki."""
    app.index(sample_repo, name="shop")
    place = find_place(sample_repo)
    Wikis(app.database).start(place)
    for page_id, content in PAGES.items():
        Wikis(app.database).write(
            place, Contribution(page_id, content, title=content.splitlines()[0][2:], page_type="module")
        )
    return place


def found(app: App, place: WikiPlace, query: str, **more: object) -> list[str]:
    return [hit.page.page_id for hit in WikiSearch(app).pages(place, query, 5, **more)[0]]  # type: ignore[arg-type]


def test_pages_are_found_and_stay_out_of_everything_else(app: App, place: WikiPlace) -> None:
    assert found(app, place, "when are backups made?")[0] == "storage"
    assert found(app, place, "expired token")[0] == "sign-in"
    assert found(app, place, "Letters")[0] == "mail"
    assert found(app, place, "backups", page_types=("topic",)) == []
    # As soon as it is written, and no longer by what it said before.
    Wikis(app.database).write(place, Contribution("mail", "Orders are confirmed by pigeons, homing ones.\n"))
    Wikis(app.database).write(place, Contribution("new", "The zebra crossing.\n", title="Zebras"))
    assert found(app, place, "homing pigeons")[0] == "mail"
    assert found(app, place, "zebra crossing")[0] == "new"
    # An index that no list shows, no name of a call means, and no search of code reads.
    assert [record.name for record in app.catalog.list_all()] == ["shop"]
    hits = app.search(SearchRequest("homing pigeons confirm orders"), index_name="shop")[1].hits
    assert not any("pigeons" in hit.content for hit in hits)
    with app.database.reading() as conn:
        assert [record.name for record in list_all(conn)] == ["shop"]
        names = [row[0] for row in conn.execute("SELECT name FROM cocosearch_py.indexes ORDER BY name")]
    assert len(names) == 2
    with pytest.raises(IndexNotFoundError):
        app.catalog.of_folders(app.catalog.list_all(), [app.data_folder / "wikis"])
    # It is made again where somebody removed it, or what it was made of.
    app.catalog.clear(next(name for name in names if name != "shop"))
    assert found(app, place, "homing pigeons")[0] == "mail"
    app.catalog.clear("shop")
    assert found(app, place, "homing pigeons")[0] == "mail"


def test_what_an_archived_wiki_was_found_by_is_removed(app: App, place: WikiPlace) -> None:
    assert found(app, place, "expired token")[0] == "sign-in"
    Wikis(app.database).start(place, force=True)
    Wikis(app.database).write(place, Contribution("zebra", "The zebra crossing.\n", title="\u4e2d" * 200))
    assert found(app, place, "expired token zebra") == ["zebra"]
    with app.database.reading() as conn:
        names = [row[0] for row in conn.execute("SELECT name FROM cocosearch_py.indexes WHERE name <> 'shop'")]
    assert len(names) == 1


def test_failures_are_kept_where_they_belong(app: App, place: WikiPlace) -> None:
    routing = Routing.of(app)
    (place.root / "backup.sh").write_text("cp a b\n", encoding="utf-8")
    Wikis(app.database).write(place, Contribution("storage", sources=["backup.sh"]))
    first = NewFailure("backups are empty in the morning", "a longer timeout", "the bucket was full", "a larger bucket")
    kept = routing.record_failure(place, first, None, author="ann")
    assert (kept.written.page.page_id, kept.written.failure_nos, kept.similar) == ("storage", (1,), ())
    like = NewFailure("in the morning all backups are empty again", "a retry", "see there")
    again = routing.record_failure(place, like, None, author="ann")
    assert [(hit.failure.page_id, hit.failure.failure_no) for hit in again.similar] == [("storage", 1)]
    # By the files that a page is about, whatever the words are.
    by_file = NewFailure("zzz", "qqq", "xxx", source_files=("backup.sh",))
    assert routing.record_failure(place, by_file, None, author="ann").written.page.page_id == "storage"
    named = routing.record_failure(place, first, "Letters", author="ann")
    assert (named.written.page.page_id, named.written.page.version) == ("mail", 1)
    nowhere = NewFailure("the giraffe sneezes", "a scarf", "pollen of acacias")
    other = routing.record_failure(place, nowhere, None, author="ann")
    assert (other.written.page.page_id, other.written.created) == (FAILURES_PAGE, True)
    with pytest.raises(NotFoundError):
        routing.record_failure(place, first, "no such page", author="ann")


def test_what_was_learned_goes_where_it_belongs(app: App, place: WikiPlace) -> None:
    text = "Backups of the rows in PostgreSQL are kept for a month, those of the bucket for a year."
    told = Routing.of(app).compound(place, text, author="ann", apply=False)
    assert (told.page_id, told.written, Wikis(app.database).read(place, "storage").page.version) == ("storage", None, 1)
    done = Routing.of(app).compound(place, text, ["mail", "gone"], "How long", author="ann")
    assert done.written is not None and (done.page_id, done.written.page.version) == ("storage", 2)
    content = Wikis(app.database).read(place, "storage").page.latest.content
    assert content == f"{PAGES['storage']}\n## How long\n\n{text}\n\nSee also [[mail]].\n"
    assert Wikis(app.database).history(place, "storage")[0].reason == "compounded"
    made = Routing.of(app).compound(place, "# Giraffes\n\nThe giraffe eats acacias.", author="ann")
    assert made.written is not None and (made.page_id, made.written.created) == ("giraffes", True)
    assert made.written.page.page_type == "topic"


def test_no_page_has_a_name_by_which_files_are_left_out(app: App, place: WikiPlace) -> None:
    for page_id, title in (
        ("node_modules", "id_rsa keys"),
        ("vendor", "test"),
        ("a.b", "../../.env"),
        ("dist", "\u5317"),
    ):
        Wikis(app.database).write(place, Contribution(page_id, f"Chapter about quokkas of {page_id}.", title=title))
    assert {*found(app, place, "quokkas")} >= {"node_modules", "vendor", "a.b", "dist"}


def test_a_place_without_pages(app: App, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    place = find_place(tmp_path / "empty")
    with App(app.settings, tmp_path / "data") as fresh:  # nothing is laid out there
        with pytest.raises(NotFoundError, match="no wiki yet"):
            WikiSearch(fresh).pages(place, "anything", 5)
        Wikis(fresh.database).start(place)
        assert WikiSearch(fresh).pages(place, "anything", 5) == ([], None)
        assert WikiSearch(fresh).failures(place, "anything", 5) == []
        assert Routing.of(fresh).compound(place, "First words.", author="ann").page_id == "first-words"
        assert found(fresh, place, "words") == ["first-words"]


def test_pages_are_found_by_what_others_call_them(app: App, place: WikiPlace) -> None:
    Wikis(app.database).write(place, Contribution("birds", "They live in [[mail|the pigeon loft]].", title="Birds"))
    assert found(app, place, "the pigeon loft")[0] == "mail"
    # What filters a search of code is text here.
    Wikis(app.database).write(
        place, Contribution("yaml", "`kind:Deployment` and `path:zone` are what it reads.", title="Charts")
    )
    assert found(app, place, "kind:Deployment path:zone lang:klingon")[0] == "yaml"
    told = Routing.of(app).compound(
        place, "kind:Deployment is what the charts say of zones.", author="ann", apply=False
    )
    assert told.route.candidates[0].page.page_id == "yaml"
