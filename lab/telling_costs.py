"""Cost of telling a person, in addition to that of asking for their help; counted.

Dollars of a million requests for help: what `notify` reads and writes, and the events of it that the bus takes, until
nothing about them is due any more. Calls of Lambda, what a channel costs, and what subscribers keep are not in them.
"""

from typing import Any, Final
from unittest.mock import patch

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.domain_event import DomainEvent
from andon.outbound.channel import Message, Sent
from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.memory.meter import Used
from andon.testing.samples import body_of, sample
from lab.entry_loop import EntryLoop
from lab.prices import BUS_ENTRY, READ_UNIT, WRITE_UNIT
from lab.quiet_clock import START_MS, quiet_clock
from services.notify import outbound
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS, VERIFIED
from services.notify.tables import partition_of

PERSON: Final = "op-17"
MAIL: Final = "ana@example.com"
TABLES: Final = {"NOTIFY_TABLE", "CONTACTS_TABLE"}
MINUTES: Final = 16
"""Until the rule `undelivered` has looked, each a minute behind the other."""

MANY: Final = 100


class Taken:
    """A channel that takes all."""

    name = "mail"

    def send(self, message: Message) -> Sent:
        """Take a message."""
        return Sent(message.id)


def dollars() -> dict[str, float]:
    """Return the dollars of a million requests for help, by what becomes of them."""
    return {
        "who is told by mail of one machine": of_one(),
        f"who is told by mail of {MANY} machines at once": _spent(MANY) / MANY,
        "who can be reached by no channel": _spent(1, is_reached=False),
    }


def of_one() -> float:
    """Return the dollars of a million requests for help, each of one machine and told by mail."""
    return _spent(1)


def _spent(requests: int, *, is_reached: bool = True) -> float:
    """Return the dollars of a million times so many requests at once, of one person."""
    with quiet_clock() as now, EntryLoop() as loop, patch.dict(outbound.CHANNELS, {"mail": Taken()}):
        if is_reached:
            _reach()
        used = loop.meter.used = Used()
        loop.entries.clear()
        loop.listen([_request(number) for number in range(requests)])
        loop.run()
        for _ in range(MINUTES):
            now.ms += MINUTE_MS
            loop.sweep()
    writes = sum(units for (place, _), units in used.writes.items() if place.table in TABLES)
    reads = sum(units for place, units in used.read_units.items() if place.table in TABLES)
    return writes * WRITE_UNIT.dollars + reads * READ_UNIT.dollars + loop.entries["notify"] * BUS_ENTRY.dollars


def _reach() -> None:
    """Let the person be reached by mail."""
    rows: tuple[dict[str, Any], ...] = (
        {str(KEYS.sort): CONTACT, "email": MAIL, "order": ["mail"], "version": 1, "timestamp": 0},
        {str(KEYS.sort): f"{VERIFIED}mail", "address": MAIL, "at": 0},
    )
    for row in rows:
        CONTACTS.put({str(KEYS.partition): partition_of(PERSON), **row}, condition=UNCONDITIONAL)


def _request(number: int) -> str:
    """Return a message with a request for help with a machine of its own."""
    event = DomainEvent.from_wire(sample("domain", "help-requested"))
    about = {"equipmentId": f"press-{number}", "state": "ERROR", "timestamp": times.to_utc(START_MS)}
    said = event.entities["help"] | {"person": PERSON, "about": about}
    return body_of(event._replace(id=f"help-{number}", timestamp_ms=START_MS, entities={"help": said}))


def report() -> str:
    """Write the figures as the table of docs/telling.md."""
    lines = ["| a million requests for help of somebody | dollars |", "|---|---:|"]
    return "\n".join([*lines, *(f"| {what} | ${spent:,.2f} |" for what, spent in dollars().items())])
