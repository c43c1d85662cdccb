"""The names that come nearest to one that nothing has."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.languages.table import NEAREST_NAME_CUTOFF
from cocosearch_py.search.unmatched import MOST_NEAREST, _by_likeness

NAMES = st.text(alphabet="abAB_", min_size=1, max_size=8)


@given(wanted=NAMES, known=st.sets(NAMES, max_size=30))
def test_bounds_leave_out_none_of_the_nearest_names(wanted: str, known: set[str]) -> None:
    matcher = SequenceMatcher(b=wanted.lower())

    def likeness(name: str) -> float:
        matcher.set_seq1(name.lower())
        return matcher.ratio()

    fit = [one for one in known if likeness(one) >= NEAREST_NAME_CUTOFF or wanted.lower() in one.lower()]
    nearest = sorted(fit, key=lambda one: (-likeness(one), one))[:MOST_NEAREST]
    assert _by_likeness(wanted, sorted(known)) == nearest
