"""Words, terms, weights and paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.analysis.paths import (
    is_example,
    is_secondary,
    is_test,
    keyword_fields,
    name_words,
    own_platforms,
    platforms,
    version_of,
)
from cocosearch_py.analysis.purposes import purpose_words
from cocosearch_py.analysis.words import TOKEN, name_key, root, split_identifier, stem, terms_of

WORD = st.from_regex(r"[a-z]{1,12}", fullmatch=True)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("getUserById", ("get", "user", "by", "id")),
        ("HTTPServer2", ("http", "server", "2")),
        ("URLs", ("urls",)),
        ("parseURLs", ("parse", "urls")),
        ("getIDsOf", ("get", "ids", "of")),
        ("S3", ("s3",)),
        ("s3_client", ("s3", "client")),
        ("parseX509", ("parse", "x509")),
        ("UP028", ("up", "028")),
        ("XMLHttpRequest", ("xml", "http", "request")),
        ("snake_case_name", ("snake", "case", "name")),
        ("SCREAMING_CASE", ("screaming", "case")),
        ("_private", ("private",)),
        ("__init__", ("init",)),
        ("___", ()),
        ("utf8decode", ("utf", "8", "decode")),
        ("変数", ("変数",)),
        ("A", ("a",)),
        ("", ()),
    ],
)
def test_split_identifier(token: str, words: tuple[str, ...]) -> None:
    assert split_identifier(token) == words


@given(st.lists(WORD, min_size=1, max_size=5))
def test_styles_of_one_name_have_the_same_words(words: list[str]) -> None:
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    pascal = "".join(word.capitalize() for word in words)
    snake, screaming = "_".join(words), "_".join(words).upper()
    long = [word for word in words if len(word) > 1]
    if long == words:  # one-letter words run together in camelCase
        assert split_identifier(camel) == split_identifier(pascal) == tuple(words)
    assert split_identifier(snake) == split_identifier(screaming) == tuple(words)
    assert name_key(camel) == name_key(snake) == name_key(screaming)


def test_terms_hold_the_compound_and_the_stems() -> None:
    assert terms_of("getUserById") == ("getuserbyid", "get", "user", "by", "id")
    assert terms_of("parsing") == ("pars",)
    assert terms_of("_private") == ("privat",)
    assert terms_of("___") == ("___",)


@given(st.text(max_size=300))
def test_terms_fit_into_postgresql(text: str) -> None:
    for token in TOKEN.findall(text):
        terms = terms_of(token)
        assert terms
        assert all(term and len(term) <= 64 and "\0" not in term for term in terms)
        assert terms_of(token) == terms


@given(st.from_regex(r"[a-z]{2,12}", fullmatch=True))
def test_case_does_not_change_a_word(word: str) -> None:
    assert terms_of(word) == terms_of(word.capitalize()) == terms_of(word.upper()) == (stem(word),)


@pytest.mark.parametrize(
    ("one", "other"), [("validator", "validation"), ("parser", "parse"), ("configuration", "configure")]
)
def test_roots_meet(one: str, other: str) -> None:
    assert root(one) == root(other)


@given(WORD)
def test_root_is_no_longer_than_the_stem(word: str) -> None:
    assert 0 < len(root(word)) <= len(stem(word)) + 1


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.py",
        "src/test/java/A.java",
        "a_test.go",
        "test_a.py",
        "x/a.spec.ts",
        "spec/a_spec.rb",
        "UserTest.java",
        "src/__tests__/a.js",
        "fixtures/a.json",
        "benches/b.rs",
        "src/commonTest/kotlin/A.kt",
        "Cart.Tests/api/CartSpec.cs",
        "it/testSuites/CartSuite.scala",
        "CartSpec.scala",
    ],
)
def test_test_paths(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/contest.py",
        "latest/a.py",
        "attest.go",
        "src/testament.rs",
        "specification.md",
        "protest/a.py",
        "inspect.py",
        "src/tls/CipherSuite.kt",
        "inspect/JobSpec.java",
    ],
)
def test_no_test_paths(path: str) -> None:
    assert not is_test(path)


def test_other_path_kinds() -> None:
    assert is_example("examples/a.py") and is_example("docs/a.md") and not is_example("src/example_parser.py")
    assert (
        is_secondary("vendor/a.go")
        and is_secondary("a.pb.go")
        and is_secondary("a.min.js")
        and not is_secondary("src/gene.py")
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/http/mod.rs", (("http",), ("src",))),
        ("a/b/c/d/UserStore.test.ts", (("user", "store"), ("b", "c", "d"))),
        ("index.js", (("index",), ())),
        (".gitignore", (("gitignore",), ())),
        ("a/__init__.py", (("a",), ())),
        ("変.py", (("変",), ())),
        ("+.py", (("+.py",), ())),
    ],
)
def test_name_words(path: str, words: object) -> None:
    assert name_words(path) == words


@given(
    st.lists(
        st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12),
        min_size=1,
        max_size=6,
    )
)
def test_every_path_has_words_and_fields(parts: list[str]) -> None:
    path = "/".join(parts)
    stem_words, folders = name_words(path)
    assert stem_words and all(stem_words)
    assert all(folders)
    name, folder_text = keyword_fields(path)
    assert name
    assert isinstance(folder_text, str)


def test_words_of_other_scripts_stay_whole() -> None:
    assert split_identifier("größe_maximal") == ("grösse", "maximal")
    assert split_identifier("検索") == ("検索",)


@pytest.mark.parametrize(
    ("path", "families"),
    [
        ("src/win/pipe.c", {"windows"}),
        ("src/unix/pipe.c", {"unix"}),
        ("src/unix/darwin.c", {"darwin"}),  # the nearer word is the narrower one
        ("src/unix/bsd-ifaddrs.c", {"bsd"}),
        ("os/exec_windows.go", {"windows"}),
        ("os/file_linux_test.go", {"linux"}),
        ("ui/window.py", set()),
        ("src/winner.py", set()),
        ("src/twin/core.py", set()),
    ],
)
def test_platforms_of_a_path(path: str, families: set[str]) -> None:
    assert platforms(path) == families


def test_every_system_has_platforms_of_its_own() -> None:
    assert own_platforms("linux") == {"linux", "unix"}
    assert own_platforms("win32") == {"windows"}
    assert {"darwin", "unix"} <= own_platforms("darwin")
    assert "unix" in own_platforms("freebsd14")


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("Dockerfile", "image"),
        ("a/backend.Dockerfile.dev", "image"),
        ("deploy/docker-compose.test.yml", "compose"),
        (".github/workflows/a.yml", "ci"),
        (".golangci.yaml", "linter"),
        (".nvmrc", "node"),
        (".readthedocs.yaml", "documentation"),
    ],
)
def test_what_well_known_settings_are_for(path: str, word: str) -> None:
    assert word in purpose_words(path)


@pytest.mark.parametrize("path", ["src/dockerfile_parser.py", "settings.yaml", "workflows/a.yml", "my-package.json"])
def test_other_names_say_nothing(path: str) -> None:
    assert purpose_words(path) == ()


def test_versions_of_paths_have_an_order() -> None:
    paths = ["a/v1alpha1/b.go", "a/v1beta2/b.go", "a/v1/b.go", "a/v1.2/b.go", "a/v2rc1/b.go", "a/v2/b.go", "a/v10/b.go"]
    versions = [version for path in paths if (version := version_of(path))]
    assert len(versions) == len(paths)
    assert {version.rest for version in versions} == {"a//b.go"}
    assert sorted(versions, key=lambda version: version.order) == versions  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("path", ["src/v8engine/a.cc", "ipv4/a.c", "src/version2/a.c"])
def test_names_that_are_no_versions(path: str) -> None:
    assert version_of(path) is None


def test_last_version_of_a_path_counts() -> None:
    found = version_of("v1/lib_v3.go")
    assert found is not None
    assert (found.name, found.rest) == ("v3", "v1/lib_.go")
