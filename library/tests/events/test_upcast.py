from collections.abc import Mapping
from typing import Any

from andon.events.actor import with_actor
from andon.events.upcast import Upcasters, upcast
from andon.views.materialize import interpret
from toys.clock import NOW
from toys.things import ON, happened, message


def hue_became_colour(entities: Mapping[str, Any]) -> Mapping[str, Any]:
    thing = dict(entities["thing"])
    return {"thing": thing | {"colour": thing.pop("hue", thing.get("colour"))}}


def colour_became_lower_case(entities: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"thing": {**entities["thing"], "colour": entities["thing"]["colour"].lower()}}


UPCASTERS: Upcasters = {("workshop", "thing-painted"): (hue_became_colour, colour_became_lower_case)}


def test_steps_are_taken_from_the_oldest_shape_to_the_newest_before_the_view_looks() -> None:
    shapes: list[dict[str, Any]] = [{"hue": "RED"}, {"colour": "Red"}, {"colour": "red"}]

    for shape in shapes:
        event, update = interpret(message(happened("painted", "lathe", **shape)), ON, UPCASTERS, now_ms=NOW)

        assert update.fields["colour"] == "red"
        assert event.entities == {"thing": {"name": "lathe", "colour": "red"}}


def test_an_event_is_the_same_one_in_another_shape() -> None:
    old = with_actor(happened("painted", "lathe", hue="RED", changedBy="Liz"))

    event = upcast(old, UPCASTERS, source="workshop")

    assert {**event.to_wire(), "thing": None} == {**old.to_wire(), "thing": None}


def test_an_event_of_another_type_or_source_is_left_alone() -> None:
    weighed = with_actor(happened("weighed", "lathe", grams=7))
    painted = with_actor(happened("painted", "lathe", hue="RED"))

    assert upcast(weighed, UPCASTERS, source="workshop") is weighed
    assert upcast(painted, UPCASTERS, source="elsewhere") is painted


def test_an_event_of_before_gets_the_actor_that_its_row_names() -> None:
    old = happened("painted", "lathe", colour="red")._replace(raw={"new": {"changedBy": "Liz"}, "old": None})

    event, _ = interpret(message(old), ON, now_ms=NOW)

    assert event.tags == {"actor": "Liz"}
