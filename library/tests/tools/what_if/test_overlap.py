"""Groups are apart for a service that looks at nothing which another group has changed."""

from hypothesis import given
from hypothesis import strategies as st

from andon.tools.what_if.tree import GroupOverlap

SERVICES = ("shop", "post")

places = st.frozensets(st.integers(0, 5), max_size=3)
groups = st.lists(st.tuples(places, places, places), max_size=4)
"""Of each group: what was changed, and what each service looked at."""


@given(of=groups)
def test_a_service_is_mixed_if_it_looked_in_one_group_at_what_was_changed_in_another(
    of: list[tuple[frozenset[int], frozenset[int], frozenset[int]]],
) -> None:
    overlap = GroupOverlap()
    for group, (changed, *looked_at) in enumerate(of):
        for source, some in zip(SERVICES, looked_at, strict=True):
            overlap.add_looked_at(group, source, some)
        overlap.add_changed(group, changed)
    assert overlap.mixed == {
        source
        for number, source in enumerate(SERVICES)
        for here, (_, *looked_at) in enumerate(of)
        for there, (changed, *_) in enumerate(of)
        if here != there and looked_at[number] & changed
    }
