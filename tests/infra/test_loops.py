from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.cdk.checks.loops import Participant, refuse_loops, shortest_loop
from andon.events.topic import ANY

NAMES = st.sampled_from("abcd")
TYPES = st.frozensets(st.sampled_from("wxyz"), max_size=2)


def subscriber(name: str, subscribes: str, publishes: str = "", latched: str = "") -> Participant:
    """`b.x c.y` are the types x of b and y of c; what it publishes are types of its own."""
    return Participant(
        name,
        subscribes=topics(subscribes),
        publishes=frozenset((name, event_type) for event_type in publishes.split()),
        latched=topics(latched),
    )


def topics(text: str) -> frozenset[tuple[str, str]]:
    return frozenset((topic.split(".")[0], topic.split(".")[1]) for topic in text.split())


def way(*participants: Participant) -> list[str]:
    return [f"{step.publisher} {step.type} {step.subscriber}" for step in shortest_loop(participants)]


def test_who_subscribes_to_itself_is_a_loop() -> None:
    assert way(subscriber("a", "a.x", "x")) == ["a x a"]


def test_two_that_publish_to_each_other_are_a_loop() -> None:
    assert way(subscriber("a", "b.y", "x"), subscriber("b", "a.x", "y")) == ["a x b", "b y a"]


def test_a_loop_is_found_behind_others_and_the_shortest_is_named() -> None:
    long = (subscriber("a", "c.z", "x"), subscriber("b", "a.x", "y"), subscriber("c", "b.y", "z"))

    assert way(*long) == ["a x b", "b y c", "c z a"]
    assert way(*long, subscriber("d", "d.w", "w")) == ["d w d"]


def test_views_that_publish_what_nobody_subscribes_to_are_none() -> None:
    service = Participant("equipment", publishes=frozenset({("equipment", "state-reported")}))

    assert way(service, subscriber("board", "equipment.state-reported", "fault")) == []


def test_who_only_publishes_what_people_order_closes_no_loop() -> None:
    service = Participant("dispatch", publishes=frozenset({("dispatch", "x")}))

    assert way(service, subscriber("rules", "dispatch.x", "y")) == []


def test_the_source_counts_as_well_as_the_type() -> None:
    assert way(subscriber("a", "b.x", "x")) == []


def test_who_subscribes_to_a_type_of_any_source_subscribes_to_itself() -> None:
    assert way(subscriber("faults", f"{ANY}.fault", "fault")) == ["faults fault faults"]
    assert way(subscriber("faults", f"{ANY}.fault")) == []


def test_who_subscribes_to_everything_may_publish_nothing() -> None:
    view = subscriber("board", "equipment.x", "fault")

    assert way(view, subscriber("lake", f"{ANY}.{ANY}")) == []
    assert way(view, subscriber("lake", f"{ANY}.{ANY}", "fault")) == ["lake fault lake"]


def test_two_versions_of_a_service_need_a_latch_each() -> None:
    old, new = subscriber("old", "new.y", "x", latched="new.y"), subscriber("new", "old.x", "y", latched="old.x")

    assert way(old, new) == []
    assert way(replace(old, latched=frozenset()), new) == ["new y old", "old x new"]
    assert way(old, replace(new, latched=frozenset())) == ["old x new", "new y old"]


def test_an_edit_that_would_come_back_is_refused_with_its_way_and_who_needs_a_latch() -> None:
    old, new = subscriber("old", "new.y", "x", latched="new.y"), subscriber("new", "old.x", "y")

    with pytest.raises(ValueError, match=r"come back .*: old -x-> new -y-> old\. Behind a latch: not new\."):
        refuse_loops([old, new])


def test_a_latch_holds_for_its_topic_only() -> None:
    old = subscriber("old", "new.y", "x z", latched="new.y")

    assert way(old, subscriber("new", "old.x old.z", "y", latched="old.x")) == ["old z new", "new y old"]


def test_what_a_third_one_decides_upon_an_edit_may_cross_back_and_end_there() -> None:
    old = subscriber("old", "new.y", "x", latched="new.y")
    new = subscriber("new", "old.x other.z", "y", latched="old.x")

    assert way(old, new, subscriber("other", "old.x", "z")) == []
    assert way(old, new, subscriber("other", "old.x new.y", "z")) == ["new y other", "other z new"]


def test_a_service_that_decides_upon_what_another_one_publishes_closes_no_loop_with_its_subscribers() -> None:
    equipment = Participant("equipment", publishes=frozenset({("equipment", "x"), ("equipment", "fault")}))
    control = subscriber("dispatch", "equipment.x", "y fault")
    view = subscriber("board", "equipment.x dispatch.y", "fault")

    assert way(equipment, control, view, subscriber("faults", f"{ANY}.fault")) == []
    assert way(equipment, subscriber("dispatch", "equipment.x board.fault", "y"), view) == [
        "dispatch y board",
        "board fault dispatch",
    ]


def test_a_loop_is_refused_with_the_way_that_events_would_go() -> None:
    with pytest.raises(ValueError, match=r"round for ever: a -x-> b -y-> a\. Let one of them subscribe behind a latch"):
        refuse_loops([subscriber("a", "b.y", "x"), subscriber("b", "a.x", "y")])


@given(st.dictionaries(NAMES, st.tuples(st.frozensets(st.tuples(NAMES, st.sampled_from("wxyz")), max_size=3), TYPES)))
def test_a_loop_is_one_and_without_one_the_events_of_everybody_come_to_an_end(
    drawn: dict[str, tuple[frozenset[tuple[str, str]], frozenset[str]]],
) -> None:
    everybody = [
        Participant(name, subscribes=subscribes, publishes=frozenset((name, event_type) for event_type in types))
        for name, (subscribes, types) in drawn.items()
    ]

    loop = shortest_loop(everybody)

    assert all(ended.subscriber == began.publisher for ended, began in zip(loop, (*loop[1:], *loop[:1]), strict=True))
    assert bool(loop) == goes_on(everybody)


def goes_on(everybody: list[Participant]) -> bool:
    """Return True if events still go round when each has been handed on as often as there are participants."""
    going = {topic for one in everybody for topic in one.publishes}
    for _ in everybody:
        going = {topic for one in everybody if one.subscribes & going for topic in one.publishes}
    return any(one.subscribes & going and one.publishes for one in everybody)
