"""The tool `read_code`: what is read is what is on disk, below the root, and no more than was asked for."""

import ast
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import Answer, call

from cocosearch_py.app import App
from cocosearch_py.search import verify
from cocosearch_py.tools.fitting import DEFAULT_MAX_TOKENS
from cocosearch_py.tools.tokens import count_tokens

Make = Callable[..., FastMCP]
Read = Callable[..., Any]


@pytest.fixture
def read(make: Make, shop: Path, app: App) -> Iterator[Read]:
    """Reads from the sample; a busy machine does not decide whether a file is repaired."""
    app.repair_wait_s = 60.0
    server = make()
    yield lambda path=None, **more: call(server, "read_code", {"path": path, **more}).payload


def lines(text: str, first: int, last: int) -> str:
    return "\n".join(text.split("\n")[first - 1 : last])


def test_lines_and_definitions_are_those_of_the_file(read: Read, shop: Path) -> None:
    text = (shop / "shop/cart.py").read_text()
    whole = read("shop/cart.py")
    assert (whole["source"] + "\n", whole["start_line"], whole["end_line"]) == (text, 1, text.count("\n"))
    assert whole["line_count"] == text.count("\n") and "truncated" not in whole
    assert read("shop/cart.py", start_line=3, end_line=5)["source"] == lines(text, 3, 5)
    assert read("shop/cart.py:3-5") == read("shop/cart.py", start_line=3, end_line=5)
    assert read("shop/cart.py:20-")["source"] == lines(text, 20, whole["end_line"])
    assert read(str(shop / "shop" / "cart.py"), end_line=2)["source"] == lines(text, 1, 2)
    assert read("shop/../shop/./cart.py:1")["file_path"] == str(shop / "shop/cart.py")
    method = read("shop/cart.py#Cart.add_item")
    assert (method["kind"], method["name"]) == ("method", "Cart.add_item")
    assert method["source"] == lines(text, method["start_line"], method["end_line"])
    for asked in ({"path": "shop/cart.py", "symbol": "add_item"}, {"symbol": "Cart.add_item"}, {"path": "addItem"}):
        assert read(**asked)["source"] == method["source"], asked
    wider = read("shop/cart.py#Cart.add_item", expand=2)
    assert (wider["start_line"], wider["end_line"]) == (method["start_line"] - 2, method["end_line"] + 2)


def test_every_function_reads_as_python_sees_it(make: Make, shop: Path) -> None:
    source = Path(verify.__file__).read_text()
    (shop / "verify.py").write_text(source)
    server = make()
    call(server, "index_codebase", {"path": "."})
    names = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(names) > 10
    for node in names:
        found = call(server, "read_code", {"path": "verify.py", "symbol": node.name}).payload
        assert found["source"].endswith(lines(source, node.lineno, node.end_lineno or 0)), node.name
        assert found["end_line"] == node.end_lineno
        assert node.lineno - found["start_line"] <= len(node.decorator_list)


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("crlf.py", b"a = 1\r\nb = 2\r\n", "a = 1\r\nb = 2\r"),
        ("no_end.py", b"a = 1\nb = 2", "a = 1\nb = 2"),
        ("latin.py", "name = 'Müller'\n".encode("cp1252"), "name = 'Müller'"),
        ("wide.py", "name = 'Müller'\n".encode("utf-16"), "name = 'Müller'"),
        ("mark.py", b"\xef\xbb\xbfname = 1\n", "name = 1"),
        ("blank_end.py", b"a = 1\n\n\n", "a = 1\n\n"),
        ("feed.py", b"a = 1\n\x0cb = 2\n", "a = 1\n\x0cb = 2"),
        ("old_mac.py", b"a = 1\rb = 2\r", "a = 1\rb = 2\r"),
        ("a#b.py", b"hash = 1\n", "hash = 1"),
        ("a:1-2", b"lines = 1\n", "lines = 1"),
        ("\u00e4 b.py", b"blank = 1\n", "blank = 1"),
    ],
)
@pytest.mark.parametrize("from_index", [False, True])
def test_odd_files(make: Make, shop: Path, name: str, data: bytes, text: str, from_index: bool) -> None:
    (shop / name).write_bytes(data)
    server = make()
    call(server, "index_codebase", {"path": "."})
    if from_index:
        (shop / name).unlink()
    found = call(server, "read_code", {"path": name}).payload
    assert found["source"] == text
    assert found.get("stale") == ("gone" if from_index else None)
    assert ("read_from" in found) == from_index


