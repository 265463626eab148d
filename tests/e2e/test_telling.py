"""What is sent on this machine, by each channel, can be read in the inbox; by codes that prove addresses."""

import re
from typing import Final

from andon.tools.inbox import sent as inbox
from andon.tools.inbox.sent import browser_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack

PERSON: Final = "op-91"
BROWSER: Final = browser_of(PERSON).subscription
ADDRESSES: Final = {
    "mail": "ana@example.com",
    "sms": "+5213312340091",
    "webhook": "https://hooks.example.com/ana",
    "push": BROWSER["endpoint"],
}


def test_each_channel_really_sends_and_its_code_proves_the_address(stack: Stack) -> None:
    person = stack.api("operator", PERSON)
    contact = f"/people/{PERSON}/contact"
    body = {"email": ADDRESSES["mail"], "phone": ADDRESSES["sms"], "webhooks": [ADDRESSES["webhook"]]}
    asked = person.put(contact, {**body, "push": [BROWSER]})
    assert asked.status == 201, asked.body
    assert [person.request("POST", f"{contact}/{channel}/code").status for channel in ADDRESSES] == [202] * 4

    assert eventually(lambda: codes_sent(stack).keys() == ADDRESSES.keys())

    for channel, code in codes_sent(stack).items():
        assert person.put(f"{contact}/{channel}/verified", {"code": code}).status == 204


def codes_sent(stack: Stack) -> dict[str, str]:
    """Return the code that was sent by each channel."""
    sent = [one for one in inbox.read(stack.outputs["Endpoint"]) if ADDRESSES[one.channel] == one.to]
    codes = {one.channel: re.search("code is ([0-9]{6})", one.subject) for one in sent}
    return {channel: code[1] for channel, code in codes.items() if code}
