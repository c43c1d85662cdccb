"""Pages of a wiki are renamed and removed: no version is lost, links stay whole, and old names go on working."""

from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import ConflictError, NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.wiki.exchange import export_folder, import_folder
from cocosearch_py.features.wiki.model import Contribution, NewFailure, WikiPlace
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.rename import remove_page, rename_page
from cocosearch_py.features.wiki.routing import FAILURES_PAGE, Routing
from cocosearch_py.features.wiki.wikis import Wikis

CARTS = "See [[money]], [[money#Rounding|rounding]] and [[carts]].\n\n```\n[[money]]\n```\n"


@pytest.fixture
def place(app: App, tmp_path: Path) -> WikiPlace:
    """A wiki in which `carts` links to `money`."""
    (tmp_path / "project").mkdir()
    place = find_place(tmp_path / "project")
    Wikis(app.database).start(place)
    failure = NewFailure("cents are lost", "floats", "they are binary")
    Wikis(app.database).write(place, Contribution("money", "## Rounding\n\nUp.\n", title="Money", failures=[failure]))
    Wikis(app.database).write(place, Contribution("money", "## Rounding\n\nUp. See [[money#Rounding]].\n"))
    Wikis(app.database).write(place, Contribution("carts", CARTS, title="Carts", page_type="module"))
    return place


def broken(app: App, place: WikiPlace) -> list[str]:
    return [str(link.broken) for link in Wikis(app.database).links(place) if link.broken]


def ids(app: App, place: WikiPlace) -> list[str]:
    return [page.page_id for page in Wikis(app.database).pages(place)]


def test_a_page_is_renamed(app: App, place: WikiPlace) -> None:
    moved = rename_page(Wikis(app.database), place, "money", "prices", "Prices", author="ann")
    assert (moved.page, moved.title, moved.version, moved.rewritten) == (
        *("prices", "Prices", 3),
        ("carts",),
    )
    assert ids(app, place) == ["carts", "prices"] and broken(app, place) == []
    # Its versions and notes went along; links were changed where they are links.
    assert [one.reason for one in Wikis(app.database).history(place, "prices")] == ["renamed", "written", "written"]
    assert [one.page_id for one in Wikis(app.database).failures(place)] == ["prices"]
    assert "See [[prices#Rounding]]" in Wikis(app.database).read(place, "prices").page.latest.content
    carts = Wikis(app.database).read(place, "carts").page
    assert carts.latest.content == CARTS.replace("[[money", "[[prices").replace("```\n[[prices]]", "```\n[[money]]")
    assert (carts.version, carts.latest.author, carts.page_type) == (2, "ann", "module")
    # Who knows the old id reads, writes and links as before.
    assert Wikis(app.database).read(place, "money").page.page_id == "prices"
    assert [one.version for one in Wikis(app.database).history(place, "money")] == [3, 2, 1]
    written = Wikis(app.database).write(place, Contribution("money", "## Rounding\n\nDown. [[money]]\n", if_version=3))
    assert (written.page.page_id, written.page.version, written.page.latest.content) == (
        *("prices", 4),
        "## Rounding\n\nDown. [[prices]]\n",
    )
    assert not Wikis(app.database).write(place, Contribution("prices", "## Rounding\n\nDown. [[money]]\n")).changed
    with pytest.raises(ConflictError):
        Wikis(app.database).write(place, Contribution("money", "New.\n", title="Money", if_version=0))
    assert Wikis(app.database).restore(place, "carts", 1, "bob").broken == ()
    # Again, and back: each of its ids leads to it.
    rename_page(Wikis(app.database), place, "prices", "amounts", author="ann")
    assert {Wikis(app.database).page_id(place, old) for old in ("money", "prices", "amounts")} == {"amounts"}
    rename_page(Wikis(app.database), place, "amounts", "money", author="ann")
    assert {Wikis(app.database).page_id(place, old) for old in ("money", "prices", "amounts")} == {"money"}
    assert [one.version for one in Wikis(app.database).history(place, "money")] == [6, 5, 4, 3, 2, 1]
    assert broken(app, place) == []
    # Also where it was removed.
    remove_page(Wikis(app.database), place, "money", author="ann")
    with pytest.raises(NotFoundError, match="'money' was removed"):
        Wikis(app.database).read(place, "prices")
    assert Wikis(app.database).restore(place, "prices", 6, "ann").page.page_id == "money"


