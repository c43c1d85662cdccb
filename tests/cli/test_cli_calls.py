"""`callgraph`: calls for people and programs."""


def test_calls_under_their_callers(cli, tmp_path):
    (tmp_path / "calls.py").write_text(
        "def a():\n    return b()\n\n\ndef b():\n    return c()\n\n\ndef c():\n    return 1\n"
    )
    cli("index", tmp_path, "--name", "calls")
    result = cli("--pretty", "callgraph", "a", "--to", "c", "-n", "calls")
    assert result.out.splitlines()[:3] == ["a → b → c", "a  calls.py:1", "     2 ~ b  calls.py:5"]
    assert "completeness:" in result.err
    picture = cli("callgraph", "b", "-n", "calls", "--format", "mermaid", "--pretty")
    assert picture.out.startswith("graph LR\n") and picture.out.count("-->") == 2
    answer = cli("callgraph", "b", "-n", "calls").json
    assert [node["id"] for node in answer["nodes"]] == ["calls.py#b", "calls.py#a", "calls.py#c"]
    assert answer["edges"][0]["confidence"] == "scoped"
    assert "`cocosearch-py symbols`" in cli("--pretty", "callgraph", "no_such_name", "-n", "calls").err
    assert cli("callgraph", " ", "-n", "calls", code=2).error["error_type"] == "validation_error"
