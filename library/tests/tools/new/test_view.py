"""What a new view keeps of facts, by where its rows lie."""

import pytest

from andon.events.domain_event import DomainEvent
from andon.tools.new.known import Heard
from andon.tools.new.view import LISTED, OBJECTS, TABLE, Form, KeptMembers, form_of


def heard(**entity: object) -> Heard:
    entities = {"thing": {"id": "thing-1", **entity}}
    event = DomainEvent("1", "thing-moved", 1_770_000_000_000, "thing-1", entities)
    return Heard(("things", "thing-moved"), event, "thing", entities["thing"], (entities["thing"],))


def test_no_field_has_the_name_of_what_rows_in_objects_have_in_any_case() -> None:
    said = heard(place="north", saidOn="monday", gone=True)

    assert set(KeptMembers([said], OBJECTS).shown) == {"place", "thingSaidOn", "thingGone"}
    assert set(KeptMembers([said], TABLE).shown) == {"place", "saidOn", "gone"}


def of(entity: str, partition: str, **said: object) -> Heard:
    event = DomainEvent("1", "said", 1_770_000_000_000, partition, {entity: said})
    return Heard(("things", "said"), event, entity, said, (said,))


OWN, BY_NAME = of("thing", "1", id="1", place="north"), of("state", "d#1", deviceId="d#1", timestamp="2026")
SHARED, OTHER = of("session", "s", stationId="s", id="1"), of("offer", "s", stationId="s", id="1")


@pytest.mark.parametrize(
    ("heard", "form"),
    [([OWN], TABLE), ([BY_NAME], TABLE), ([SHARED], LISTED), ([SHARED, SHARED], LISTED), ([SHARED, OTHER], TABLE)],
    ids=["its own", "by its time", "shared", "of one entity", "of two entities"],
)
def test_rows_of_what_shares_a_partition_are_a_list_if_they_are_of_one_entity(heard: list[Heard], form: Form) -> None:
    assert form_of(heard) is form
