"""What a new view keeps of facts, by where its rows lie."""

from andon.events.domain_event import DomainEvent
from andon.tools.new.form import OBJECTS, TABLE
from andon.tools.new.known import Heard
from andon.tools.new.view import KeptMembers


def heard(**entity: object) -> Heard:
    entities = {"thing": {"id": "thing-1", **entity}}
    event = DomainEvent("1", "thing-moved", 1_770_000_000_000, "thing-1", entities)
    return Heard(("things", "thing-moved"), event, "thing", entities["thing"], (entities["thing"],))


def test_no_field_has_the_name_of_what_rows_in_objects_have_in_any_case() -> None:
    said = heard(place="north", saidOn="monday", gone=True)

    assert set(KeptMembers([said], OBJECTS).shown) == {"place", "thingSaidOn", "thingGone"}
    assert set(KeptMembers([said], TABLE).shown) == {"place", "saidOn", "gone"}
