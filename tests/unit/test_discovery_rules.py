"""Rules by name that hold whatever the settings say."""

import pytest

from cocosearch_py.discovery.rules import forbidden_path_rule, secret_rule

# One name for each rule.
SECRETS = {
    ".env": ".env", ".env.production": ".env.*", "prod.env": "*.env", ".envrc": ".envrc", "site.pem": "*.pem",
    "site.key": "*.key", "site.p12": "*.p12", "site.pfx": "*.pfx", "site.jks": "*.jks", "site.keystore": "*.keystore",
    "mine.kdbx": "*.kdbx", "mine.ppk": "*.ppk", "id_rsa": "id_rsa*", "id_dsa.old": "id_dsa*", "id_ecdsa": "id_ecdsa*",
    "id_ed25519_work": "id_ed25519*", "credentials": "credentials", "credentials.json": "credentials.json",
    ".netrc": ".netrc", "_netrc": "_netrc", ".npmrc": ".npmrc", ".pypirc": ".pypirc", ".htpasswd": ".htpasswd",
    ".pgpass": ".pgpass", ".git-credentials": ".git-credentials", ".dockercfg": ".dockercfg", "a.tfstate": "*.tfstate",
    "a.tfstate.backup": "*.tfstate.backup", "service-account-7.json": "service-account*.json", "a.gpg": "*.gpg",
    "a.asc.key": "*.key", "a.kubeconfig": "*.kubeconfig", "kubeconfig": "kubeconfig", ".vault-token": ".vault-token",
    "master.key": "*.key",
}  # fmt: skip


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


@pytest.mark.parametrize(("name", "rule"), SECRETS.items())
def test_every_rule_for_secrets_finds_its_files(name: str, rule: str) -> None:
    assert secret_rule(name) == secret_rule(name.upper()) == f"built-in secret: {rule}"
    assert secret_rule(f"{name}x") in (None, f"built-in secret: {rule}")


@pytest.mark.parametrize(
    "name", [".env.example", "id_rsa.pub", "site.key.sample", "a.pem.template", ".env.dist", "id_ed25519.PUB"]
)
def test_public_keys_and_templates_are_no_secrets(name: str) -> None:
    assert secret_rule(name) is None
