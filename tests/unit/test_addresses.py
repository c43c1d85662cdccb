"""Addresses of resources: what each means, and what means nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.resources.addresses import OF_AN_INDEX, Kind, address_of, is_of_mimir, read_address

NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=100).filter(
    lambda text: not {"/", "\0"} & set(text)
)


@pytest.mark.parametrize(
    ("uri", "kind", "name", "path", "mimir"),
    [
        ("cocosearch://status", Kind.SERVER, "", "", False),
        ("COCOSEARCH://status", Kind.SERVER, "", "", False),
        ("repo://status", Kind.SERVER, "", "", True),
        ("cocosearch://indexes/a%20b/repomap.md", Kind.MAP, "a b", "", False),
        ("cocosearch://file/shop/src/a%23b.py", Kind.FILE, "shop", "src/a#b.py", False),
        ("cocosearch://wiki/mod-cart", Kind.WIKI, "", "mod-cart", False),
        ("cocosearch://file/shop/src%2Fa.py", Kind.FILE, "shop", "src/a.py", False),
        ("mimir://indexes/01JA/status.json", Kind.STATUS, "01JA", "", True),
        ("mimir://indexes/01JA/log.md", Kind.LOG, "01JA", "", True),
        ("repo://manifest/01JA", Kind.MANIFEST, "01JA", "", True),
        ("repo://logs/01JA", Kind.LOG, "01JA", "", True),
        ("repo://bundle/01JA", Kind.BUNDLE, "01JA", "", True),
    ],
)
def test_what_addresses_mean(uri: str, kind: Kind, name: str, path: str, mimir: bool) -> None:
    found = read_address(uri)
    assert found is not None
    assert (found.uri, found.kind, found.index_name, found.path, found.mimir) == (uri, kind, name, path, mimir)
    assert is_of_mimir(uri) == mimir


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "status",
        "cocosearch:status",
        "cocosearch://",
        "cocosearch://status/",
        "cocosearch://status?x=1",
        "cocosearch://indexes//status.json",
        "cocosearch://indexes/shop/status.json/",
        "cocosearch://indexes/shop/file",
        "cocosearch://file/shop/",
        "cocosearch://file//a.py",
        "cocosearch://indexes/%00/status.json",
        "cocosearch://file/a%00b/a.py",
        "cocosearch://wiki/a%00b",
        "mimir://indexes/%00/log.md",
        "repo://manifest/%00",
        "mimir://status",
        "mimir://indexes/shop/repomap.md",
        "repo://status/shop",
        "repo://manifest/",
        "cocosearch://file/shop/" + "a" * 9_000,
    ],
)
def test_what_means_nothing(uri: str) -> None:
    assert read_address(uri) is None


@given(NAMES)
def test_the_address_of_an_index_means_it(name: str) -> None:
    for kind in OF_AN_INDEX:
        found = read_address(address_of(kind, name))
        assert found is not None and (found.kind, found.index_name) == (kind, name)


@given(st.text(max_size=50))
def test_no_text_is_a_fault(text: str) -> None:
    for uri in (text, f"cocosearch://{text}", f"cocosearch://file/{text}", f"mimir://indexes/{text}"):
        read_address(uri)
