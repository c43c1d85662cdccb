"""Rules by name that hold whatever the settings say."""

import pytest

from cocosearch_py.discovery.rules import forbidden_path_rule


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".env", "built-in secret: .env"),
        ("config/.ENV.local", "built-in secret: .env.*"),
        ("keys/id_rsa", "built-in secret: id_rsa*"),
        (".git/config", "built-in: .git/"),
        ("lib/.Git/hooks/pre-commit", "built-in: .git/"),
        ("lib/.git", "built-in: .git/"),
        (".hg/store/a.py", "built-in: .hg/"),
        ("a/.SVN/entries", "built-in: .svn/"),
    ],
)
def test_secrets_and_version_control_are_forbidden_in_any_case(path: str, rule: str) -> None:
    assert forbidden_path_rule(path) == rule


@pytest.mark.parametrize(
    "path", ["a.py", ".gitignore", ".github/x.yml", ".env.example", "lib/.hg", ".env/lib.py", "git/config"]
)
def test_other_names_are_not(path: str) -> None:
    assert forbidden_path_rule(path) is None
