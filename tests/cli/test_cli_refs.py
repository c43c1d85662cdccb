"""`refs`: uses for people and programs."""


def test_uses_under_their_files(cli, shop):
    result = cli("--pretty", "refs", "Money", "--kind", "call,type", cwd=shop)
    assert any(line.startswith("shop/") for line in result.out.splitlines())
    assert "completeness:" in result.err
    assert cli("refs", "Money", "--limit", "1", cwd=shop).json["next_cursor"] == "uses:0:1"


def test_nothing_is_found_and_said(cli, shop):
    result = cli("--pretty", "refs", "no_such_name", cwd=shop)
    assert result.out == "nothing found\n"
    assert "`cocosearch-py symbols` finds similar names" in result.err
