"""The wiki: versions, conflicts, links, and what becomes of the files that pages are about."""

import subprocess
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import ConflictError, NotFoundError, SafetyError, ValidationError
from cocosearch_py.features.wiki.model import Contribution, NewContradiction, NewFailure, WikiPlace
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis


@pytest.fixture
def place(tmp_path: Path) -> WikiPlace:
    """A folder that is no repository."""
    folder = tmp_path / "project"
    folder.mkdir()
    return find_place(folder)


@pytest.fixture
def wikis(app: App, place: WikiPlace) -> Wikis:
    """The service; the place has a wiki."""
    Wikis(app.database).start(place)
    return Wikis(app.database)


def page(page_id: str, content: str = "Text.", **more: object) -> Contribution:
    return Contribution(page_id, content, title=page_id.title(), author="ann", **more)  # type: ignore[arg-type]


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@t")
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def states(wikis: Wikis, place: WikiPlace, page_id: str) -> dict[str, tuple[str, str | None]]:
    return {one.source.spelled: (one.state, one.moved_to) for one in wikis.read(place, page_id).sources}


def test_every_version_is_kept(wikis: Wikis, place: WikiPlace) -> None:
    first = wikis.write(place, page("auth", "One.\n"))
    second = wikis.write(place, Contribution("auth", "Two.\n", author="bob"))
    again = wikis.write(place, Contribution("auth", "Two.\n", author="eve"))
    back = wikis.restore(place, "auth", 1, "cid")
    assert [(one.page.version, one.created, one.changed) for one in (first, second, again, back)] == [
        (1, True, True),
        (2, False, True),
        (2, False, False),  # nothing is new
        (3, False, True),
    ]
    history = wikis.history(place, "auth")
    assert [(one.version, one.content, one.author, one.reason) for one in history] == [
        (3, "One.\n", "cid", "restored"),
        (2, "Two.\n", "bob", "written"),
        (1, "One.\n", "ann", "written"),
    ]
    assert history[0].written_at >= history[1].written_at
    with pytest.raises(NotFoundError, match="no version 9"):
        wikis.version(place, "auth", 9)


def test_a_conflict_shows_what_others_wrote(wikis: Wikis, place: WikiPlace) -> None:
    wikis.write(place, page("auth", "One.\nSame.\n"))
    wikis.write(place, Contribution("auth", "Two.\nSame.\n", author="bob"))
    with pytest.raises(ConflictError) as caught:
        wikis.write(place, Contribution("auth", "Three.\n", if_version=1))
    details = caught.value.details
    assert (details["version"], details["if_version"], details["author"]) == (2, 1, "bob")
    assert "-One.\n+Two.\n Same." in details["diff"]
    assert wikis.read(place, "auth").page.latest.content == "Two.\nSame.\n"
    with pytest.raises(ConflictError):
        wikis.write(place, page("auth", if_version=0))  # it was to be a new one
    with pytest.raises(ConflictError, match="it has version 2, not 3"):  # nobody can have read that one
        wikis.write(place, Contribution("auth", "Three.\n", if_version=3))
    assert wikis.write(place, Contribution("auth", "Three.\n", if_version=2)).page.version == 3


def test_links_lead_out_and_in_and_broken_ones_are_named(wikis: Wikis, place: WikiPlace) -> None:
    wikis.write(place, page("auth", "# Sign in\n\nSee [[store|the store]] and [[auth#sign in]] and [[#nowhere]].\n"))
    text = (
        "[[auth]], *[[auth#Sign  in]]*, [[auth#Sign out]], [[lost]]\n\n"
        "`[[code]]` ``[[a]] ` [[b]]`` \\[[no]]\n\n```\n[[fence]]\n```\n\n    [[indented]]\n\n<p>\n[[html]]\n</p>\n\n"
        "> - quoted [[lost|in a\n> list]] and [[lost#part|one]]\n"
    )
    written = wikis.write(place, page("store", text))
    assert [(one.target, one.heading, one.line) for one in written.broken] == [
        ("auth", "Sign out", 1),
        ("lost", None, 1),
        ("lost", "part", 16),
    ]
    view = wikis.read(place, "auth")
    assert [(one.target, one.broken) for one in view.out] == [
        ("store", None),  # it was broken before that page was there
        ("auth", None),
        ("", "page 'auth' has no heading 'nowhere'"),
    ]
    assert [(one.page_id, one.heading) for one in view.into] == [
        ("store", None),
        ("store", "Sign  in"),
        ("store", "Sign out"),
    ]


def test_a_page_is_stale_when_its_sources_changed(wikis: Wikis, place: WikiPlace) -> None:
    (place.root / "a.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n", encoding="utf-8")
    (place.root / "b.py").write_text("b = 1\n", encoding="utf-8")
    (place.root / "c.py").write_text("c = 1\n", encoding="utf-8")
    sources = ["a.py", "a.py#one", "a.py#two", "a.py#three", "b.py", "c.py", "none.py"]
    written = wikis.write(place, page("auth", sources=sources))
    assert written.missing_sources == ("a.py#three", "none.py")
    assert {state for state, _ in states(wikis, place, "auth").values()} == {"current", "unknown"}
    (place.root / "a.py").write_text("import os\n\ndef one():\n    return 1\n\n\ndef two():\n    return 3\n")
    (place.root / "lib").mkdir()
    (place.root / "b.py").rename(place.root / "lib" / "b.py")
    (place.root / "c.py").unlink()
    assert states(wikis, place, "auth") == {
        "a.py": ("changed", None),
        "a.py#one": ("current", None),
        "a.py#two": ("changed", None),
        "a.py#three": ("unknown", None),
        "b.py": ("moved", "lib/b.py"),
        "c.py": ("gone", None),
        "none.py": ("unknown", None),
    }
    wikis.write(place, Contribution("auth", "New text.\n"))  # whoever writes has seen the sources as they are
    assert states(wikis, place, "auth")["a.py"] == ("current", None)
    for outside in ("../x.py", "/etc/passwd", ""):
        with pytest.raises(ValidationError, match="not a file in the repository"):
            wikis.write(place, page("auth", sources=[outside]))


