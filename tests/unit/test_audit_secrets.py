"""Secrets of one text: every kind that is known, and what only looks like one. The values are made here."""

import random
import re
import string

import pytest
from tests.odd_trees import git

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.features.audit.findings import Scope
from cocosearch_py.features.audit.secrets import find_secrets
from cocosearch_py.secrets.assigned import _WORD, _words
from cocosearch_py.secrets.scan import scan

_LOWER, _UPPER, _HEX = (
    string.ascii_lowercase + string.digits,
    string.ascii_uppercase + string.digits,
    "0123456789abcdef",
)
_MIXED = string.ascii_letters + string.digits
_CHANCE = random.Random(7)


def _text(letters: str, length: int) -> str:
    """Random letters, of each kind one at least."""
    while True:
        made = "".join(_CHANCE.choices(letters, k=length))
        if len(set(made)) >= min(10, length - 2) and re.search("[a-zA-Z]", made) and re.search("[0-9]", made):
            return made


_KEY_BODY = "\n".join(_text(_MIXED, 64) for _ in range(6))
# Rule, what stands before the value, the value, what stands after it. Prefixes are written in two parts, so that nobody
# takes this file for one with secrets.
_TOKENS = {
    "artifactory": ("artifactory", 'key: "', "AK" + "C" + _text(_MIXED, 20), '"'),
    "artifactory password": ("artifactory", "password=", "AP" + "4" + _text(_MIXED, 20), "\n"),
    "AWS key id": ("aws-key", "id = ", "AK" + "IA" + _text(_UPPER, 16), "\n"),
    "AWS secret": ("aws-key", 'aws_secret_access_key = "', _text(_MIXED + "/+", 40), '"'),
    "Azure": ("azure-storage-key", "AccountName=a;Account" + "Key=", _text(_MIXED, 86) + "==", ";"),
    "basic auth": ("basic-auth-url", "https://deploy:", _text(_MIXED, 14), "@git.corp.net/x"),
    "Cloudant": ("cloudant", 'cloudant_password = "', _text(_HEX, 64), '"'),
    "Cloudant address": ("cloudant", "://me:", _text(_HEX, 64), "@me.cloudant.com"),
    "Discord": (
        "discord-bot-token",
        "",
        "M" + _text(_MIXED, 23) + "." + _text(_MIXED, 6) + "." + _text(_MIXED, 27),
        " ",
    ),
    "GitHub": ("github-token", "x ", "gh" + "p_" + _text(_MIXED, 36), "\n"),
    "GitHub, of late": ("github-token", "x ", "github" + "_pat_" + _text(_MIXED, 70), "\n"),
    "GitLab": ("gitlab-token", "x ", "gl" + "pat-" + _text(_MIXED, 20), "\n"),
    "GitLab runner": ("gitlab-token", "x ", "GR1" + "348941" + _text(_MIXED, 20), "\n"),
    "IBM IAM": ("ibm-cloud-iam-key", "ibm_cloud_iam_api_key: ", _text(_MIXED, 44), "\n"),
    "IBM COS": ("ibm-cos-hmac", 'cos_hmac_secret_access_key = "', _text(_HEX, 48), '"'),
    "JWT": (
        "jwt",
        "x ",
        "ey" + "J" + _text(_MIXED, 30) + ".ey" + "J" + _text(_MIXED, 40) + "." + _text(_MIXED, 43),
        "\n",
    ),
    "Mailchimp": ("mailchimp-key", "x ", _text(_LOWER, 32) + "-us" + "12", "\n"),
    "npm": ("npm-token", "//registry.corp.net/:_auth" + "Token=", "np" + "m_" + _text(_MIXED, 36), "\n"),
    "OpenAI": ("openai-key", "x ", "s" + "k-" + _text(_MIXED, 20) + "T3Bl" + "bkFJ" + _text(_MIXED, 20), "\n"),
    "private key": (
        "private-key",
        "",
        "-----BEGIN RSA PRIV" + "ATE KEY-----",
        "\n" + _KEY_BODY + "\n-----END RSA-----",
    ),
    "PyPI": ("pypi-token", "x ", "pypi-Ag" + "EIcHlwaS5vcmc" + _text(_MIXED, 80), "\n"),
    "SendGrid": ("sendgrid-key", "x ", "S" + "G." + _text(_MIXED, 22) + "." + _text(_MIXED, 43), "\n"),
    "Slack": ("slack-token", "x ", "xo" + "xb-" + "123456789012-" + _text(_LOWER, 24), "\n"),
    "Slack hook": (
        "slack-token",
        "https://hooks.slack.com/" + "services/",
        "T" + _text(_UPPER, 8) + "/B" + _text(_UPPER, 8) + "/" + _text(_MIXED, 24),
        "\n",
    ),
    "SoftLayer": ("softlayer-key", "softlayer_api_key = ", _text(_LOWER, 64), "\n"),
    "Square": ("square-secret", "x ", "sq0" + "csp-" + _text(_MIXED, 43), "\n"),
    "Stripe": ("stripe-key", "x ", "sk_" + "live_" + _text(_MIXED, 24), "\n"),
    "Telegram": ("telegram-bot-token", "x ", "110201543" + ":AA" + _text(_MIXED, 33), "\n"),
    "Twilio": ("twilio-key", "x ", "S" + "K" + _text(_HEX, 32), "\n"),
    "public address": ("public-ip", 'host = "', "93.184" + ".216.34", '"'),
    "password": ("assigned", 'db_password = "', "Tr4v" + "-mu!k97", '"'),
    "password of a type": ("assigned", 'const apiKey: string = "', _text(_MIXED, 24), '";'),
    "password that is compared": ("assigned", 'if ("', "Tr4v" + "-mu!k97", '" == user.password) {'),
    "key in JSON": ("assigned", '{"clientSecret": "', _text(_MIXED, 24), '"}'),
    "called": ("assigned", 'std::string secret("', _text(_MIXED, 24), '");'),
    "random hex": ("random-hex", 'set_cookie("session", "', _text(_HEX, 40), '")'),
    "random base64": ("random-base64", 'sign(token, "', _text(_MIXED, 40), '")'),
}


