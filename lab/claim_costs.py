"""What it costs to get things their certificates by a claim; counted.

Dollars of a million: what AWS IoT takes, and the table of the hook. Lambda is not in them.
"""

import json
from typing import Final, NamedTuple

from andon.ingress.fleet import NAME, template_of
from andon.packages.package import Package
from andon.testing.lambda_events import provisioning_event
from andon.testing.loop import Loop
from andon.testing.memory.meter import Meter, Used
from lab import prices
from lab.quiet_clock import quiet_clock
from lab.workload import SAMPLES
from services.equipment.things import MACHINE

MINUTES: Final = 3
"""Connections, each of which is billed as a minute: two by the claim, and the first one as the thing."""

MESSAGES: Final = 4
"""Two requests and their answers, none of which has 5 KB."""

OPERATIONS: Final = 4
"""Of the registry: the hook asks for the thing's certificates; AWS looks for the thing, makes and attaches it."""

EQUIPMENT: Final = Package("services", "equipment")


class Parts(NamedTuple):
    """Dollars of a million certificates."""

    connections: float
    messages: float
    registry: float
    table: float

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self)


def parts() -> Parts:
    """Return the prices."""
    used = _used()
    table = sum(used.read_units.values()) * prices.READ_UNIT.dollars + used.write_units * prices.WRITE_UNIT.dollars
    return Parts(
        connections=MINUTES * prices.IOT_MINUTE.dollars,
        messages=MESSAGES * prices.IOT_MESSAGE.dollars,
        registry=OPERATIONS * prices.IOT_OPERATION.dollars,
        table=table,
    )


def report() -> str:
    """Write the figures as the table of docs/devices.md."""
    one = parts()
    return "\n".join(
        [
            "| a million certificates by claim | connections | messages | registry | table | dollars |",
            "|---|---:|---:|---:|---:|---:|",
            f"| | {' | '.join(map('{:.2f}'.format, one))} | ${one.total:.2f} |",
        ]
    )


def _used() -> Used:
    """Return the units of one who is let in."""
    meter = Meter()
    with quiet_clock(), Loop(observer=meter) as loop:
        body = json.loads((SAMPLES / "http" / "register-equipment.json").read_text())["body"]
        loop.request("PUT /equipment/{id}", path={"id": "press-0"}, body=body)
        loop.run()
        meter.used = Used()
        asked = provisioning_event(template_of("Andon", MACHINE), {NAME: "press-0"})
        if not loop.invoke(EQUIPMENT, "provision", asked)["allowProvisioning"]:
            raise ValueError("who is registered was refused")
        return meter.used
