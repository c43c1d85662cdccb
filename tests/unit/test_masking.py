"""Secrets in answers: masked one for one, by the rules of the audit."""

import random
import re

import pytest
from tests.unit.test_audit_secrets import _KEY_BODY, _MIXED, _TOKENS, _text

from cocosearch_py.secrets.masking import mask_texts, quotes_mask

CLEAN = "".join(f"def line_{number}(self, name):\n    return self.find(name, {number})\n" for number in range(40))
SECRET = "".join(random.Random(7).choices(_MIXED, k=40))
NAMES = [name for name, (rule, *_) in _TOKENS.items() if rule not in ("public-ip", "private-key")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bare", [False, True])
def test_each_kind_is_masked_one_for_one(name: str, bare: bool) -> None:
    _, before, value, after = _TOKENS[name]
    text = f"{CLEAN}# é\n{before}{value}{after}\n{CLEAN}"

    clean, masked = mask_texts([CLEAN, text], bare=bare)

    assert clean == CLEAN
    assert masked == text.replace(value, "*" * len(value))


def test_the_lines_of_a_private_key_are_masked() -> None:
    _, _, begin, after = _TOKENS["private key"]
    text = f'{CLEAN}KEY = """{begin}{after}"""\n{CLEAN}'

    (masked,) = mask_texts([text])

    assert masked == text.replace(_KEY_BODY, re.sub(r"\S", "*", _KEY_BODY))


def test_settings_need_no_quotes() -> None:
    text = "db_password: Tr4v-mu!k97\n"
    assert mask_texts([text]) == [text]
    assert mask_texts([text], bare=True) == ["db_password: ***********\n"]


def test_texts_without_secrets_stay_the_same_object() -> None:
    texts = [CLEAN, 'password = "changeme"', f'rev = "{_text("0123456789abcdef", 40)}"', "\ud800"]
    assert mask_texts(texts) is texts


def test_a_random_text_is_masked_if_it_is_a_secret_elsewhere() -> None:
    plain = f'print("{SECRET}")'
    assert mask_texts([plain]) == [plain]
    assert mask_texts([plain, f'token = "{SECRET}"']) == [f'print("{"*" * 40}")', f'token = "{"*" * 40}"']


def test_a_text_that_quotes_a_mask_is_told_from_one_with_asterisks() -> None:
    source = f'# *****\ntoken = "{SECRET}"\n'.encode()
    (masked,) = mask_texts([source.decode()])
    assert quotes_mask(masked, source)
    for harmless in ("# *****", "a ** b", "/" + "*" * 30, source.decode()):
        assert not quotes_mask(harmless, source)
    assert not quotes_mask(masked, masked.encode()), "the asterisks are those of the file"
