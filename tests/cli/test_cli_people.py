"""Sentences and tables that people read: in their words, as wide as the terminal."""

import pytest
from tests.terminals import on_terminal


@pytest.mark.parametrize("columns", ["80", "100"])
def test_notes_and_errors_are_broken_at_words(environment, shop, columns):
    here = {**environment, "COLUMNS": columns}
    for words in (("refs", "no_such_name", "-n", "shop"), ("export", "-n", "shop", "-o", "/no/such/" + "x/" * 60)):
        _, shown = on_terminal(here, *words)
        for line in shown.splitlines():
            assert len(line) <= int(columns) or "/x/x/" in line, shown


def test_a_command_that_is_quoted_stays_on_one_line(environment, shop):
    _, shown = on_terminal({**environment, "COLUMNS": "60"}, "grep", "no_such_text", "-n", "shop")
    assert "`cocosearch-py files --status skipped`" in shown.replace("\r", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("status",), "completed"),
        (("status", "-n", "shop"), "definitions"),
        (("jobs",), "seconds"),
        (("log", "shop"), "begun"),
        (("list", "nothing-*"), "no index matches 'nothing-*'"),
    ],
)
def test_states_are_told_without_names_of_fields(cli, shop, words, said):
    shown = cli("--pretty", *words, cwd=shop).out
    assert said in shown
    assert not any(name in shown for name in ("success", "index_name", "job_id", "files_done", "eta_s"))


def test_what_became_of_an_index_is_a_sentence(cli, shop, tmp_path):
    bundle = tmp_path / "kept.tar.zst"
    assert f"{bundle}: index 'shop' as bundle, " in cli("--pretty", "export", "-n", "shop", "-o", bundle).out
    assert "imported index 'taken': " in cli("--pretty", "import", bundle, "--name", "taken").out
    cli("clear", "taken", "--force")
    assert "taken" in cli("--pretty", "restore").out
    assert "restored index 'taken': " in cli("--pretty", "restore", "taken").out
    cli("clear", "taken", "--force")


def test_messages_name_commands_and_options(cli, shop):
    hint = cli("patch", cwd=shop, code=2).error["hint"]
    assert "--old-text" in hint and "old_text" not in hint
    error = cli("changes", "--since-time", "2026-01-01", "--since-ref", "HEAD", cwd=shop, code=2).error
    assert "--since-time" in error["error"] and "since_ref" not in error["error"]
