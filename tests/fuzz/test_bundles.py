"""Mutated bundles: each is refused with a hint and leaves no trace, or makes an index that works and can be cleared.

Each of `--fuzz-examples` stands for two mutations. Ten thousand, with the number of each outcome:

    python -m pytest -s tests/fuzz/test_bundles.py --fuzz-examples 5000
"""

import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from tests.bundle_mutations import mutations
from tests.bundles import traces

from cocosearch_py.app import App
from cocosearch_py.errors import CocosearchError
from cocosearch_py.features.quality.queries import measure_health
from cocosearch_py.model.code import CodeRequest, CodeTarget
from cocosearch_py.model.definitions import DefinitionRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.model.texts import TextPattern, TextRequest
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.tools.maps import bundled_map
from cocosearch_py.transfer.formats import FORMS, PARTS

SEED = 35
_MUTATIONS_PER_EXAMPLE = 2
_LOADED_SHARE = 10  # of the bundles that `verify` refuses, each tenth goes through `load` as well


@pytest.fixture
def bundle(app: App, sample_repo: Path, tmp_path: Path) -> Path:
    """A bundle that has rows in every table."""
    app.index(sample_repo, name="shop")
    return app.transfers.export(app.catalog.find("shop"), tmp_path / "shop.tar.zst", bundled_map).path


@pytest.mark.slow
def test_a_mutated_bundle_is_refused_without_a_trace_or_works(
    app: App, bundle: Path, sample_repo: Path, request: pytest.FixtureRequest
) -> None:
    count = request.config.getoption("--fuzz-examples") * _MUTATIONS_PER_EXAMPLE
    before = traces(app)
    mutated = bundle.with_name("mutated.tar.zst")
    outcomes = Counter[tuple[str, str]]()
    for number, (kind, data) in enumerate(islice(mutations(bundle, SEED), count)):
        mutated.write_bytes(data)
        root = sample_repo if number % 2 else None
        outcome = attack(app, mutated, root, must_load=number % _LOADED_SHARE == 0)
        outcomes[kind, outcome] += 1
        if outcome != "refused by its form" or number % _LOADED_SHARE == 0:
            assert traces(app) == before, (number, kind, outcome)
            assert works(app, "shop"), (number, kind, outcome)
    for (kind, outcome), times in sorted(outcomes.items()):
        sys.stdout.write(f"{kind}: {times} {outcome}\n")
    assert {outcome for _, outcome in outcomes} == {"refused by its form", "refused by its rows", "taken and cleared"}


def attack(app: App, bundle: Path, root: Path | None, *, must_load: bool) -> str:
    """Import a bundle, and use and clear its index if that worked; report what became of it."""
    refused = "refused by its rows"
    try:
        app.transfers.verify(bundle)
    except CocosearchError as error:
        assert error.message and error.hint
        refused = "refused by its form"
        if not must_load:
            return refused
    try:
        record = app.transfers.load(bundle, "taken", root)
    except CocosearchError as error:
        assert error.message and error.hint
        return refused
    assert refused != "refused by its form", "verify and load agree"
    use(app, record)
    assert app.catalog.clear("taken").name == "taken"
    return "taken and cleared"


def works(app: App, name: str) -> bool:
    """Whether an index answers."""
    return bool(app.search(SearchRequest("where are discounts applied"), index_name=name)[1].hits)


def use(app: App, record: IndexRecord) -> None:
    """Ask an index everything that reads its rows; the disk as well, where it has a folder."""
    assert "taken" in [one.name for one in app.catalog.list_all()]
    app.catalog.stats(record)
    app.catalog.members(record)
    for question in ("where are discounts applied", "Cart add_item", "validateToken", '"return total"'):
        app.answer(lambda question=question: app.search(SearchRequest(question), index_name="taken"))
    app.searches.search_text(TextRequest(pattern=TextPattern("price")), record)
    app.navigation.find_definitions(DefinitionRequest(symbol=read_name("Money")), record)
    for name in ("Money", "Cart.add_item", "apply_discount"):
        app.graphs.find_references(UsageRequest(symbol=read_name(name), kinds=("call", "type", "inherit")), record)
        app.graphs.find_references(UsageRequest(symbol=read_name(name), kinds=("call",), callees=True), record)
    for path in ("shop/cart.py", "shop/prices.py", "web/session.js"):
        app.look(record, lambda path=path: app.navigation.outline_file(path, None, record))
        whole = CodeRequest(targets=(CodeTarget(path, path=path),))
        app.look(record, lambda whole=whole: app.navigation.read_code(whole, record))
    app.database.read(lambda conn: measure_health(conn, record, ("",)))
    target = app.exports_folder / "taken"
    app.exports_folder.mkdir(parents=True, exist_ok=True)
    app.transfers.export(record, target, bundled_map)
    for form in FORMS:
        app.transfers.write(record, target, form, PARTS)
    target.unlink()
