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
    place = {node: number for number, node in enumerate(nodes)}
    count = len(place)
    out = [0.0] * count
    links: list[list[tuple[int, float]]] = [[] for _ in range(count)]  # by target
    for source, target, weight in edges:
        if source in place and target in place and source != target:
            out[place[source]] += weight
            links[place[target]].append((place[source], weight))
    shares = {place[node]: weight for node, weight in (favoured or {}).items() if node in place and weight > 0}
    total = sum(shares.values())
    home = [shares.get(number, 0.0) / total if total else 1 / count for number in range(count)]
    into = [[(source, weight / out[source]) for source, weight in found] for found in links]
    ranks = home
    for _ in range(_STEPS):
        # Who is at a node without edges starts again.
        lost = sum([rank for rank, weight in zip(ranks, out, strict=True) if not weight])
        again = 1 - _DAMPING + _DAMPING * lost
        following = [
            again * start + _DAMPING * sum([ranks[source] * share for source, share in found])
            for start, found in zip(home, into, strict=True)
        ]
        change = sum([abs(new - old) for new, old in zip(following, ranks, strict=True)])
        ranks = following
        if change < _ENOUGH:
            break
    return dict(zip(place, ranks, strict=True))
