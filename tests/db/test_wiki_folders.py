"""Wikis as folders: the way there and back changes nothing, hands may change files, and nothing is lost unasked."""

import os
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import ConflictError, SafetyError, ValidationError
from cocosearch_py.features.wiki.exchange import export_folder, import_folder
from cocosearch_py.features.wiki.model import Contribution, NewContradiction, NewFailure, WikiPlace
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis

CARTS = """# Carts

See [[money]], [[money#How it is rounded|rounding]] and [[Nothing there]]; [[index]] lists all. [[#Ends]]

| page | what |
|---|---|
| [[money\\|cash]] | **bold** |

```
[[money]] stays, as does [a](money.md)
```

`[[money]]` and a [link](money.md#how-it-is-rounded) of [somebody](https://example.org/money.md).

## Ends
"""
ODD = 'It\'s "odd": [brackets] | `tick` <b> \\ é 🙂 \x7f'


@pytest.fixture
def place(app: App, tmp_path: Path) -> WikiPlace:
    root = tmp_path / "project"
    (root / "shop").mkdir(parents=True)
    (root / "shop/cart.py").write_text("class Cart: ...\n")
    found = find_place(root)
    Wikis(app.database).start(found)
    fill(app, found)
    return found


def fill(app: App, place: WikiPlace) -> None:
    write = Wikis(app.database).write
    failure = NewFailure(
        "It says:\n```\nTraceback <module>\n```", "rm -rf", "no\n", "yes [x](y.md)", ("a.py", "b c.py")
    )
    write(
        place,
        Contribution("money", content="# Money\n\n## How it is rounded\n\nUp.", title="Money", page_type="entity"),
    )
    write(place, Contribution("index", content="Not the list.", title="Index", author="me"))
    write(place, Contribution("odd.title", content="\n\n<!-- cocosearch-py: notes -->\n\nEnd\n\n", title=ODD))
    write(place, Contribution("carts", content="Old", title="Carts", author="x"))
    write(
        place,
        Contribution(
            "carts",
            content=CARTS,
            sources=["shop/cart.py", "shop/cart.py#Cart", "gone.py"],
            failures=[failure, NewFailure("s", "a", "d")],
            contradictions=[NewContradiction("not\n\n**so**", "docs/x.md"), NewContradiction("or so")],
            author='a "b"',
        ),
    )
    write(place, Contribution("money", failures=[NewFailure("1", "2", "3")]))
    write(place, Contribution("money", resolve_failures=True))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_there_and_back_and_there_is_the_same(app: App, place: WikiPlace, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    export_folder(Wikis(app.database), place, one)
    files = bytes_of(one)
    assert set(files) == {"index.md", "_index.md", "money.md", "carts.md", "odd.title.md"}
    carts = files["carts.md"].decode()
    assert "See [Money](money.md), [rounding](money.md#how-it-is-rounded) and [[Nothing there]]" in carts
    assert "[Index](_index.md) lists all. [Ends](#ends)" in carts
    assert "| [cash](money.md) | **bold** |" in carts
    assert "[[money]] stays, as does [a](money.md)" in carts
    assert "`[[money]]` and a [link](money.md#how-it-is-rounded) of" in carts
    (tmp_path / "elsewhere").mkdir()
    other = find_place(tmp_path / "elsewhere")
    done = import_folder(Wikis(app.database), other, one, "importer")
    assert done.created == ("carts", "index", "money", "odd.title")
    export_folder(Wikis(app.database), other, two)
    assert bytes_of(two) == files
    there, back = Wikis(app.database).read(place, "carts"), Wikis(app.database).read(other, "carts")
    assert back.page.latest.sources == there.page.latest.sources
    assert [(one.what, one.recorded_at) for one in back.failures] == [
        (one.what, one.recorded_at) for one in there.failures
    ]
    assert [one.what for one in back.contradictions] == [one.what for one in there.contradictions]
    assert back.page.latest.content.count("[[money") == CARTS.count("[[money") + 1, "a link of Markdown is one as well"
    again = import_folder(Wikis(app.database), place, one, "importer")
    assert (again.created, again.updated, len(again.unchanged)) == ((), (), 4)
    assert export_folder(Wikis(app.database), place, one).written == ()
    assert len(Wikis(app.database).read(place, "carts").failures) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_new_folder_of_pages_is_private_and_a_replaced_page_keeps_its_mode(
    app: App, place: WikiPlace, tmp_path: Path
) -> None:
    export_folder(Wikis(app.database), place, tmp_path / "out")
    assert {path.stat().st_mode & 0o077 for path in [tmp_path / "out", *(tmp_path / "out").iterdir()]} == {0}
    (tmp_path / "out" / "money.md").chmod(0o640)
    Wikis(app.database).write(place, Contribution("money", "Other words.\n"))
    export_folder(Wikis(app.database), place, tmp_path / "out")
    assert (tmp_path / "out" / "money.md").stat().st_mode & 0o777 == 0o640


def test_what_a_hand_changes_is_a_new_version(app: App, place: WikiPlace, tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    export_folder(Wikis(app.database), place, folder)
    money = folder / "money.md"
    money.write_text(money.read_text().replace("Up.", "Down, in [Carts](carts.md)."))
    with pytest.raises(SafetyError, match=r"money\.md: it was edited by hand"):
        export_folder(Wikis(app.database), place, folder)
    done = import_folder(Wikis(app.database), place, folder, "hand")
    assert (done.updated, len(done.unchanged)) == (("money",), 3)
    page = Wikis(app.database).read(place, "money").page
    assert (page.version, page.latest.author, page.latest.reason) == (2, "hand", "imported")
    assert page.latest.content.endswith("Down, in [[carts]].")
    assert import_folder(Wikis(app.database), place, folder, "hand").updated == ()
    assert export_folder(Wikis(app.database), place, folder).written == ("money.md",), "its version is another now"


def test_what_changed_on_one_side_stays_and_on_both_is_refused(app: App, place: WikiPlace, tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    export_folder(Wikis(app.database), place, folder)
    Wikis(app.database).write(place, Contribution("money", content="# Money\n\nLater."))
    assert import_folder(Wikis(app.database), place, folder, "x").kept == ("money",)
    assert Wikis(app.database).read(place, "money").page.version == 2
    before = {page.page_id: page.version for page in Wikis(app.database).pages(place)}
    money, carts = folder / "money.md", folder / "carts.md"
    money.write_text(money.read_text().replace("Up.", "Down."))
    carts.write_text(carts.read_text().replace("bold", "bolder"))
    with pytest.raises(ConflictError, match=r"money\.md:13"):
        import_folder(Wikis(app.database), place, folder, "x")
    assert {page.page_id: page.version for page in Wikis(app.database).pages(place)} == before, "all or nothing"
    done = import_folder(Wikis(app.database), place, folder, "x", force=True)
    assert done.updated == ("carts", "money")
    assert Wikis(app.database).read(place, "money").page.version == 3


def test_a_folder_with_mistakes_is_refused_with_their_lines(app: App, place: WikiPlace, tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    export_folder(Wikis(app.database), place, folder)
    for name, old, new, told in (
        ("money.md", "type: entity", "type: person", r"money\.md:4: type must be one of"),
        ("money.md", "id: money", "id: cash", r"money\.md:2: the file of page 'cash' must be named cash\.md"),
        ("money.md", "version: 1", "version: no", r"money\.md:5: version must be a number"),
        ("carts.md", "- by: ", "- by ", r"carts\.md:\d+: a note needs items"),
        ("carts.md", "**Diagnosis**", "**Diagnose**", r"carts\.md:\d+: the note is incomplete"),
        ("carts.md", 'title: "Carts"', 'title: "Carts', r"carts\.md:\d+: the front matter cannot be read"),
        ("carts.md", '"shop/cart.py"', '"../cart.py"', r"carts\.md:\d+: each source needs"),
    ):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))
        with pytest.raises(ValidationError, match=told):
            import_folder(Wikis(app.database), place, folder, "x", force=True)
        (folder / name).write_text(text)
    (folder / "money.md").write_bytes(b"---\nfile: x\n---\n\xff")
    with pytest.raises(ValidationError, match=r"money\.md:1: this is not UTF-8 text"):
        import_folder(Wikis(app.database), place, folder, "x")


def test_files_of_others_stay_unless_told_otherwise(app: App, place: WikiPlace, tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    (folder / "money.md").write_text("# Mine\n")
    (folder / "notes.txt").write_text("Mine, too.")
    with pytest.raises(SafetyError, match=r"money\.md: it did not come from a wiki"):
        export_folder(Wikis(app.database), place, folder)
    assert set(bytes_of(folder)) == {"money.md", "notes.txt"}
    outside = tmp_path / "outside.md"
    outside.write_text("kept")
    (folder / "carts.md").symlink_to(outside)
    export_folder(Wikis(app.database), place, folder, force=True)
    assert outside.read_text() == "kept"
    assert (folder / "notes.txt").read_text() == "Mine, too."
    Wikis(app.database).start(place, force=True)
    assert set(export_folder(Wikis(app.database), place, folder).left) == {
        "money.md",
        "carts.md",
        "_index.md",
        "odd.title.md",
    }


def test_documents_of_a_project_become_pages(app: App, tmp_path: Path) -> None:
    root = tmp_path / "project"
    docs = root / "docs"
    (docs / "guide").mkdir(parents=True)
    (docs / "index.md").write_text("# Start\n\nRead the [guide](guide/), [setup](guide/setup.md#on-linux) first.\n")
    (docs / "guide/README.md").write_text(
        "---\ntitle: A guide\n---\n\n# Guide\n\n![p](img/p.png) and [code](../../a.py)\n"
    )
    setup = (
        "Setup\n=====\n\n## On Linux\n\n[back](../index.md) [up][guide] `[no](../index.md)`\n\n[guide]: README.md#x\n"
    )
    (docs / "guide/setup.md").write_text(setup)
    place = find_place(root)
    with pytest.raises(SafetyError, match="some files in"):
        import_folder(Wikis(app.database), place, docs, "x")
    assert Wikis(app.database).find(place) is None
    done = import_folder(Wikis(app.database), place, docs, "x", force=True)
    assert done.created == ("guide", "guide-setup", "index")
    pages = {page.page_id: page for page in Wikis(app.database).pages(place)}
    assert pages[
        "index"
    ].latest.content == "# Start\n\nRead the [[guide]], [[guide-setup#On Linux|setup]] first.".replace(
        "[[guide]]", "[[guide|guide]]"
    )
    assert pages["guide"].title == "A guide"
    assert pages["guide"].latest.content == "# Guide\n\n![p](/docs/guide/img/p.png) and [code](/a.py)"
    assert "[[index|back]] [up][guide] `[no](../index.md)`" in pages["guide-setup"].latest.content
    assert "[guide]: guide.md#x" in pages["guide-setup"].latest.content
    assert not [link for link in Wikis(app.database).links(place) if link.broken]
    assert import_folder(Wikis(app.database), place, docs, "x", force=True).updated == ()


@pytest.mark.parametrize(
    "changed",
    [
        ('author: ""', 'author: "a\\0b"'),
        ('author: ""', "author: [[a], [b]]"),
        ('title: "Money"', 'title: "\\ud83d"'),
        ("type: entity", 'type: entity\nsources:\n- {path: a.py, symbol: "\\0"}'),
        ("type: entity", "type: entity\nsources:\n- {path: a.py, hash: [a]}"),
        ("type: entity", "type: entity\nsources:\n- {path: a/../../b.py}"),
    ],
)
def test_what_no_database_can_hold_is_refused(
    app: App, place: WikiPlace, tmp_path: Path, changed: tuple[str, str]
) -> None:
    folder = tmp_path / "folder"
    export_folder(Wikis(app.database), place, folder)
    path = folder / "money.md"
    text = path.read_text()
    assert changed[0] in text
    path.write_text(text.replace(*changed))
    with pytest.raises(ValidationError, match=r"money\.md:\d"):
        import_folder(Wikis(app.database), place, folder, "bob")
