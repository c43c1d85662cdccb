"""What a question is about."""

import pytest

from cocosearch_py.search.subject import DOCUMENT_WORDS, TEST_WORDS, asks_how, is_about


@pytest.mark.parametrize(
    "question",
    [
        "tests of the cart",
        "cart tests",
        "where are the tests of the cart",
        "which tests cover the cart",
        "how is the cart tested",
        "fixtures",
    ],
)
def test_questions_about_tests(question: str) -> None:
    assert is_about(question, TEST_WORDS)


@pytest.mark.parametrize(
    "question",
    [
        "mock handler for simulating responses in tests",
        "test runner for commands",
        "how specs of plugins are parsed",
        "cart contest",
        "",
        "where is it",
    ],
)
def test_questions_that_mention_tests(question: str) -> None:
    assert not is_about(question, TEST_WORDS)


def test_questions_about_documents() -> None:
    assert is_about("installation guide", DOCUMENT_WORDS)
    assert is_about("what does the readme say", DOCUMENT_WORDS)
    assert not is_about("how YAML metadata blocks are read", DOCUMENT_WORDS)


def test_questions_how_something_is_done() -> None:
    assert asks_how("How carts are stored")
    assert not asks_how("how many carts are stored")
    assert not asks_how("show carts")
