"""How central the nodes of a graph are: PageRank (Page, Brin, Motwani, Winograd 1999), personalised. Pure."""

from collections.abc import Collection, Iterable, Mapping

_DAMPING = 0.85
_STEPS = 30
_ENOUGH = 1e-6  # a step that changes no more in all is the last


def page_rank(
    nodes: Collection[int], edges: Iterable[tuple[int, int, float]], favoured: Mapping[int, float] | None = None
) -> dict[int, float]:
    """Node -> rank; the ranks sum up to 1.

    Args:
        edges: from, to, weight over 0; those at other nodes do not count.
        favoured: where a reader who does not follow an edge goes, by node; without it, anywhere.
    """
    if not nodes:
        return {}
    import numpy as np  # takes a while to load

    place = {node: number for number, node in enumerate(nodes)}
    count = len(place)
    known = [
        (place[source], place[target], weight)
        for source, target, weight in edges
        if source in place and target in place and source != target
    ]
    sources, targets = (np.array([one[end] for one in known], dtype=np.int64) for end in (0, 1))
    weights = np.array([one[2] for one in known], dtype=np.float64)
    out = np.bincount(sources, weights, count)
    shares = weights / out[sources]
    home = np.zeros(count)
    for node, weight in (favoured or {}).items():
        if node in place and weight > 0:
            home[place[node]] = weight
    total = home.sum()
    home = home / total if total else np.full(count, 1 / count)
    is_end = out == 0
    ranks = home
    for _ in range(_STEPS):
        # Who is at a node without edges starts again.
        again = 1 - _DAMPING + _DAMPING * ranks[is_end].sum()
        following = again * home + _DAMPING * np.bincount(targets, ranks[sources] * shares, count)
        change = np.abs(following - ranks).sum()
        ranks = following
        if change < _ENOUGH:
            break
    return dict(zip(place, ranks.tolist(), strict=True))
