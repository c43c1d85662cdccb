"""`types`: producers and consumers of a type for people and programs."""


def test_roles(cli, tmp_path):
    (tmp_path / "rates.py").write_text("def make() -> Rate: ...\n\n\ndef take(rate: Rate, *, n: int): ...\n")
    cli("index", tmp_path, "--name", "rates")
    result = cli("--pretty", "types", "Rate", "-n", "rates")
    assert result.out.splitlines()[0] == "returned by"
    assert "rates.py:4  def take(rate: Rate, *, n: int)" in result.out
    answer = cli("types", "Rate", "-n", "rates").json
    assert (answer["type_name"], answer["producers_count"], answer["consumers_count"]) == ("Rate", 1, 1)
    assert set(answer["consumers"][0]) == {"file", "name", "kind", "signature", "line", "role"}
    assert "ask `cocosearch-py refs`" in cli("--pretty", "types", "Rat", "-n", "rates").err
    assert cli("types", " ", "-n", "rates", code=2).error["error_type"] == "validation_error"
