"""What a question asks, and which names it holds."""

from itertools import zip_longest
from types import SimpleNamespace

import pytest

from cocosearch_py.features.ask.answering import answer
from cocosearch_py.features.ask.confidence import is_about_something_else, of_search
from cocosearch_py.features.ask.evidence import Bounds, Evidence
from cocosearch_py.features.ask.investigation import Inquiry
from cocosearch_py.features.ask.linking import Linked
from cocosearch_py.features.ask.questions import names_in, names_written, read_question
from cocosearch_py.features.ask.uses import sure
from cocosearch_py.model.search import Confidence
from cocosearch_py.model.usages import Place, Usage, UsageReport


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
        ("Please explain: how are sessions signed in this codebase?", "how", "explain: how are sessions signed"),
        ("How does the authentication system work in this codebase?", "how", "How does the authentication system work"),
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


def definition(qualified_name, kind="method"):
    name = qualified_name.rpartition(".")[2]
    return SimpleNamespace(path="a.py", name=name, qualified_name=qualified_name, kind=kind)


def kept(qualified_name, qualifiers, namesakes, outside=(), *, receivers=(), types=()):
    """Qualifiers of the calls that are taken for calls of a definition, beside others with its name.

    Args:
        outside: what the file of the calls imports from libraries.
        receivers: types that it says of what stands before them.
        types: classes that the index has.
    """
    name = qualified_name.rpartition(".")[2]
    usages = tuple(
        Usage("b.py", line, 1, "call", name, qualifier, "name_only", receiver=receiver)
        for line, (qualifier, receiver) in enumerate(zip_longest(qualifiers, receivers, fillvalue=""), 1)
    )
    report = UsageReport(
        usages=usages,
        definitions=(Place("a.py", "method", qualified_name, 1, 2),),
        confidences={"name_only": len(usages)},
    )
    every = [definition(one) for one in (qualified_name, *namesakes)]
    every += [definition(one, "class") for one in types]
    sources = SimpleNamespace(
        definitions=lambda *_: (every, len(every)), names_from_outside=lambda paths: dict.fromkeys(paths, outside)
    )
    inquiry = Inquiry(read_question(f"who calls {qualified_name}"), sources, Bounds())  # type: ignore[arg-type]
    linked = Linked(qualified_name, every[:1], 1)  # type: ignore[arg-type]
    return [one.qualifier for one in sure(inquiry, linked, report)]


def test_calls_of_what_is_of_another_type_do_not_count():
    assert kept("Cart.add_item", ["x", "y"], [], receivers=["Basket", ""], types=["Basket"]) == ["y"]
    assert kept("Cart.add_item", ["x", "Basket", "Cart"], [], types=["Basket"]) == ["x", "Cart"]
    assert kept("Cart.add_item", ["x"], [], receivers=["Basket"]) == ["x"], "nobody knows what it is"
    assert kept("Cart.add_item", ["x", "Basket"], [], ["Basket"], receivers=["Basket"]) == [], "a library's"
    assert kept("Cart.add_item", ["x"], [], ["Cart"], receivers=["Cart"]) == ["x"]


def test_names_that_libraries_have_count_after_their_type_alone():
    assert kept("Money.toJSON", ["date", "money", "\u2026"], []) == ["money"]


def test_an_object_may_be_of_the_type_that_is_meant():
    assert kept("CallContext.help", ["context"], ["context.help"]) == ["context"]
    assert kept("CallContext.help", ["context"], ["Context.help"]) == []


@pytest.mark.parametrize(
    ("qualifier", "is_kept"),
    [
        ("db", True),
        ("self.internal_db", True),
        ("data", True),
        ("da", False),
        ("odd_data_set", True),
        ("__data__", False),
    ],
)
def test_short_names_of_variables(qualifier, is_kept):
    assert bool(kept("Database.execute", [qualifier], [])) == is_kept


