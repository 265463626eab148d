"""Who subscribes is deployed before who publishes, unless that would go round."""

from hypothesis import given
from hypothesis import strategies as st

from andon.packages.discovery import DeployedFirst, FactSubscription, deployed_first
from andon.packages.package import Package

PACKAGES = st.sampled_from([Package("services", name) for name in "abcde"])
SUBSCRIPTIONS = st.lists(
    st.tuples(PACKAGES, PACKAGES, st.sampled_from(["made", "gone"]))
    .filter(lambda one: one[0] != one[1])
    .map(lambda one: FactSubscription((one[0].name, one[2]), one[0], one[1])),
    max_size=12,
)


def ends(found: DeployedFirst) -> bool:
    """Deploy whoever waits for nobody any more, until everybody is deployed, or everybody waits."""
    left = {package: set(before) for package, before in found.before.items()}
    while ready := {one for before in left.values() for one in before} - left.keys() | {
        package for package, before in left.items() if not before
    }:
        left = {package: before - ready for package, before in left.items() if package not in ready}
    return not left


@given(SUBSCRIPTIONS)
def test_each_subscription_is_ordered_or_on_a_way_round_and_nobody_waits_for_ever(
    asked: list[FactSubscription],
) -> None:
    found = deployed_first(asked)

    assert ends(found)
    for one in asked:
        ordered = one.subscriber in found.before.get(one.publisher, ())
        assert ordered != (one in found.together)
        assert (one in found.together) == on_a_way_round(one, asked)


def on_a_way_round(one: FactSubscription, asked: list[FactSubscription]) -> bool:
    """Follow facts from the subscriber for as many steps as there are subscriptions."""
    reached = {one.subscriber}
    for _ in asked:
        reached |= {other.subscriber for other in asked if other.publisher in reached}
    return one.publisher in reached
