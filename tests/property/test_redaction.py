"""No piece of a secret survives, however it is written into an address."""

import re
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cocosearch_py.model.redaction import redact, redact_line, strip_credentials

LEAST_PIECE = 4  # characters of a secret that would help somebody
HIDDEN = ("postgresql", "host", "user", "dbname", "require", "password", "Bearer", "apikey", "Authorization")
printable = st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("C", "Z"))
secrets = st.one_of(
    st.text(printable, min_size=4, max_size=24),
    st.text(st.sampled_from("abcdXYZ019@/#:?&%='\"\\+!"), min_size=4, max_size=24),
).filter(lambda text: not re.search(r"\$\{\w+\}|\{env:\w+\}", text))  # these name a variable, which is shown


def pieces(secret: str) -> set[str]:
    return {secret[start : start + LEAST_PIECE] for start in range(len(secret) - LEAST_PIECE + 1)}


def assert_hidden(secret: str, text: str, shown: str) -> None:
    """No piece of the secret is in what is shown, unless the address has the same piece without the secret."""
    without = text.replace(secret, "\n")
    left = {piece for piece in pieces(secret) if piece in shown and piece not in without}
    assert not left, shown


@given(secrets, st.sampled_from(["postgresql", "postgres", "https"]), st.sampled_from(["me", "me@tenant", ""]))
@example("abcd@efgh", "postgresql", "me")
@example("p?password=x@tail", "postgresql", "me")
@example("aa/bb@cc#dd", "https", "me")
def test_the_password_of_a_url(secret: str, scheme: str, user: str) -> None:
    url = f"{scheme}://{user}:{secret}@db.example:5432/shop?sslmode=require"
    assert_hidden(secret, url, redact(url))
    assume(" " not in secret)
    for text in (f"cannot use {url}, sorry", f'"{url}"'):
        assert_hidden(secret, text, redact(text))


@given(secrets)
def test_an_encoded_password_of_a_url(secret: str) -> None:
    encoded = quote(secret, safe="")
    url = f"postgresql://me:{encoded}@db.example/shop"
    assert_hidden(encoded, url, redact(url))


@given(secrets, st.sampled_from(["password", "sslpassword", "api_key", "apikey", "token", "key"]))
@example("ab:cd@efgh", "password")
def test_a_secret_parameter_of_a_url(secret: str, name: str) -> None:
    assume("&" not in secret)
    url = f"postgresql:///shop?host=/run&{name}={secret}&user=me"
    assert_hidden(secret, url, redact(url))
    assert_hidden(secret, url, redact(f"no answer from {url}"))


@given(secrets, st.sampled_from(["password=", "PASSWORD = ", "sslpassword="]), st.booleans())
@example("$A00", "password=", False)
@example("${A00", "password=", True)
def test_the_password_of_a_key_value_dsn(secret: str, key: str, last: bool) -> None:
    escaped = secret.replace("\\", "\\\\").replace("'", "\\'")
    for written in (f"'{escaped}'", escaped):
        dsn = f"host=db {key}{written}" + ("" if last else " dbname=shop")
        assert_hidden(written.strip("'"), dsn, redact(dsn))


@given(secrets)
def test_a_quoted_password_with_spaces(secret: str) -> None:
    spaced = " ".join(secret).replace("\\", "\\\\").replace("'", "\\'")
    dsn = f"host=db password='{spaced}' dbname=shop"
    assert redact(dsn).startswith("host=db password=***")
    assert_hidden(spaced, dsn, redact(dsn))


@given(st.text(st.sampled_from("abcdefXYZ0189-_.~+/="), min_size=4, max_size=40))
def test_keys_in_headers_and_known_secrets(key: str) -> None:
    for text in (
        f"Authorization: Bearer {key}",
        f"{{'Authorization': 'Bearer {key}'}}",
        f"authorization=Basic {key}",
        f"x-api-key: {key}",
        f'{{"api_key": "{key}"}}',
    ):
        assert_hidden(key, text, redact(text))
    known = f"you sent {key}, which is wrong; {quote(key, safe='')}"
    assert_hidden(key, known, redact(known, None, "", key))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("nothing secret: a@b", "nothing secret: a@b"),
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("see https://example.org:8080/a and me@x", "see https://example.org:8080/a and me@x"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("https://ghp_token@example.org/a.git", "https://***@example.org/a.git"),
        ("Incorrect API key provided: sk-proj-abcd1234.", "Incorrect API key provided: ***."),
        ("Authorization: Bearer ${TOKEN}", "Authorization: Bearer ${TOKEN}"),
        ("a syntax error at or near token", "a syntax error at or near token"),
    ],
)
def test_what_is_left_as_it_is(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_lines_of_configuration_files() -> None:
    assert redact_line('  "MY_API_KEY": "abc def",\n') == '  "MY_API_KEY": "***",\n'
    assert redact_line('"COCOSEARCH_AUTH_TOKEN": "${COCOSEARCH_AUTH_TOKEN}"') == (
        '"COCOSEARCH_AUTH_TOKEN": "${COCOSEARCH_AUTH_TOKEN}"'
    )
    assert redact_line('"Authorization": "Bearer ${TOKEN}"') == '"Authorization": "Bearer ${TOKEN}"'
    assert redact_line('"MY_API_KEY": "abc${SALT}"') == '"MY_API_KEY": "***"'
    assert redact_line('bearer_token_env_var = "NAME"') == 'bearer_token_env_var = "NAME"'


@given(secrets)
def test_credentials_are_dropped_whole(secret: str) -> None:
    url = f"https://me:{quote(secret, safe='')}@example.org/a.git?token={quote(secret, safe='')}"
    assert strip_credentials(url) == "https://example.org/a.git"
