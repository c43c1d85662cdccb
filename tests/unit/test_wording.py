"""Advice for agents in the words of the command line."""

import pytest

from cocosearch_py.cli.wording import in_commands


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
        ("status=all adds the others", "files", "--status all adds the others"),
        ("list_files with status skipped tells", "grep", "`cocosearch-py files --status skipped` tells"),
        ("and pass if_version=2", "wiki write", "and pass --if-version 2"),
        ("such as since_ref=main", "diff HEAD", "such as --since main"),
        ("such as since_ref=main", "", "such as since_ref=main"),
        ("nothing defines 'find_symbol' or `list_files`", "", "nothing defines 'find_symbol' or `list_files`"),
        ("src/find_symbol.py has search_text()", "refs", "src/find_symbol.py has search_text()"),
        ("some_other_name=1 and no_such_tool", "refs", "some_other_name=1 and no_such_tool"),
    ],
)
def test_tools_are_commands_and_parameters_flags(advice: str, command: str, said: str) -> None:
    assert in_commands(advice, command) == said