@pytest.mark.parametrize("name", _TOKENS)
def test_each_kind_is_found_where_it_stands(name: str) -> None:
    rule, before, value, after = _TOKENS[name]
    source = f"# first line: é\n{before}{value}{after}\n".encode()

    found = [one for one in scan(source).secrets if not one.rule.endswith("assigned") or rule == "assigned"]

    assert [(one.rule, source[one.start : one.end].decode()) for one in found] == [(f"secret/{rule}", value)]
    assert value not in repr(found), "a value must not get into a log by accident"


def test_settings_need_no_quotes() -> None:
    value = "Tr4v-mu!k97"
    for line in (f"db_password: {value}", f"export API_KEY={value}", f"client_secret = {value}  # ours"):
        assert [one.value.decode() for one in scan(line.encode(), bare=True).secrets] == [value], line
        assert not scan(line.encode()).secrets, line


@pytest.mark.parametrize(
    "line",
    [
        'password = "password"',
        "password: 'changeme'",
        'password = "${DB_PASSWORD}"',
        'secret = "{{ vault.secret1 }}"',
        'api_key = "<your-api-key-1>"',
        'API_KEY = os.environ["API_KEY_1"]',
        'password = "%s1"',
        'secret_name = "prod/db-1"',
        'password_file = "/run/secrets/db1"',
        'private_key = "keys/server1.pem"',
        'message: { password: "The password needs 8 letters at least" }',
        'token = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"',
        'secret = "abcdefghijklmnopqrstuvwxyz0123456789"',
        'secret = "aaaaaaaaaaaaaaaaaaaaaaaaaa1"',
        'password = "s00pers3cret"',
        'secret_json = "encrypted-secret-json-string-2"',
        'url = "postgres://postgres:postgres@localhost/app"',
        'url = "https://user:${PASSWORD}@host"',
        'integrity = "sha512-' + _text(_MIXED, 86) + '=="',
        f'commit = "{_text(_HEX, 40)}"  # of the token parser',
        f'rev: "{_text(_HEX, 40)}"',
        'assert "-----BEGIN RSA PRIVATE KEY-----" in text',
        'id = "AKIAIOSFODNN7EXAMPLE"',
        'version = "1.22.33.44"',
        'host = "192.168.178.20"',
        'resolver = "8.8.8.8"',
        'secretKeyRef = "app.settings.secretKey"',
    ],
)
def test_what_is_no_secret(line: str) -> None:
    found = scan(line.encode(), bare=True).secrets

    assert not found, [one.rule for one in found]


def test_a_random_text_that_nothing_names_is_doubtful() -> None:
    value = _text(_MIXED, 40)

    scanned = scan(f'print("{value}")'.encode())

    assert not scanned.secrets
    assert [one.value.decode() for one in scanned.doubtful] == [value]


def test_marks_between_words_are_read_once():
    assert not scan(b"password = 'a" + b"-_" * 100 + b"b'").secrets  # words
    assert scan(b"password = 'a" + b"-_" * 100 + b"=~9Q'").secrets


def test_words_are_found_around_their_cores():
    pieces = ["api", "API_", "key", "Pass", "word", "passw", "d", "phrase", "pwd", "contrase", "ñ", "a", "token", "_",
              "encryption-", "key", "secret", "credentials", " ", "\n", "x" * 20, "private", "="]  # fmt: skip
    for _ in range(300):
        text = "".join(_CHANCE.choices(pieces, k=40)).encode()
        assert [one.span() for one in _words(text)] == [one.span() for one in _WORD.finditer(text)]


def test_a_random_text_is_found_where_it_is_a_secret_elsewhere(tmp_path):
    value, other = _text(_MIXED, 40), _text(_MIXED, 40)
    (tmp_path / "named.py").write_text(f'token = "{value}"\n')
    (tmp_path / "plain.py").write_text(f'print("{other}")\nprint("{value}")\n')
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")

    found = find_secrets(Scope(root=tmp_path, record=None), (), DiscoveryOptions()).findings

    assert [(one.place.path, one.place.start_line) for one in found] == [("named.py", 1), ("plain.py", 2)]
