"""What a question asks, and which names it holds."""

import pytest

from cocosearch_py.asking.questions import names_in, names_written, read_question


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        ("What functions call the validatePassword method?", "callers", "the validatePassword method"),
        ("who calls Cart.add", "callers", "Cart.add"),
        ("Who's calling save?", "callers", "save"),
        ("Please tell me which methods invoke `get_user()` in this codebase.", "callers", "`get_user()`"),
        ("where is render called from", "callers", "render"),
        ("callers of parse_args", "callers", "parse_args"),
        ("What does checkout call?", "callees", "checkout"),
        ("which functions are called by Cart.total", "callees", "Cart.total"),
        ("Where is the UserNotFoundError exception thrown?", "thrown", "the UserNotFoundError exception"),
        ("where do we raise HTTPError", "thrown", "HTTPError"),
        ("what raises StopIteration?", "thrown", "StopIteration"),
        ("Where is Cart defined?", "defined", "Cart"),
        ("what is a Blueprint", "defined", "a Blueprint"),
        ("which file implements retry", "defined", "retry"),
        ("What imports numpy?", "importers", "numpy"),
        ("which files import shop/cart.py", "importers", "shop/cart.py"),
        ("what does core.py import", "imports", "core.py"),
        ("what depends on Cart?", "dependents", "Cart"),
        ("What would break if I change Cart.add?", "dependents", "Cart.add"),
        ("what inherits from Base", "heirs", "Base"),
        ("subclasses of Base", "heirs", "Base"),
        ("what implements Serializer", "heirs", "Serializer"),
        ("what does Child extend?", "bases", "Child"),
        ("Which tests cover Cart.add?", "tests", "Cart.add"),
        ("where is login tested", "tests", "login"),
        ("where is the session timeout configured?", "configured", "the session timeout"),
        ("where is Money used?", "uses", "Money"),
        ("what uses the Money class", "uses", "the Money class"),
        ("How does the authentication system work in this codebase?", "how", None),
        ("command group and subcommand dispatch", "how", None),
        ("how is g used to store data scoped to the current request", "how", None),
        ("from where select and order_by query expressions", "how", None),
    ],
)
def test_intents(text, intent, subject):
    found = read_question(text)
    assert found.intent == intent
    assert found.subject == (subject or text)


def test_a_path_of_calls_has_two_ends():
    found = read_question("how does main reach render_template?")
    assert (found.intent, found.subject, found.other) == ("path", "main", "render_template")


def test_what_is_several_steps_away():
    assert read_question("which functions indirectly call save?").is_far
    assert read_question("which functions indirectly call save?").subject == "save"
    assert not read_question("which functions call save?").is_far


@pytest.mark.parametrize(
    ("subject", "written", "others"),
    [
        ("the validatePassword method", ["validatePassword"], []),
        ("`save`", ["save"], []),
        ("Cart.add()", ["Cart.add"], []),
        ("@app.route", ["app.route"], []),
        ("the UserNotFoundError exception", ["UserNotFoundError"], []),
        ("user not found error", [], ["usernotfounderror", "usernotfound"]),
        ("checkout", [], ["checkout"]),
        ("the Cart class", ["Cart"], []),
        ("shop/cart.py", ["shop/cart.py"], []),
        ("std::vector", ["std::vector"], []),
    ],
)
def test_names_of_a_subject(subject, written, others):
    assert names_in(subject) == (written, others)


def test_names_in_prose():
    assert names_written("how does Blueprint.register use app_context() and sessions?") == [
        "Blueprint.register",
        "app_context",
    ]
    assert names_written("how are sessions signed") == []


@pytest.mark.parametrize(
    "text",
    ["what of the " * 80, "how does " + "a reach " * 60, "which functions " * 60, "in the code " * 80, "`" * 999],
)
def test_questions_that_repeat_themselves_are_read(text):
    assert read_question(text).text == text.strip()
    names_in(text)