def test_calls_of_which_only_the_name_is_known():
    assert kept("Context.invoke", ["ctx", "self.context", "x", "\u2026"], ["Command.invoke"]) == ["ctx", "self.context"]
    assert kept("Context.invoke", ["cont", "command"], ["Command.invoke"]) == ["cont"], "another one's variable"
    assert kept("Jar.set_cookie", ["super()", "jar"], []) == ["jar"], "what it inherits"
    assert kept("App.add_route", ["app", "self.router"], ["Router.add_route"]) == ["app"]
    assert kept("Bar.update", ["bar", "info"], []) == ["bar"], "a dict has an update, too"
    assert kept("Session.prepare_request", ["s", "x"], []) == ["s", "x"], "no other has this name"
    assert kept("Session.prepare_request", ["s"], ["A.prepare_request", "B.prepare_request"]) == []
    assert kept("ShopRunner.invoke", ["runner", "shop"], [], ["CliRunner"]) == ["shop"], "a library's runner"
    assert kept("ShopRunner.invoke", ["runner"], [], ["runner", "Path"]) == ["runner"], "no type is like it"
    assert kept("ShopRunner.invoke_all", ["runner"], [], ["CliRunner"]) == ["runner"], "no other has this name"


def searched(level, probability, unknown=(), words=("a", "b", "c")):
    said = Confidence(level, "why", probability, unknown)
    return SimpleNamespace(hits=[1], confidence=said, analysis=SimpleNamespace(words=words))


def test_the_confidence_of_a_search_grows_with_its_probability():
    values = [of_search(searched("medium", at / 20)).value for at in range(21)]
    assert values == sorted(values)
    assert of_search(searched("medium", 0.99)).level == "medium", "only what a search calls sure is"
    assert of_search(searched("high", None)).level == "high"
    assert of_search(searched("low", 0.05, ("a",))).level == "low"
    assert of_search(searched("medium", 0.25)).value > of_search(searched("medium", 0.25, ("a",))).value


def test_a_question_about_something_else():
    assert is_about_something_else(searched("low", 0.05, ("billing",), ("billing", "system")))
    assert not is_about_something_else(searched("low", 0.05, ("system", "work"), ("login", "system", "work")))
    assert not is_about_something_else(searched("medium", 0.3, ("a", "b", "c")))
    assert is_about_something_else(searched("low", 0.05, ("billing", "invoice"), ("billing", "invoice", "sent")))
    assert not is_about_something_else(searched("low", 0.05, ("billing",), ("billing", "sent")))
    assert not is_about_something_else(searched("low", 0.4, ("billing", "invoice"), ("billing", "invoice", "sent")))


def test_no_line_is_evidence_twice():
    inquiry = Inquiry(read_question("x"), None, Bounds(limit=2))  # type: ignore[arg-type]
    first = Evidence("a.py", 1, 9, 1.0, 1, "search")
    assert inquiry.add([first, Evidence("a.py", 2, 3, 0.9, 1, "call"), Evidence("b.py", 2, 3, 0.8, 1, "call")]) == 2
    assert inquiry.add([Evidence("c.py", 1, 1, 0.7, 1, "call")]) == 0, "the limit"


def test_where_the_first_passage_surely_answers_what_it_calls_is_shown():
    def hit(path):
        return SimpleNamespace(
            file_path=path, start_line=1, end_line=3, score=0.5, symbol_type="function", symbol_name="f", hierarchy="f"
        )

    def call(path, confidence):
        target = Place(path, "function", "g", 5, 9)
        return Usage("0.py", 2, 1, "call", "g", "", confidence, None, target)

    calls = UsageReport(usages=(call("g.py", "resolved"), call("0.py", "resolved"), call("h.py", "name_only")))
    asked = []

    def usages(name, kinds, *, callees):
        asked.append((name, kinds, callees))
        return calls

    def found(level, **bounds):
        report = searched(level, 0.95 if level == "high" else 0.5)
        report.hits = [hit(f"{at}.py") for at in range(4)]
        sources = SimpleNamespace(search=lambda *_: report, usages=usages)
        return answer("how is a cart paid for", sources, Bounds(**bounds))  # type: ignore[arg-type]

    shown = found("high", limit=4)
    assert [(one.path, one.via) for one in shown.evidence] == [
        ("0.py", "search"),
        ("1.py", "search"),
        ("g.py", "is called by f"),
        ("0.py", "is called by f"),
    ]
    assert [one.intent for one in shown.steps] == ["text", "callgraph"]
    assert asked == [("0.py#f", ("call",), True)]
    for unsure in (found("medium", limit=4), found("high", limit=4, max_hops=1)):
        assert [one.path for one in unsure.evidence] == ["0.py", "1.py", "2.py", "3.py"]
