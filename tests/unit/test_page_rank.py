"""PageRank: known answers, and what must hold for every graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.analysis.page_rank import page_rank

NODE = st.integers(0, 8)
EDGES = st.lists(st.tuples(NODE, NODE, st.floats(0.1, 10)), max_size=30)


@given(EDGES)
def test_ranks_solve_the_equations(edges: list[tuple[int, int, float]]) -> None:
    follow = np.zeros((9, 9))  # column: where a reader of a node goes
    for source, target, weight in edges:
        follow[target, source] += weight if source != target else 0
    for node in range(9):
        total = follow[:, node].sum()
        follow[:, node] = follow[:, node] / total if total else 1 / 9
    exact = np.linalg.solve(np.eye(9) - 0.85 * follow, np.full(9, 0.15 / 9))
    assert list(page_rank(range(9), edges).values()) == pytest.approx(list(exact), abs=5e-3)


@given(EDGES)
def test_ranks_are_shares_of_all(edges: list[tuple[int, int, float]]) -> None:
    ranks = page_rank(range(9), edges)
    assert sum(ranks.values()) == pytest.approx(1)
    assert min(ranks.values()) > 0


@given(EDGES, NODE)
def test_a_favoured_node_gains(edges: list[tuple[int, int, float]], node: int) -> None:
    plain, favoured = page_rank(range(9), edges), page_rank(range(9), edges, {node: 1.0})
    assert favoured[node] >= plain[node] - 1e-4


def test_nodes_that_do_not_exist_do_not_count() -> None:
    assert page_rank([], [(1, 2, 1.0)]) == {}
    assert page_rank([1, 2], [(1, 7, 1.0), (7, 2, 1.0), (1, 1, 5.0)], {7: 1.0}) == {1: 0.5, 2: 0.5}
