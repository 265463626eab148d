"""Cost of bringing reports onto the bus over MQTT, beside that of `POST /states`; counted.

Dollars of a million reports, each machine's every five minutes: what AWS IoT, the queue and the API take, what is read
to know whose machines they are, and the bus, of which facts share entries that come together: 60,000 machines report.
Lambda, and what happens behind the bus, is not in them.
"""

import json
from typing import Final, NamedTuple

from andon.cdk.target import AWS
from andon.ingress.names import Kind
from andon.runtime import times
from andon.testing.lambda_events import rule_message, sqs_event
from andon.testing.loop import Loop
from andon.testing.memory.meter import Used
from lab import prices
from lab.entry_loop import EntryLoop
from lab.quiet_clock import START_MS, quiet_clock
from lab.simulate.counted_loop import iot_messages
from lab.simulate.limits import QUEUE_POLLERS, RECEIVED_AT_ONCE
from lab.simulate.settings import EQUIPMENT
from lab.workload import SAMPLES
from services.equipment.things import GATEWAY, MACHINE

EVERY_MINUTES: Final = 5
MACHINES: Final = 60_000
MANY: Final = 100
AT_ONCE: Final = round(1 + MACHINES / EVERY_MINUTES / 60 / QUEUE_POLLERS.value * AWS.publish_batch[1])
"""Messages that an invocation gets: the one with which a poller begins to wait, and those that come meanwhile."""

FACTORY: Final = "gdl-1"


class Parts(NamedTuple):
    """Dollars of a million reports."""

    way: str
    connection: float = 0
    broker: float = 0
    queue: float = 0
    api: float = 0
    reads: float = 0
    bus: float = 0

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self[1:])


def parts() -> list[Parts]:
    """Return the prices of each way."""
    minutes = EVERY_MINUTES * prices.IOT_MINUTE.dollars
    alone, together = _messages(MACHINE, 1, messages=AT_ONCE), _messages(GATEWAY, MANY)
    counted = iot_messages(_reports(MANY)) / MANY
    rule = prices.IOT_RULE.dollars + prices.IOT_ACTION.dollars
    return [
        alone._replace(way="a machine, by Basic Ingest", connection=minutes, broker=rule),
        alone._replace(
            way="a machine, by way of the broker", connection=minutes, broker=rule + prices.IOT_MESSAGE.dollars
        ),
        together._replace(way=f"a gateway, {MANY} in a message", connection=minutes / MANY, broker=counted * rule),
        together._replace(way=f"a gateway, {MANY} in a `POST /states`", api=prices.API_REQUEST.dollars / MANY, queue=0),
        _messages(MACHINE, 1)._replace(way="a machine, by `POST /states`", api=prices.API_REQUEST.dollars, queue=0),
    ]


def report() -> str:
    """Write the figures as the table of docs/devices.md."""
    lines = [
        "| a million reports, to the bus | connections | broker and rules | queue | API | reads | bus | dollars |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += (f"| {' | '.join([one.way, *map('{:.2f}'.format, one[1:])])} | ${one.total:.2f} |" for one in parts())
    return "\n".join(lines)


def _messages(kind: Kind, reports: int, *, messages: int = 1) -> Parts:
    """Return what a million reports read and publish, and what the queue takes for them.

    reports: in a message. messages: that come together.
    """
    with quiet_clock(), EntryLoop() as loop:
        for number in range(reports if kind == GATEWAY else 0):
            _register(loop, number)
        loop.run()
        used = loop.meter.used = Used()
        loop.entries.clear()
        said = _reports(reports) if kind == GATEWAY else _report(0, named=False)
        names = [FACTORY if kind == GATEWAY else f"press-{number}" for number in range(messages)]
        loop.invoke(EQUIPMENT, "ingest", sqs_event(_message(kind, name, said) for name in names))
        published = [json.loads(one) for one in loop.new_messages()]
    if [one["detail-type"] for one in published] != ["state-reported"] * reports * messages:
        raise ValueError("not all of the reports were published")
    return Parts(
        "",
        queue=(1 + 2 / RECEIVED_AT_ONCE.value) / reports * prices.QUEUE_REQUEST.dollars,
        reads=used.reads / reports / messages * prices.READ_UNIT.dollars,
        bus=loop.entries.total() / reports / messages * prices.BUS_ENTRY.dollars,
    )


def _message(kind: Kind, name: str, said: str) -> str:
    thing = f"Andon:{name}"
    return rule_message(said.encode(), topic=f"Andon/{kind.name}/{thing}/{kind.last}", client=thing, at_ms=START_MS)


def _register(loop: Loop, number: int) -> None:
    body = json.loads(json.loads((SAMPLES / "http" / "register-equipment.json").read_text())["body"])
    route = "PUT /equipment/{id}"
    loop.request(route, path={"id": f"press-{number}"}, body=body | {"factoryId": FACTORY})


def _reports(many: int) -> str:
    return f"[{','.join(_report(number) for number in range(many))}]"


def _report(number: int, *, named: bool = True) -> str:
    whose = {"equipmentId": f"press-{number}"} if named else {}
    return json.dumps({**whose, "state": "NORMAL", "timestamp": times.to_utc(START_MS)})
