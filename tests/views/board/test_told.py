"""Who was told last: shown as long as what they were told of goes on, whatever order events come in."""

from itertools import permutations
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from andon.dynamodb.attribute_values import to_plain
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.testing.memory.aws import OneTable
from tests.support.samples import sample
from tests.views.board.test_calls import AT as AT_MS
from tests.views.board.test_calls import call_fact, id_of_call
from views.board.standing import to_response
from views.board.version import version_of
from views.board.view import KEYS, ON, TABLE, TELLINGS

if TYPE_CHECKING:
    from views.board.row import BoardRow

BEFORE: Final = "2026-01-09T06:00:00.000Z"
AT: Final = "2026-01-09T07:00:00.000Z"
LATER: Final = "2026-01-09T08:00:00.000Z"
CALL: Final = {"id": "c", "category": "material", "priority": 1, "status": "raised", "raisedAt": AT, "version": 1}


def told(person: str = "op-17", *, at: str = AT, log: str | None = AT, calls: tuple[str, ...] = ()) -> dict[str, Any]:
    of_log = {} if log is None else {"log": log}
    return {f"told#{person}": {"person": person, "channel": "sms", "at": at, "calls": [*calls], **of_log}}


@pytest.mark.parametrize(
    ("row", "person"),
    [
        ({"seen#ERROR": AT, **told()}, "op-17"),
        ({"seen#ERROR": LATER, "seen#NORMAL": BEFORE, **told()}, "op-17"),
        ({"seen#NORMAL": LATER, "seen#ERROR": AT, **told()}, None),  # it is over
        ({"seen#ERROR": LATER, "seen#NORMAL": AT, **told(at=LATER)}, None),  # it was about the trouble before
        ({"seen#ERROR": AT, **told(at=AT), **told("op-18", at=LATER)}, "op-18"),
        ({"seen#ERROR": AT, **told(at=LATER), **told("op-18", at=AT)}, "op-17"),
        ({"seen#ERROR": AT, **told(at=AT), **told("op-18", at=LATER, log=BEFORE), "seen#NORMAL": BEFORE}, "op-17"),
        ({"seen#NORMAL": AT, "SilentSince": AT, **told()}, "op-17"),
        ({"seen#NORMAL": LATER, "SilentSince": AT, **told()}, None),
        ({"seen#NORMAL": LATER, "call#material": CALL, **told(log=None, calls=("c",))}, "op-17"),
        ({"seen#NORMAL": LATER, "call#material": CALL, **told(log=None, calls=("b",))}, None),
        ({"seen#NORMAL": LATER, **told(log=None, calls=("c",))}, None),  # it has ended
        ({}, None),
    ],
)
def test_who_was_told_last_is_shown_while_it_goes_on(row: dict[str, Any], person: str | None) -> None:
    shown = to_response(cast("BoardRow", {"EquipmentID": "press-7", **row})).get("lastTold")

    assert (shown and shown["person"]) == person
    assert shown is None or shown.keys() == {"person", "channel", "at"}


def telling(person: str, at: int, *about: dict[str, str], channel: str = "sms") -> DomainEvent:
    wire = sample("domain", "trouble-told")
    said = {**wire["telling"], "person": person, "channel": channel, "about": [*about]}
    event = {"id": f"told {person} {at}", "timestamp": AT_MS + at, "partitionKey": "press-7", "telling": said}
    return DomainEvent.from_wire(wire | event | {"telling": said | {"equipmentId": "press-7"}})


def write(event: DomainEvent) -> None:
    ON[event.tags["source"], event.type](event).write(TABLE, event, ttl_days=None, now_ms=AT_MS + 100)


def test_in_every_order_it_is_the_last_message_about_a_call_that_is_open() -> None:
    def call(number: int) -> dict[str, str]:
        return {"callId": id_of_call(number), "equipmentId": "press-7"}

    events = [
        call_fact(1, "call-raised", 1, raisedAt=times.to_utc(AT_MS + 1)),
        telling("op-17", 2, call(1)),
        telling("op-17", 3, call(1), call(2), channel="mail"),
        telling("op-18", 4, call(2)),
    ]
    with OneTable("BOARD_TABLE", KEYS) as table:
        seen = set()
        for order in permutations(events):
            table.clear()
            versions = []
            for event in order:
                write(event)
                versions.append(version_of(table.rows()[0]))
            shown = to_response(cast("BoardRow", table.rows()[0])).get("lastTold")
            seen.add(None if shown is None else (shown["person"], shown["channel"]))
            assert versions == sorted(versions)

    assert seen == {("op-17", "mail")}


def test_the_row_keeps_no_more_of_them_than_a_few() -> None:
    log = {"equipmentId": "press-7", "state": "ERROR", "timestamp": times.to_utc(AT_MS)}
    with OneTable("BOARD_TABLE", KEYS) as table:
        for number in range(3 * TELLINGS.most):
            write(telling(f"op-{100 + number}", number, log))
        # Those of before a removal, too.
        versions = [version_of(to_plain(record["dynamodb"]["NewImage"])) for record in table.new_records()]
        kept = [name for name in table.rows()[0] if name.startswith("told#")]

    assert len(kept) == TELLINGS.most
    assert versions == sorted(versions)