def test_nothing_outside_and_nothing_left_out_is_read(make: Make, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("password = 'outside'\n")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "away.py").write_text("password = 'outside'\n")
    (shop / "link.py").symlink_to(tmp_path / "secret.py")
    (shop / "linked").symlink_to(tmp_path / "far")
    (shop / "inner.py").symlink_to(shop / "shop" / "cart.py")
    (shop / ".gitignore").write_text("ignored.py\nbuild/\n")
    (shop / "ignored.py").write_text("password = 'ignored'\n")
    (shop / "build").mkdir()
    (shop / "build" / "made.py").write_text("password = 'ignored'\n")
    (shop / ".env").write_text("PASSWORD=ignored\n")
    (shop / "key.txt").write_text("-----BEGIN PRIVATE KEY-----\nignored\n")
    (shop / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (shop / "empty.py").write_text("")
    server = make()
    call(server, "index_codebase", {"path": "."})
    for path, told in {
        "../secret.py": "outside",
        str(tmp_path / "secret.py"): "outside",
        "/etc/passwd": "outside",
        "link.py": "outside",
        "linked/away.py": "outside",
        "shop/../../secret.py:1-2": "outside",
        "ignored.py": "ignored (.gitignore:1: ignored.py)",
        "build/made.py": "ignored (.gitignore:2: build/)",
        ".env": "secret",
        "key.txt": "secret",
        "picture.png": "binary",
        "empty.py": "empty",
        ".git/config": "is not a file in this index",
        "a" * 1_900: "is neither a file nor",
        "b/" + "a" * 1_000: "is not a file in this index",
        "shop": "is a folder",
        "shop/cart.py:900": "lines",
        "shop/cart.py#nothing": "is not defined",
        "~/.ssh/id_rsa": "is not a file in this index",
    }.items():
        answer = call(server, "read_code", {"path": path})
        assert answer.is_error and told in answer.payload["message"], (path, answer.text)
        assert "cocosearch-py" not in " ".join(answer.payload["actionable_guidance"]), path  # agents have tools
        assert "password" not in answer.text.lower().replace("passwd", ""), path
        several = call(server, "read_code", {"targets": [path, "shop/cart.py:1"]}).payload
        assert [one["file_path"] for one in several["symbols"]] == [str(shop / "shop/cart.py")]
        assert told in several["not_found"][0]["reason"]
    assert call(server, "read_code", {"path": "inner.py:1"}).payload["file_path"] == str(shop / "shop/cart.py")


def test_what_cannot_be_asked(read: Read) -> None:
    for asked, told in (
        ({}, "nothing to read"),
        ({"path": "a\0b"}, "null character"),
        ({"path": "a", "start_line": 0}, "count from 1"),
        ({"path": "a", "start_line": 9, "end_line": 3}, "after end_line"),
        ({"symbol": "x", "start_line": 1}, "need a path"),
        ({"path": "x" * 5_000}, "path has 5,000 characters, at most 2,000"),
    ):
        assert told in read(**asked)["message"], asked


def test_an_edit_shows_at_once(read: Read, shop: Path) -> None:
    cart = shop / "shop" / "cart.py"
    before = read("Cart.total_price")
    edited = "# one\n# two\n" + cart.read_text().replace("return total", "return total  # in cents")
    cart.write_text(edited)
    after = read("Cart.total_price")
    assert (after["start_line"], after["hash"] != before["hash"]) == (before["start_line"] + 2, True)
    assert "in cents" in after["source"] and "stale" not in after
    assert read("shop/cart.py:1-2")["source"] == "# one\n# two"


def test_an_edit_of_the_same_size_and_time_shows(read: Read, shop: Path) -> None:
    prices = shop / "shop" / "prices.py"
    status = prices.stat()
    prices.write_text(prices.read_text().replace("An amount in cents.", "An amount in kopek."))
    os.utime(prices, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert prices.stat().st_mtime_ns == status.st_mtime_ns
    assert "kopek" in read("shop/prices.py")["source"]
    assert "kopek" in read("Money")["source"]


@pytest.mark.parametrize("path", ["cart.py", "./cart.py"])
def test_a_new_file_is_not_taken_for_one_of_the_same_name_elsewhere(read: Read, shop: Path, path: str) -> None:
    assert read(path)["file_path"] == str(shop / "shop" / "cart.py")
    (shop / "cart.py").write_text("new = 1\n")
    now = read(path)
    assert (now["file_path"], now["source"]) == (str(shop / "cart.py"), "new = 1")


def test_a_new_file_that_may_not_be_indexed_is_not_taken_for_another_one(make: Make, shop: Path) -> None:
    server = make(read_only=True)
    (shop / "cart.py").write_text("new = 1\n")
    for path in ("cart.py", "./cart.py"):
        said = call(server, "read_code", {"path": path}).payload["message"]
        assert "in this index" in said or "of this index" in said, path


def test_what_may_not_be_repaired_is_marked(make: Make, shop: Path) -> None:
    server = make(read_only=True)
    cart = shop / "shop" / "cart.py"
    text = cart.read_text()

    def read(path: str) -> Any:
        return call(server, "read_code", {"path": path}).payload

    before = read("Cart.total_price")
    cart.write_text("# one\n# two\n" + text)
    moved = read("Cart.total_price")
    assert (moved["source"], moved["start_line"]) == (before["source"], before["start_line"] + 2)
    assert moved["stale"] == "changed" and "read_from" not in moved
    cart.write_text("# one\n# two\n" + text.replace("return total", "return total  # in cents"))
    old = read("Cart.total_price")
    assert (old["source"], old["read_from"], old["stale"]) == (before["source"], "index", "changed")
    now = read("shop/cart.py")
    assert "in cents" in now["source"] and now["stale"] == "changed" and "read_from" not in now
    assert any("shop/cart.py" in text for text in now["warnings"])


def test_what_took_the_place_of_a_file_is_not_read(make: Make, shop: Path, tmp_path: Path, app: App) -> None:
    app.repair_wait_s = 60.0
    (tmp_path / "outside.py").write_text("password = 'outside'\n")
    server = make(read_only=True)
    held = {name: (shop / name).read_text() for name in ("shop/cart.py", "shop/prices.py", "shop/discounts.py")}
    for name in held:
        (shop / name).unlink()
    os.mkfifo(shop / "shop" / "cart.py")
    (shop / "shop" / "prices.py").symlink_to(tmp_path / "outside.py")
    (shop / "shop" / "discounts.py").write_bytes(b"\x89PNG" + bytes(2_000))
    for name, text in held.items():
        answer = call(server, "read_code", {"path": name})
        if name == "shop/prices.py":  # now a link that leads out
            assert answer.is_error and "outside" in answer.payload["message"]
            continue
        assert answer.payload["source"] + "\n" == text, name
        assert (answer.payload["read_from"], answer.payload["stale"]) == ("index", "changed")
    repairing = make()
    for name in held:
        assert call(repairing, "read_code", {"path": name}).is_error, name


def test_a_folder_that_is_away_is_read_from_the_index(make: Make, shop: Path, tmp_path: Path) -> None:
    text = (shop / "shop" / "cart.py").read_text()
    shop.rename(tmp_path / "away")
    found = call(make(), "read_code", {"path": "shop/cart.py", "index_name": "shop"}).payload
    assert found["source"] + "\n" == text
    assert any("not available" in told for told in found["warnings"])


def test_an_unchanged_file_is_not_sent_again(read: Read, shop: Path) -> None:
    known = read("shop/cart.py")["hash"]
    assert known == blake2b((shop / "shop" / "cart.py").read_bytes(), digest_size=16).hexdigest()
    again = read("shop/cart.py", if_hash=known)
    assert again["status"] == f"unchanged:{known}" and "source" not in again
    assert read("shop/cart.py", if_hash=again["status"])["status"] == again["status"]
    assert read("shop/cart.py", if_hash=known[:16])["status"] == again["status"]  # as former versions answered
    assert "source" in read("shop/prices.py", if_hash=known)
    cart = shop / "shop" / "cart.py"
    cart.write_text(cart.read_text() + "# more\n")
    assert "# more" in read("shop/cart.py", if_hash=known)["source"]


def test_bodies_are_left_out(read: Read, shop: Path) -> None:
    folded = read("shop/cart.py", collapse=True)["source"]
    assert '        """Put an article into the cart."""' not in folded
    assert "    def total_price(self) -> Money:\n        ... lines " in folded
    assert "self.lines: list" in folded, "one line is not worth a mark"
    script = read("web/session.js#SessionStore", collapse=True)["source"]
    assert "validateToken(token) {\n    ... lines " in script and script.endswith("  }\n}")
    go = read("server/retry.go", collapse=True)["source"]
    assert go.endswith("work func() error) error {\n\t... lines 7-16\n}")
    first, last = map(int, go.split("... lines ")[1].split("\n")[0].split("-"))
    assert read("server/retry.go", start_line=first, end_line=last)["source"].startswith("\tdelay := ")


def long_file(shop: Path, count: int) -> str:
    text = "".join(f"value_{number} = {number}\n" for number in range(1, count - 249))
    text += "def long():\n" + "".join(f"    call({number})\n" for number in range(249))
    (shop / "long.py").write_text(text)
    return text


def test_caps_and_how_to_get_the_rest(make: Make, shop: Path) -> None:
    text = long_file(shop, 2_300)
    server = make()
    call(server, "index_codebase", {"path": "."})

    def read(**asked: Any) -> Any:
        return call(server, "read_code", {"max_tokens": 20_000, **asked}).payload

    whole = read(path="long.py")
    assert (whole["end_line"], whole["line_limit"], whole["next_targets"]) == (500, 500, ["long.py:501-2300"])
    wide = read(path="long.py", start_line=1)
    assert (wide["end_line"], wide["line_limit"], wide["truncated"]) == (1_000, 1_000, True)
    symbol = read(path="long.py", symbol="long")
    assert symbol["end_line"] - symbol["start_line"] + 1 == symbol["line_limit"] == 200
    several = read(targets=["long.py#long", "long.py#long", "long.py#long", "shop/cart.py"])
    assert sum(part["source"].count("\n") + 1 for part in several["symbols"]) == 500
    assert several["next_targets"][-1] == f"shop/cart.py:1-{(shop / 'shop/cart.py').read_text().count(chr(10))}"
    pages, target = [], "long.py"
    while target:
        page = read(path=target)
        pages.append(page["source"])
        (target,) = page.get("next_targets", [None])
    assert "\n".join(pages) + "\n" == text


def test_no_answer_is_larger_than_was_asked_for(make: Make, shop: Path) -> None:
    long_file(shop, 600)
    (shop / "wide.py").write_text(f"data = '{'wide ' * 3_000}'\nsecond = 2\n")
    server = make()
    call(server, "index_codebase", {"path": "."})
    random_ = random.Random(12)
    targets = ["long.py", "wide.py", "shop/cart.py#Cart", "nothing.py", "long.py#long", "x" * 1_900, "web/session.js:2"]
    for _ in range(40):
        most = random_.choice([200, 201, 300, random_.randrange(200, 4_000)])
        asked = {"targets": random_.choices(targets, k=random_.randrange(2, 25)), "max_tokens": most}
        answer: Answer = call(server, "read_code", {**asked, "collapse": random_.random() < 0.3})
        assert count_tokens(answer.text) <= most, asked
    cut = call(server, "read_code", {"path": "wide.py", "max_tokens": 300}).payload
    assert cut["source"].endswith("…") and cut["next_targets"] == ["wide.py:2-2"]
    assert any("line 1 does not fit" in text for text in cut["warnings"])
    assert count_tokens(call(server, "read_code", {"path": "wide.py", "max_tokens": 10**9}).text) <= DEFAULT_MAX_TOKENS


def test_a_name_of_several_definitions_asks_back(make: Make, shop: Path, app: App) -> None:
    for name in ("one", "two"):
        (shop / f"{name}.py").write_text("class Same:\n    def run(self):\n        return 1\n")
    (shop / "twice.py").write_text(
        "if True:\n    def twice():\n        return 1\nelse:\n    def twice():\n        return 2\n"
    )
    app.index(shop, name="shop")
    server = make()
    answer = call(server, "read_code", {"symbol": "Same.run"})
    assert answer.is_error and answer.payload["actionable_guidance"] == [
        "did you mean one.py#Same.run, two.py#Same.run?"
    ]
    both = call(server, "read_code", {"symbol": "twice"}).payload
    assert [part["source"].strip()[-1] for part in both["symbols"]] == ["1", "2"]


def test_a_revision_is_read_without_checkout(make: Make, shop: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=shop, check=True)

    cart, before = shop / "shop" / "cart.py", (shop / "shop" / "cart.py").read_text()
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    cart.write_text("# new\n" + before.replace("return total", "return total  # in cents"))
    git("commit", "-q", "-a", "-m", "two")
    server = make()
    call(server, "index_codebase", {"path": "."})

    def read(**asked: Any) -> Any:
        return call(server, "read_code", asked).payload

    old = read(path="shop/cart.py", rev="HEAD~1")
    assert (old["source"] + "\n", old["rev"], "stale" in old) == (before, "HEAD~1", False)
    assert old["hash"] != read(path="shop/cart.py")["hash"]
    moved = read(path="shop/cart.py#Cart.add_item", rev="HEAD~1")
    assert moved["start_line"] + 1 == read(path="shop/cart.py#Cart.add_item")["start_line"]
    assert "in cents" not in read(path="shop/cart.py#Cart.total_price", rev="HEAD~1")["source"]
    assert "has no commit 'v9'" in read(path="shop/cart.py", rev="v9")["message"]
    for wrong in ("--help", "HEAD:shop", "a b", "$(id)", "-"):
        assert "not a valid revision" in read(path="shop/cart.py", rev=wrong)["message"], wrong
    assert cart.read_text().startswith("# new")
