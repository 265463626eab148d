"""The requests whose messages are samples of dispatch beside those by hand: `make samples` writes them to `events/`."""

from unittest.mock import patch

from andon.outbound.links import Link, sign
from andon.runtime import times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.testing.recorder import Recorder
from andon.testing.samples import BEGINNING_MS
from contract import links
from contract.log_rows import log_of
from services.dispatch.fact_types import (
    CHAIN_SET,
    HELP_REQUESTED,
    NOBODY_FOUND,
    ROSTER_CHANGED,
    STATE_ACKNOWLEDGED,
    TROUBLE_ENDED,
    TROUBLE_OPENED,
)

LINK_KEY = b"of samples alone, and of nothing else"
EXPIRES = (BEGINNING_MS + 7 * DAY_MS) // 1000

FACTORY = {"factoryId": "gdl-2"}  # that of the samples by hand has a roster without shifts
ROSTER = {
    "operators": ["op-17", "op-18"],
    "supervisor": "sv-03",
    "timezone": "America/Mexico_City",
    "anchor": "2025-12-29",
    "weeks": 2,
    "shifts": [
        {"name": "day", "days": ["thu"], "from": "06:00", "to": "22:00", "operators": ["op-17"], "supervisor": "sv-04"},
        {"name": "night", "days": ["wed", "thu"], "from": "22:00", "to": "06:00", "week": 1, "operators": ["op-18"]},
    ],
    "overrides": [{"from": "2026-01-02T22:00", "to": "2026-01-03T06:00", "role": "operator", "person": "op-17"}],
}
CHAINS = [
    {
        "id": "errors",
        "on": ["ERROR", "SILENT"],
        "steps": [
            {"after": 0, "tell": "assigned", "urgency": "high"},
            {"after": 2, "tell": "duty:manager", "urgency": "high", "every": 3, "times": 2},
        ],
    },
    {
        "id": "warnings",
        "on": ["WARNING*"],
        "lines": ["line-3"],
        "steps": [{"after": 10, "tell": "sv-03", "urgency": "low"}],
    },
]
CALLED = {
    "id": "material",
    "on": ["call:material"],
    "steps": [
        {"after": 0, "tell": "duty:operator", "urgency": "high"},
        {"after": 5, "tell": "duty:manager", "urgency": "high"},
    ],
}
CHAINS_PATH = "/factories/{factoryId}/chains"
STATE = "PUT /equipment/{id}/states/{timestamp}"
REPORTED = times.to_utc(BEGINNING_MS + 10_000)
RECOVERED = times.to_utc(BEGINNING_MS + 10_000 + 5 * MINUTE_MS)
LOG = {"equipmentId": "press-9", "state": "ERROR", "timestamp": REPORTED}


def record(world: Recorder) -> None:
    """A machine stops at night: its operator is asked at once, then its supervisor; after that it is silent."""
    world.keep_only(ROSTER_CHANGED, CHAIN_SET, TROUBLE_OPENED, TROUBLE_ENDED, HELP_REQUESTED, NOBODY_FOUND)
    world.request("PUT /factories/{factoryId}/roster", path=FACTORY, body=ROSTER, variant="shifts")
    world.request(f"PUT {CHAINS_PATH}", path=FACTORY, body={"chains": CHAINS})
    world.request(
        f"PUT {CHAINS_PATH}", path=FACTORY, body={"chains": CHAINS[:1]}, headers={"if-match": '"1"'}, variant="change"
    )
    world.request(f"GET {CHAINS_PATH}", path=FACTORY)
    world.hear("equipment-created", id="press-9", factoryId="gdl-2")
    world.wait(5_000)
    world.request(STATE, path={"id": "press-9", "timestamp": REPORTED}, body={"state": "ERROR"})
    world.wait(4 * MINUTE_MS)
    world.run()
    world.request("POST /acknowledgements", body=[LOG, LOG | {"equipmentId": "press-10"}])
    for variant in ("", "silent"):  # the second time it is nothing new
        recovered = {"id": "press-9", "timestamp": RECOVERED}
        world.request(STATE, path=recovered, body={"state": "NORMAL"}, variant=variant)
    world.wait(33 * MINUTE_MS)
    world.run()


def record_called(world: Recorder) -> None:
    """Somebody calls for material at the machine, and nobody takes the call: the manager is to be asked, too."""
    world.keep_only(TROUBLE_OPENED, HELP_REQUESTED, NOBODY_FOUND)
    chains, at = {"chains": [*CHAINS[:1], CALLED]}, {"if-match": '"2"'}
    world.request(f"PUT {CHAINS_PATH}", path=FACTORY, body=chains, headers=at, variant="call")
    called = {"equipmentId": "press-9", "category": "material"}
    world.request("PUT /calls/{id}", path={"id": "3e0f5b1a-6c58-4a7e-9d2f-0b7c8d9e1f20"}, body=called, variant="call")
    world.wait(7 * MINUTE_MS)
    world.run()


def record_links(world: Recorder) -> None:
    """Somebody presses the button of a message."""
    world.keep_only(STATE_ACKNOWLEDGED)
    link = Link("op-17", (links.reference_of(log_of("press-11", LOG["state"], LOG["timestamp"])),), EXPIRES)
    with patch.object(links, "keys", lambda: (LINK_KEY,)):
        body = {"token": sign(link, purpose=links.PURPOSE, key=LINK_KEY)}
        world.request("POST /links/seen", body=body, variant="link")
