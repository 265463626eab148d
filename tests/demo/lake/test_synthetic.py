from collections import Counter
from itertools import pairwise

from andon.events.bus_entry import from_message
from andon.recorded.lake import lines_of
from demo.lake.synthetic import Company, doubled, envelopes, lines, objects

SMALL = Company(factories=2, lines=2, machines=2)


def test_the_same_seed_makes_the_same_events_and_another_one_others() -> None:
    assert list(envelopes(SMALL, 500)) == list(envelopes(SMALL, 500))
    assert list(envelopes(SMALL, 500)) != list(envelopes(Company(seed=2, factories=2, lines=2, machines=2), 500))


def test_events_are_in_the_order_of_the_bus_under_ids_of_their_own() -> None:
    made = list(envelopes(SMALL, 5000))

    assert all(earlier["time"] <= later["time"] for earlier, later in pairwise(made))
    assert len({envelope["id"] for envelope in made}) == len({envelope["detail"]["id"] for envelope in made}) == 5000


def test_every_type_is_there_with_both_images_and_who_did_it() -> None:
    made = list(envelopes(Company(), 20_000))

    assert set(Counter(envelope["detail-type"] for envelope in made)) == {
        "audit-recorded",
        "equipment-at-risk",
        "equipment-created",
        "equipment-updated",
        "maintenance-finished",
        "maintenance-moved",
        "maintenance-planned",
        "maintenance-started",
        "operator-assigned",
        "state-acknowledged",
        "state-escalated",
        "state-reported",
    }
    assert all(envelope["detail"]["raw"].keys() == {"new", "old"} for envelope in made)
    assert all(envelope["detail"]["tags"]["actor"] for envelope in made)
    assert any(envelope["detail"]["raw"]["old"] for envelope in made)


def test_a_line_is_a_message_that_listeners_read() -> None:
    for line in lines(SMALL, 300):
        assert from_message(line).event.id


def test_some_facts_come_again_in_other_envelopes_some_of_them_on_another_day() -> None:
    made = list(doubled(envelopes(SMALL, 3000), share=0.1))

    times: dict[str, list[str]] = {}
    for envelope in made:
        times.setdefault(envelope["detail"]["id"], []).append(envelope["time"])
    assert len(times) == 3000
    assert 3200 < len(made) == len({envelope["id"] for envelope in made}) < 3400
    assert any(len({time[:10] for time in of_one}) == 2 for of_one in times.values())
    assert all(earlier["time"] <= later["time"] for earlier, later in pairwise(made))


def test_objects_hold_every_line_once_each_in_the_hour_of_its_key() -> None:
    made = list(doubled(envelopes(SMALL, 3000), share=0.1))

    written = list(objects(made))

    assert len({key for key, _ in written}) == len(written)
    held = [(key, line) for key, body in written for line in lines_of(body)]
    assert len(held) == len({line for _, line in held}) == len(made)
    by_hour = Counter(f"day={envelope['time'][:10]}/hour={envelope['time'][11:13]}" for envelope in made)
    assert Counter(key.removeprefix("events/").rpartition("/")[0] for key, _ in held) == by_hour
