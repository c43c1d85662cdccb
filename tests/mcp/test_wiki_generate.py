"""What a new wiki is told of its repository, and which of its pages code changes make wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call
from tests.mcp.test_contract import git

from cocosearch_py.app import App
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.features.wiki.model import Contribution
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis

Make = Callable[..., FastMCP]


@pytest.fixture
def repository(shop: Path) -> Path:
    git(shop, "init", "-q", "-b", "main")
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "one")
    return shop


def ask(server: Any, tool: str, **arguments: Any) -> Any:
    answer = call(server, tool, arguments)
    assert not answer.is_error, answer.text
    return answer.payload


def test_a_new_wiki_comes_with_what_there_is_to_write(make: Make, repository: Path) -> None:
    made = ask(make(), "wiki_generate")
    assert not made["archived"]
    assert "shop/prices.py" in made["repo_map"]
    assert made["packages"][0]["path"] == "."
    assert any(one["name"].endswith("total_price") for one in made["hotspots"])
    pages = {one["page"]: one for one in made["suggested_pages"]}
    assert pages["architecture"]["page_type"] == "architecture"
    assert "shop/cart.py" in pages["mod-shop"]["source_files"]
    assert pages["entity-money"]["source_files"] == ["shop/prices.py#Money"]
    for one in pages.values():
        assert all((repository / source.partition("#")[0]).is_file() for source in one["source_files"]), one


def test_a_wiki_that_is_there_is_only_replaced_on_demand(make: Make, app: App, repository: Path) -> None:
    server = make()
    ask(server, "wiki_generate")
    place = find_place(repository)
    Wikis(app.database).write(place, Contribution("kept", content="x", title="Kept"))
    refused = call(server, "wiki_generate")
    assert refused.payload["error_type"] == "safety_error"
    assert "force" in refused.payload["actionable_guidance"][0]
    assert len(Wikis(app.database).pages(place)) == 1
    assert ask(server, "wiki_generate", force=True)["archived"]
    assert Wikis(app.database).pages(place) == []


def test_pages_of_what_changed_come_with_the_change(make: Make, app: App, repository: Path) -> None:
    server, place = make(), find_place(repository)
    assert call(server, "wiki_update").payload["error_type"] == "not_found"
    ask(server, "wiki_generate")
    for page, source in (("money", "shop/prices.py#Money"), ("carts", "shop/cart.py"), ("plain", "README.md")):
        Wikis(app.database).write(place, Contribution(page, content=f"Of {source}.", title=page, sources=[source]))
    assert ask(server, "wiki_update")["total"] == 0
    prices = repository / "shop/prices.py"
    prices.write_text(prices.read_text() + "\n\ndef brand_new(a: int) -> int:\n    return a\n")
    cart = repository / "shop/cart.py"
    cart.write_text(cart.read_text() + "\n\ndef empty_all() -> None: ...\n")
    (repository / "shop/extra.py").write_text("def extra(): ...\n")
    told = ask(server, "wiki_update")
    assert [one["page"] for one in told["pages"]] == ["carts"], "no other page's source is another one"
    (page,) = told["pages"]
    assert page["sources"] == [{"source": "shop/cart.py", "state": "changed"}]
    assert page["content"] == "Of shop/cart.py."
    assert [one["name"] for one in page["changes"][0]["added"]] == ["empty_all"]
    assert told["uncovered_files"] == ["shop/extra.py"]
    by_name = ask(server, "wiki_update", since="HEAD")
    assert {one["page"] for one in by_name["pages"]} == {"carts", "money"}
    assert call(server, "wiki_update", {"since": "no-such-branch"}).is_error


def test_what_only_moved_is_told_without_the_definitions_in_it(make: Make, app: App, repository: Path) -> None:
    server, place = make(), find_place(repository)
    ask(server, "wiki_generate")
    Wikis(app.database).write(place, Contribution("carts", content="Carts.", title="Carts", sources=["shop/cart.py"]))
    (repository / "shop/cart.py").rename(repository / "shop/moved.py")
    told = ask(server, "wiki_update")
    (page,) = told["pages"]
    assert page["sources"] == [{"source": "shop/cart.py", "state": "moved", "moved_to": "shop/moved.py"}]
    assert (page["changes"], told["uncovered_files"]) == ([], [])


def test_when_no_page_is_wrong_the_stored_commit_moves_on(make: Make, app: App, repository: Path) -> None:
    place = find_place(repository)
    ask(make(), "wiki_generate")
    Wikis(app.database).write(place, Contribution("carts", content="Carts.", title="Carts", sources=["shop/cart.py"]))
    first = Wikis(app.database).require(place).git_ref
    cart = repository / "shop/cart.py"
    cart.write_text(cart.read_text() + "\n# more\n")
    git(repository, "commit", "-qam", "two")
    assert ask(make(), "wiki_update")["total"] == 1
    assert Wikis(app.database).require(place).git_ref == first
    Wikis(app.database).write(place, Contribution("carts", content="More carts."))
    assert ask(make(read_only=True), "wiki_update")["total"] == 0
    assert Wikis(app.database).require(place).git_ref == first
    assert ask(make(), "wiki_update")["total"] == 0
    assert Wikis(app.database).require(place).git_ref not in (None, first)


def test_without_git_pages_are_found_by_the_content_of_their_sources(make: Make, app: App, shop: Path) -> None:
    server, place = make(), find_place(shop)
    ask(server, "wiki_generate")
    Wikis(app.database).write(place, Contribution("carts", content="Carts.", title="Carts", sources=["shop/cart.py"]))
    (shop / "shop/cart.py").rename(shop / "shop/moved.py")
    told = ask(server, "wiki_update")
    assert told["since_ref"] is None
    assert told["pages"][0]["sources"] == [{"source": "shop/cart.py", "state": "moved", "moved_to": "shop/moved.py"}]
    assert told["warnings"]


def test_what_words_alone_found_is_told_of_pages_and_maps_too(make: Make, app: App, shop: Path) -> None:
    server, place = make(), find_place(shop)
    Wikis(app.database).start(place)
    Wikis(app.database).write(place, Contribution("carts", content="Carts of customers.", title="Carts"))
    focus = {"focus": ["total of a cart"]}
    for name, asked in (("wiki_search", {"query": "customers"}), ("get_repo_map", focus)):
        assert "by keywords only" not in str(ask(server, name, **asked))
    app.searches.caches.outage.begin(EmbeddingError("the model is away"))
    for name, asked in (("wiki_search", {"query": "carts"}), ("get_repo_map", focus)):
        told = "searched by keywords only, not by meaning: the model is away"
        assert told in ask(server, name, **asked)["warnings"]