def test_resolving_comes_before_adding(wikis: Wikis, place: WikiPlace) -> None:
    failure = NewFailure("it hangs", "a retry", "no time limit", source_files=("a.py",))
    first = wikis.write(place, page("auth", failures=[failure], contradictions=[NewContradiction("x is not y")]))
    assert first.failure_nos == (1,)
    second = wikis.write(
        place,
        Contribution(
            "auth",
            failures=[NewFailure("it is slow", "a cache", "wrong key")],
            resolve_failures=True,
            contradictions=[NewContradiction("y is not z", "b.py")],
            resolve_contradictions=True,
        ),
    )
    assert (second.changed, second.failures_resolved, second.contradictions_resolved) == (False, 1, 1)
    view = wikis.read(place, "auth")
    assert [(one.failure_no, one.what.symptom, one.resolved_at is None) for one in view.failures] == [
        (1, "it hangs", False),
        (2, "it is slow", True),
    ]
    assert [(one.what.description, one.resolved_at is None) for one in view.contradictions] == [
        ("x is not y", False),
        ("y is not z", True),
    ]


def test_one_wiki_a_repository(app: App, tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    (main / "a.py").write_text("a = 1\n", encoding="utf-8")
    git(main, "add", ".")
    git(main, "commit", "-qm", "first")
    git(main, "worktree", "add", "-q", "../other")
    (main / "inner").mkdir()
    here, other = find_place(main / "inner"), find_place(tmp_path / "other")
    assert (here.repository, here.root) == (other.repository, main)
    wiki = Wikis(app.database).start(here)
    assert wiki.git_ref == git(main, "rev-parse", "HEAD").strip()
    Wikis(app.database).write(here, page("auth", sources=["a.py"]))
    (tmp_path / "other" / "a.py").write_text("a = 2\n", encoding="utf-8")
    assert states(Wikis(app.database), here, "auth")["a.py"][0] == "current"
    assert states(Wikis(app.database), other, "auth")["a.py"][0] == "changed"  # in that worktree
    with pytest.raises(SafetyError, match="has a wiki"):
        Wikis(app.database).start(other)
    assert Wikis(app.database).start(other, force=True).wiki_id != wiki.wiki_id
    assert Wikis(app.database).pages(here) == []
    with app.database.reading() as conn:
        kept = conn.execute("SELECT content FROM cocosearch_py.wiki_versions").fetchall()
    assert kept == [("Text.",)]  # archived


def test_pages_outlive_their_index(app: App, sample_repo: Path) -> None:
    place = find_place(sample_repo)
    Wikis(app.database).start(place)
    Wikis(app.database).write(place, page("auth"))
    app.index(sample_repo, name="shop")
    app.index(sample_repo, name="shop", options=app.indexing_options(fresh=True))
    app.catalog.clear("shop")
    assert Wikis(app.database).read(place, "auth").page.version == 1


def test_a_page_is_found_by_a_part_of_its_title(wikis: Wikis, place: WikiPlace) -> None:
    wikis.write(place, Contribution("auth", "x", title="Signing in"))
    wikis.write(place, Contribution("store", "x", title="What is stored"))
    for text in ("auth", "AUTH", "signing in", "Signing", "sign"):
        assert wikis.read(place, text).page.page_id == "auth"
    with pytest.raises(NotFoundError) as caught:
        wikis.read(place, "s")
    assert "auth, store" in caught.value.hint
    with pytest.raises(NotFoundError) as caught:
        wikis.read(place, "stroe")
    assert "store" in caught.value.hint


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (Contribution("Not A Slug", "x", title="x"), "not-a-slug"),
        (Contribution("new", "x"), "give title"),
        (Contribution("new", title="x"), "give content"),
        (Contribution("new", "x", title="x", page_type="essay"), "architecture"),
        (Contribution("new", "x" * 200_001, title="x"), "200,000"),
        (Contribution("new", "x", title="x", failures=[NewFailure("", "b", "c")]), "describe what"),
        (Contribution("new", "x\0", title="x"), "UTF-8"),
        (Contribution("new", "x", title="\udc80"), "UTF-8"),
    ],
)
def test_what_no_page_can_be_is_refused(wikis: Wikis, place: WikiPlace, what: Contribution, says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        wikis.write(place, what)
    assert says in caught.value.hint
    assert wikis.pages(place) == []


def test_without_a_wiki_nothing_is_written(app: App, place: WikiPlace) -> None:
    with pytest.raises(NotFoundError, match="no wiki yet"):
        Wikis(app.database).write(place, page("auth"))
    assert Wikis(app.database).find(place) is None
