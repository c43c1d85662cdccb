"""How sure an answer is: levels by the probability that its first file answers."""

from cocosearch_py.search.candidates import Evidence, FileCandidate
from cocosearch_py.search.confidence import judge
from cocosearch_py.search.query import analyze_text

QUERY = "zebra crossing lights"


def test_the_level_follows_from_the_probability() -> None:
    levels: dict[str, list[float]] = {"low": [], "medium": [], "high": []}
    evidence = Evidence([], [], [], dict.fromkeys(QUERY.split(), 3.0))
    for tenths in range(0, 400):
        ranked = [FileCandidate(1, "a.py", "python", score=tenths / 10), FileCandidate(2, "b.py", "python")]
        found = judge(ranked, analyze_text(QUERY, QUERY), evidence, shown="", missing=None, is_quoted=False)
        assert found.probability is not None
        levels[found.level].append(found.probability)
    assert max(levels["low"]) < 0.2 <= min(levels["medium"])
    assert max(levels["medium"]) < 0.9 <= min(levels["high"])
    assert max(levels["low"]) > 0.15
    assert max(levels["medium"]) > 0.85
