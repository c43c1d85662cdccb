"""`pipeline`: chains for people and programs."""


def test_a_chain_as_one_text_and_as_steps(cli, shop):
    found = cli("pipeline", "text Money --path-glob shop/** | limit 2", cwd=shop).json
    assert len(found["items"]) == 2
    assert cli("pipeline", "--step", "text Money", "--step", "count", cwd=shop).json["count"] > 2
    shown = cli("--pretty", "pipeline", "find shop/*.py | sort lines", cwd=shop)
    assert shown.out.splitlines()[0].startswith("shop/")
    assert "sort lines: " in shown.err
    assert cli("--pretty", "pipeline", "symbols Cart --match exact | read", cwd=shop).out.count("class Cart") == 1
    nothing = cli("--pretty", "pipeline", "text no_such_text_anywhere", cwd=shop)
    assert nothing.out == "nothing found\n"
    assert "step 1 found nothing (text no_such_text_anywhere): `cocosearch-py grep` alone shows why" in nothing.err


def test_a_chain_that_does_not_fit(cli, shop):
    refused = cli("--pretty", "pipeline", "find a | callers", cwd=shop, code=2)
    assert "callers, takes symbols; the step before it gives files" in refused.err


def test_commands_under_the_names_that_lexa_has_for_them(cli, shop):
    for theirs, ours in (("text-search", "grep"), ("symbol-defs", "symbols"), ("word-refs", "refs")):
        assert cli(theirs, "Money", cwd=shop).json == cli(ours, "Money", cwd=shop).json