def test_a_page_is_removed_and_comes_back(app: App, place: WikiPlace) -> None:
    moved = remove_page(Wikis(app.database), place, "money", author="ann")
    assert (moved.moved_to, moved.rewritten) == (None, ())
    assert [link.reason for link in moved.broken_links] == ["no page 'money'"] * 2
    assert ids(app, place) == ["carts"] and Wikis(app.database).failures(place) == []
    with pytest.raises(NotFoundError, match="was removed") as error:
        Wikis(app.database).read(place, "money")
    assert "wiki restore money 2" in str(error.value.hint)
    assert [one.version for one in Wikis(app.database).history(place, "money")] == [2, 1]
    back = Wikis(app.database).restore(place, "money", 2, "bob")
    assert (back.page.version, back.page.latest.reason) == (3, "restored")
    assert broken(app, place) == [] and len(Wikis(app.database).failures(place)) == 1
    # Who writes it anew goes on with its versions.
    remove_page(Wikis(app.database), place, "money", author="ann")
    new = Wikis(app.database).write(
        place, Contribution("money", "## Rounding\n", title="New", page_type="entity", if_version=0)
    )
    assert (new.created, new.page.version, new.page.page_type) == (True, 4, "entity")
    # Another page takes its place.
    moved = remove_page(Wikis(app.database), place, "carts", "money", author="ann")
    assert (moved.moved_to, moved.rewritten, moved.broken_links) == ("money", (), ())
    assert Wikis(app.database).read(place, "carts").page.page_id == "money"
    assert Wikis(app.database).restore(place, "carts", 1, "bob").page.page_id == "carts"


def test_what_cannot_be_is_refused(app: App, place: WikiPlace) -> None:
    for new_id, error in (("carts", SafetyError), ("money", ValidationError), ("Not an id", ValidationError)):
        with pytest.raises(error):
            rename_page(Wikis(app.database), place, "money", new_id, author="ann")
    with pytest.raises(ValidationError):
        rename_page(Wikis(app.database), place, "money", "prices", " ", author="ann")
    with pytest.raises(ValidationError):
        remove_page(Wikis(app.database), place, "money", "money", author="ann")
    remove_page(Wikis(app.database), place, "money", author="ann")
    with pytest.raises(SafetyError, match="was removed"):
        rename_page(Wikis(app.database), place, "carts", "money", author="ann")
    with pytest.raises(NotFoundError):
        remove_page(Wikis(app.database), place, "money", author="ann")
    assert ids(app, place) == ["carts"] and Wikis(app.database).read(place, "carts").page.version == 1


def test_folders_from_before_change_nothing(app: App, place: WikiPlace, tmp_path: Path) -> None:
    Wikis(app.database).write(place, Contribution("old", "Outdated.\n", title="Old"))
    folder = tmp_path / "wiki"
    export_folder(Wikis(app.database), place, folder)
    rename_page(Wikis(app.database), place, "money", "prices", author="ann")
    remove_page(Wikis(app.database), place, "old", author="ann")
    before = Wikis(app.database).snapshot(place)
    taken = import_folder(Wikis(app.database), place, folder, "bob")
    assert (taken.created, taken.updated, taken.unchanged, taken.kept) == ((), (), (), ("carts", "old", "prices"))
    told = export_folder(Wikis(app.database), place, folder)
    assert told.left == ("money.md", "old.md")
    taken = import_folder(Wikis(app.database), place, folder, "bob")
    assert (taken.created, taken.updated, taken.kept) == ((), (), ("money", "old"))
    assert Wikis(app.database).snapshot(place).pages == before.pages
    # What hands wrote into the file of a removed page is not passed over.
    path = folder / "old.md"
    path.write_text(path.read_text().replace("Outdated.", "It is not."))
    with pytest.raises(ConflictError, match="has removed"):
        import_folder(Wikis(app.database), place, folder, "bob")
    assert import_folder(Wikis(app.database), place, folder, "bob", force=True).created == ("old",)
    assert [one.version for one in Wikis(app.database).history(place, "old")] == [2, 1]


def test_nothing_is_written_into_a_page_that_has_another_name_now(app: App, place: WikiPlace) -> None:
    routing, failure = Routing.of(app), NewFailure("a zebra in the rack", "a fence", "it jumps")
    routing.record_failure(place, failure, None, author="ann")
    if FAILURES_PAGE in ids(app, place):
        rename_page(Wikis(app.database), place, FAILURES_PAGE, "attempts", author="ann")
        before = Wikis(app.database).read(place, "attempts").page
        again = routing.record_failure(place, failure, None, author="ann").written
        assert again.page.latest == before.latest
    remove_page(Wikis(app.database), place, "carts", author="ann")
    new = routing.compound(place, "Zebras in racks eat cables, and nobody knows why.", title="Carts", author="ann")
    assert new.page_id not in ("carts", "money")
