"""Several entities under one oplock: of two writes of one millisecond everybody knows which one stays."""

from itertools import permutations

import pytest

from andon.events.domain_event import UNTOLD, DomainEvent
from andon.events.written import Written
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines
from andon.views.materialize import Listener, materialize
from andon.views.oplocked_fields import origin_of_entity
from andon.views.seen import Writes
from andon.views.view_update import On, ViewUpdate
from toys.clock import NOW
from toys.things import TABLE, TTL_DAYS, World, happened, message

PARTS = ("lid", "foot", "handle")


def on_checked(event: DomainEvent) -> ViewUpdate:
    """Keep the part of a thing that was checked last."""
    thing = event.entity("thing")
    fields, origin = {"checked": thing.text("part")}, origin_of_entity(thing.text("part"))
    return ViewUpdate(key={"pk": thing.text("name"), "sk": "-"}, fields=fields, oplock="checked", origin=origin)


def on_painted(event: DomainEvent) -> ViewUpdate:
    """Keep that it was painted, by the service of the event."""
    key = {"pk": event.entity("thing").text("name"), "sk": "-"}
    return ViewUpdate(key=key, fields={"painted": True}, oplock="paint", origin="workshop")


ON: On = {("workshop", "thing-checked"): on_checked, ("workshop", "thing-painted"): on_painted}
VIEW = Listener(name="things", table=TABLE, on=ON, ttl_days=TTL_DAYS)


def deliver(*events: DomainEvent) -> None:
    """Deliver events of one service, each by itself."""
    for event in events:
        body = message(event._replace(tags={"source": "workshop"}))
        assert materialize(sqs_event([body]), LocalContext("things"), listener=VIEW) == {"batchItemFailures": []}


def token(name: str, part: str) -> str:
    """Return the token of a check, which does not know the id of its event."""
    names = {"name": name, "part": part}
    written = Written(
        source="workshop", type="thing-checked", entity_name="thing", partition_key=name, timestamp_ms=NOW, names=names
    )
    return written.to_token()


@pytest.mark.parametrize("ids", [*permutations("abc")], ids="".join)
def test_each_write_is_seen_once_all_came_and_none_before_it_came(
    world: World, name: str, ids: tuple[str, ...]
) -> None:
    writes = Writes(table=TABLE, on=ON, days=TTL_DAYS)

    def seen() -> dict[str, bool]:
        waits = {part: writes.awaited(Written.from_token(token(name, part))) for part in PARTS}
        return {part: one.is_seen_by(world.thing(name), now_ms=NOW) for part, one in waits.items()}

    came: list[str] = []
    for event_id, part in zip(ids, PARTS, strict=True):
        deliver(happened("checked", name, id=event_id, part=part))
        came.append(part)
        newest = max(came, key=origin_of_entity)

        assert (world.thing(name) or {})["checked"] == newest
        # What has not come is seen already where it would lose: the row is as new as it will ever be.
        assert seen() == {one: origin_of_entity(one) <= origin_of_entity(newest) for one in PARTS}

    assert all(seen().values())


@pytest.mark.usefixtures("world")
def test_an_entity_is_no_service_to_be_counted(name: str, log_lines: LogLines) -> None:
    deliver(happened("checked", name, part="lid"), happened("painted", name))

    checked, painted = log_lines
    assert not [counted for counted in checked if counted.startswith(origin_of_entity("lid"))]
    assert painted["workshop.applied"] == 1


def test_what_a_token_does_not_name_is_refused() -> None:
    with pytest.raises(ValueError, match="a token of this write has to name the entity"):
        origin_of_entity(UNTOLD)
