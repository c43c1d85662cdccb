"""Which types a signature accepts and which it returns."""

import re

import pytest

from cocosearch_py.features.references.signatures import read_head

CASES = [
    ("def f(a: A, b: dict[str, B] = {}) -> list[R]:", "f", "A B", "R"),
    ("async def __init__(self, a: A) -> None:", "__init__", "A", ""),
    ("pub fn f<'a, T: X>(a: &'a A) -> Result<R, E> where T: X", "f", "A", "R E"),
    ("func (c *C) f(a A, next func(B) B) (R, error)", "f", "A B", "R"),
    ("export function f<T>(a: A): Promise<R>", "f", "A", "R"),
    ("export const f = async (a: A): Promise<R> => {", "f", "A", "R"),
    ("public static <X extends B> List<R> f(A a, B... b) throws E", "f", "A B", "R"),
    ("std::vector<R> C::f(const A& a) const", "f", "A", "R"),
    ("auto f(A a) -> R", "f", "A", "R"),
    ("fun A.f(b: B): R", "f", "B", "R"),
    ("func f(_ a: A, by b: B) async throws -> R", "f", "A B", ""),
    ("public function f(?A $a): ?R", "f", "A", "R"),
    ("f :: A -> B -> R", "f", "A B", "R"),
    ("public C(A a)", "C", "A", ""),
]


@pytest.mark.parametrize(("signature", "name", "accepted", "returned"), CASES)
def test_heads(signature: str, name: str, accepted: str, returned: str) -> None:
    head = read_head(signature, name)
    for text, wanted in ((head.accepted, accepted), (head.returned, returned)):
        assert sorted(set(re.findall(r"\b[A-Z]\b", text))) == sorted(wanted.split())


def test_text_after_the_head_is_left_out() -> None:
    head = read_head("def f(\n    a: A,\n) -> R:\n    b: B = C()\n    return b\n", "f")
    assert (head.accepted.strip(), head.returned.split()) == ("a: A,", ["def", "->", "R"])
