"""The requests and facts whose messages are the samples of notify: `make samples` writes them to `events/`."""

from typing import Final
from unittest.mock import patch

from andon.outbound.delivery import Message, Sent
from andon.runtime.clock import MINUTE_MS
from andon.testing.recorder import Recorder
from services.notify import contact_code, outbound
from services.notify.fact_types import MESSAGE_DECIDED, TROUBLE_TOLD
from tests.services.notify.reached import reach

CALL: Final = "3e0f5b1a-6c58-4a7e-9d2f-0b7c8d9e1f20"


class Kept:
    """A channel that takes all."""

    def __init__(self, name: str) -> None:
        self.name = name

    def send(self, message: Message) -> Sent:
        """Take it."""
        return Sent(f"{self.name}-{message.id}")


def record(world: Recorder) -> None:
    """Of trouble and a call: one person is told, at once; another one, whom no channel reaches, is asked for again."""
    reach("op-18", "mail")
    outbound.CHANNELS["mail"] = Kept("mail")
    try:
        world.hear("help-requested", person="op-18")
        world.request("GET /equipment/{id}/tellings", variant="later", path={"id": "press-9"})
        world.wait(4 * MINUTE_MS)
        world.request("GET /equipment/{id}/tellings", path={"id": "press-9"})
        world.hear("help-requested", person="op-19")
        world.wait(4 * MINUTE_MS)
        world.request("GET /equipment/{id}/tellings", variant="late", path={"id": "press-9"}, query={"limit": "1"})
        world.wait(11 * MINUTE_MS)
        world.hear("help-requested.call")
        world.request("GET /people/{id}/tellings", path={"id": "op-18"}, groups=["supervisor"], variant="call")
        world.wait(4 * MINUTE_MS)
        world.request("GET /calls/{id}/tellings", path={"id": CALL}, variant="call")
    finally:
        outbound.CHANNELS.clear()
    contact(world)
    over(world)


def contact(world: Recorder) -> None:
    """Somebody says how to be reached, and proves it; then they are erased."""
    path, mail = {"id": "op-20"}, {"id": "op-20", "channel": "mail"}
    body = {"email": "ana@example.com", "phone": "+5213312345678", "language": "es", "order": ["sms", "mail"]}
    quiet = {"from": "22:00", "to": "06:00", "timezone": "America/Mexico_City"}
    world.request("PUT /people/{id}/contact", path=path, body={**body, "quietHours": quiet})
    with patch.object(contact_code, "new_code", lambda: "123456"):
        world.request("POST /people/{id}/contact/{channel}/code", path=mail)
    world.request("PUT /people/{id}/contact/{channel}/verified", path=mail, body={"code": "123456"})
    world.request("POST /people/{id}/contact/{channel}/test", path=mail)
    world.request("GET /people/{id}/contact", path=path)
    world.hear("person-erased", id="op-20")


def over(world: Recorder) -> None:
    """Somebody is told by PagerDuty of a machine that is back then."""
    path = {"id": "op-21"}
    reach("op-21", "webhook", webhooks=["https://events.pagerduty.com/v2/enqueue#key"])
    outbound.CHANNELS["webhook"] = Kept("webhook")
    try:
        world.keep_only(TROUBLE_TOLD)
        world.request("GET /people/{id}/tellings", path=path, groups=["supervisor"], variant="webhook")
        world.hear("help-requested", person="op-21")
        world.wait(4 * MINUTE_MS)
        world.keep_only(MESSAGE_DECIDED)
        world.request("GET /people/{id}/tellings", path=path, groups=["supervisor"], variant="over")
        world.hear("trouble-ended")
        world.wait(4 * MINUTE_MS)
    finally:
        outbound.CHANNELS.clear()
