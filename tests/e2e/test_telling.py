"""What is sent on this machine: mail and SMS to the emulator, a webhook to the sink; by codes that prove addresses."""

import base64
import json
import re
from typing import Any, Final
from urllib.request import urlopen

from andon.cdk.names import SENDER_HERE
from andon.tools.stack.processes import eventually
from andon.tools.stack.sink import PATH
from andon.tools.stack.stack import Stack

PERSON: Final = "op-91"
MAIL: Final = "ana@example.com"
PHONE: Final = "+5213312340091"
HOOK: Final = "https://hooks.example.com/ana"
SENT_S: Final = 60  # the sender's queue waits for ten


def test_mail_sms_and_webhook_are_really_sent_and_their_codes_prove_the_addresses(stack: Stack) -> None:
    person = stack.api("operator", PERSON)
    contact = f"/people/{PERSON}/contact"
    asked = person.put(contact, {"email": MAIL, "phone": PHONE, "webhooks": [HOOK]})
    assert asked.status == 201, asked.body
    codes = [person.request("POST", f"{contact}/{channel}/code").status for channel in ("mail", "sms", "webhook")]
    assert codes == [202] * 3

    assert eventually(lambda: len(codes_sent(stack)) == 3, within_s=SENT_S)

    for channel, code in codes_sent(stack).items():
        assert person.put(f"{contact}/{channel}/verified", {"code": code}).status == 204


def codes_sent(stack: Stack) -> dict[str, str]:
    """Return the code that was sent by each channel."""
    mails = [one for one in said(stack, "/_ministack/ses/messages") if MAIL in json.dumps(one)]
    assert all(SENDER_HERE in json.dumps(one) for one in mails)
    texts = [one for one in said(stack, "/_ministack/sns/sms-messages") if PHONE in json.dumps(one)]
    hooks = [base64.b64decode(one["body"]).decode() for one in said(stack, PATH) if one["address"] == HOOK]
    found = {"mail": json.dumps(mails), "sms": json.dumps(texts), "webhook": " ".join(hooks)}
    codes = {channel: re.search("code is ([0-9]{6})", text) for channel, text in found.items()}
    return {channel: code[1] for channel, code in codes.items() if code}


def said(stack: Stack, path: str) -> list[Any]:
    """Return what the emulator keeps, as a list."""
    with urlopen(f"{stack.outputs['Endpoint']}{path}") as answer:  # noqa: S310  of this machine
        content = json.load(answer)
    return [*content["messages"]] if isinstance(content.get("messages"), list) else [content]
