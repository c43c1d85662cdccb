"""Advice for agents in the words of the command line."""

import pytest

from cocosearch_py.tools.wording import in_commands, in_tools, told_to_agents


@pytest.mark.parametrize(
    ("advice", "command", "said"),
    [
        (
            "find_symbol looks for it, search_text too",
            "",
            "`cocosearch-py symbols` looks for it, `cocosearch-py grep` too",
        ),
        ("such as since_ref=main, or pr=12", "diff", "such as --since main, or --pr 12"),
        ("(`cocosearch-py index /a`, or the tool index_codebase)", "", "(`cocosearch-py index /a`)"),
        ("index_status with check_files says more", "read", "`cocosearch-py why FILE` says more"),
        ("pass regex=true if it is one", "grep", "pass --regex if it is one"),
        ("pass case_sensitive=false if", "grep", "pass --ignore-case if"),
        ("2 resolve elsewhere: include_external=true lists them", "deps", "2 resolve elsewhere: --external lists them"),
        ("dep_type=import shows all imports", "deps", "--type import shows all imports"),
        ("status=all adds the others", "files", "--status all adds the others"),
        ("list_files with status skipped tells", "grep", "`cocosearch-py files --status skipped` tells"),
        ("and pass if_version=2", "wiki write", "and pass --if-version 2"),
        ("raise max_tokens, or ask for less", "context", "raise --max-tokens, or ask for less"),
        ("pass since_ref instead.", "diff", "pass --since instead."),
        ("give job_id or index_name", "cancel", "give JOB or --name"),
        ("no job is running: index_status.", "", "no job is running: `cocosearch-py status`."),
        ("such as since_ref=main", "diff HEAD", "such as --since main"),
        ("such as since_ref=main", "", "such as since_ref=main"),
        ("nothing defines 'find_symbol' or `list_files`", "", "nothing defines 'find_symbol' or `list_files`"),
        ("src/find_symbol.py has search_text()", "refs", "src/find_symbol.py has search_text()"),
        ("some_other_name=1 and no_such_tool", "refs", "some_other_name=1 and no_such_tool"),
    ],
)
def test_tools_are_commands_and_parameters_flags(advice: str, command: str, said: str) -> None:
    assert in_commands(advice, command) == said


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        ("run `cocosearch-py index` again to complete it", "run index_codebase again to complete it"),
        (
            "index it first (`cocosearch-py index /a b`, or the tool index_codebase), or",
            "index it first (`cocosearch-py index /a b`, or the tool index_codebase), or",
        ),
        ("(`cocosearch-py index /a`, or the tool index_codebase)", "(index_codebase with path /a)"),
        ("`cocosearch-py index /a --rev main` does", "index_codebase with path /a and rev main does"),
        ("confirm it: `cocosearch-py index --yes`;", "confirm it: `cocosearch-py index --yes`;"),
        ("`cocosearch-py index --dry-run` shows it", "index_codebase with dry_run=true shows it"),
        ("`cocosearch-py why FILE` shows why", "index_status with check_files shows why"),
        ("`cocosearch-py clear shop` removes it", "clear_index with index_names shop removes it"),
        ("run `cocosearch-py db upgrade`", "run `cocosearch-py db upgrade`"),
        ("search_text and `a` stay", "search_text and `a` stay"),
    ],
)
def test_commands_are_tools_where_one_does_the_same(advice: str, said: str) -> None:
    assert in_tools(advice) == said


def test_of_an_answer_only_advice_is_worded_anew() -> None:
    text = "run `cocosearch-py index` again"
    answer = {"source": text, "warnings": [text], "hint": text, "items": [{"message": text}]}
    assert told_to_agents(answer) == {
        "source": text,
        "warnings": ["run index_codebase again"],
        "hint": "run index_codebase again",
        "items": [{"message": text}],
    }
    notes = [{"file_path": "a", "message": text}, {"type": "warning", "message": text}, "x"]
    assert told_to_agents(notes) == [notes[0], {"type": "warning", "message": "run index_codebase again"}, "x"]
