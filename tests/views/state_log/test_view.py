from itertools import combinations
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.events.upcast import upcast
from andon.runtime.errors import Poison
from tests.support.samples import fact, paths, sample
from views.state_log.row import LogRow
from views.state_log.view import (
    INDEXES,
    KEYS,
    ON,
    UPCASTERS,
    on_crew_assigned,
    on_operator_assigned,
    on_state_escalated,
    on_state_reported,
)

TYPES = {
    "state-reported": ("equipment", on_state_reported),
    "operator-assigned": ("dispatch", on_operator_assigned),
    "crew-assigned": ("dispatch2", on_crew_assigned),
    "state-escalated": ("dispatch", on_state_escalated),
}


def test_sets_of_fields_under_different_oplocks_are_disjoint_and_those_under_one_are_the_same() -> None:
    updates = [ON[source, name](fact(name)) for name, (source, _) in TYPES.items()]

    for one, other in combinations(updates, 2):
        if one.oplock == other.oplock:
            assert one.fields.keys() == other.fields.keys()
        else:
            assert not one.fields.keys() & other.fields.keys()
        assert one.key == other.key
    for update in updates:
        assert not update.fields.keys() & (update.key.keys() | update.key_fields.keys() | {"ttl"})


def test_every_event_writes_what_the_indexes_need_from_the_key() -> None:
    of_indexes = {name for index in INDEXES.values() for name in (index.keys.partition, index.keys.sort)}

    for name, (source, _) in TYPES.items():
        update = ON[source, name](fact(name))
        own = {"Operator", "EscalatedTo"}
        assert of_indexes - own <= update.key.keys() | update.key_fields.keys()


@pytest.mark.parametrize("name", list(TYPES))
@pytest.mark.parametrize("field", ["equipmentId", "state", "timestamp"])
@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"S": "x"}], ids=str)
def test_an_event_that_lacks_a_part_of_the_key_is_poison(name: str, field: str, value: Any) -> None:  # noqa: ANN401
    source, _ = TYPES[name]

    with pytest.raises(Poison):
        ON[source, name](fact(name, **{field: value}))


@pytest.mark.parametrize(
    ("name", "field"),
    [("operator-assigned", "operator"), ("crew-assigned", "lead"), ("state-escalated", "supervisor")],
)
@pytest.mark.parametrize("value", [None, "", 7])
def test_nobody_cannot_see_to_a_log(name: str, field: str, value: Any) -> None:  # noqa: ANN401
    source, _ = TYPES[name]

    with pytest.raises(Poison):
        ON[source, name](fact(name, **{field: value}))


@pytest.mark.parametrize("name", list(TYPES))
@pytest.mark.parametrize("state", ["WARNING1#2020", "warning1", "WARNING*", "", "A" * 33])
def test_a_state_that_would_blur_the_key_is_refused(name: str, state: str) -> None:
    source, _ = TYPES[name]

    with pytest.raises((Poison, ValueError)):
        ON[source, name](fact(name, state=state))


@pytest.mark.parametrize("name", list(TYPES))
@pytest.mark.parametrize(
    "timestamp",
    [
        "2020-04-24T14:50:00Z",
        "2020-04-24T16:50:00.000+02:00",
        "2020-04-24",
        "2020-04-24T14:50:00.000Z#",
        "1587739800000",
    ],
)
def test_a_time_of_another_width_would_break_the_order_and_is_refused(name: str, timestamp: str) -> None:
    source, _ = TYPES[name]

    with pytest.raises((Poison, ValueError)):
        ON[source, name](fact(name, timestamp=timestamp))


@pytest.mark.parametrize("name", list(TYPES))
def test_fields_that_nobody_knows_yet_do_not_matter(name: str) -> None:
    source, decide = TYPES[name]

    assert ON[source, name](fact(name, colour="red", nested={"a": [1]})) == decide(fact(name))


@pytest.mark.parametrize("name", ["operator-assigned", "state-escalated"])
def test_what_a_rule_decided_is_kept_as_if_a_person_had(name: str) -> None:
    by_rule = fact(f"{name}.by-rule")
    ((entity_name, entity),) = by_rule.entities.items()
    by_hand = {field: value for field, value in entity.items() if field not in {"by", "rule", "triggers"}}

    assert by_hand.keys() < entity.keys()
    assert ON["dispatch", name](by_rule) == ON["dispatch", name](by_rule._replace(entities={entity_name: by_hand}))


@pytest.mark.parametrize(("detail", "kept"), [("", ""), ("🏭", "🏭"), (["a"], '["a"]')], ids=repr)
def test_a_detail_is_kept_as_text_and_a_missing_one_is_removed(detail: object, kept: str) -> None:
    assert on_state_reported(fact("state-reported", detail=detail)).fields == {"Detail": kept}
    assert on_state_reported(fact("state-reported", detail=None)).fields == {"Detail": None}


@pytest.mark.parametrize("name", [path.stem for path in paths("domain") if path.stem.split(".")[0] in TYPES])
def test_every_sample_that_the_view_subscribes_to_has_a_key(name: str) -> None:
    published = DomainEvent.from_wire(sample("domain", name))
    source = published.tags["source"]
    event = upcast(published, UPCASTERS, source=source)

    assert ON[source, event.type](event).key.keys() == {KEYS.partition, KEYS.sort}


def test_views_never_read_raw() -> None:
    for name, (source, _) in TYPES.items():
        event = fact(name)
        assert ON[source, name](event) == ON[source, name](event._replace(raw=None))


def test_every_attribute_that_is_written_is_one_of_the_row() -> None:
    updates = [ON[source, name](fact(name)) for name, (source, _) in TYPES.items()]

    written = {name for update in updates for name in (*update.key, *update.key_fields, *update.fields)}
    assert written == LogRow.__annotations__.keys()
