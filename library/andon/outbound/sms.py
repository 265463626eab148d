"""Messages -> SMS, by SNS's Publish to a phone number.

https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
"""

import re
from typing import Final
from urllib.parse import urlencode

from andon.outbound.addresses import phone_number
from andon.outbound.aws_once import AwsService, call_once, outcome_of_call
from andon.outbound.channel import Message, Outcome, RefusedForGood
from andon.outbound.sms_text import SmsText, sms_text

NAME: Final = "sms"
SNS: Final = AwsService("sns", "SNS", "sns")

MOST_PARTS: Final = 3

# The reasons of a refusal before any request.
ADDRESS: Final = "address"
TOO_LONG: Final = "too long"

_HEADERS: Final = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
_ID: Final = re.compile(rb"<MessageId>([A-Za-z0-9-]{1,100})</MessageId>")


class Sms:
    """The channel of SMS."""

    name = NAME

    def __init__(self, *, most_dollars: str, most_parts: int = MOST_PARTS) -> None:
        """Pay at most so much for a message, as `0.25`: one that costs more is not sent."""
        self._most_dollars = most_dollars
        self._most_parts = most_parts

    def send(self, message: Message) -> Outcome:
        """Hand a message to SNS once."""
        try:
            number = phone_number(message.address)
        except ValueError:
            return RefusedForGood(ADDRESS)
        try:
            written = text_of(message, most_parts=self._most_parts)
        except ValueError:
            return RefusedForGood(TOO_LONG)
        reply = call_once(SNS, "/", _HEADERS, urlencode(self._request(number, written.text)).encode())
        found = _ID.search(reply.body)
        return outcome_of_call(reply, provider_id=found[1].decode() if found else "")

    def _request(self, number: str, text: str) -> dict[str, str]:
        attributes = (
            ("AWS.SNS.SMS.SMSType", "String", "Transactional"),
            ("AWS.SNS.SMS.MaxPrice", "Number", self._most_dollars),
        )
        request = {"Action": "Publish", "Version": "2010-03-31", "PhoneNumber": number, "Message": text}
        for index, (name, kind, value) in enumerate(attributes, start=1):
            entry = f"MessageAttributes.entry.{index}"
            request |= {f"{entry}.Name": name, f"{entry}.Value.DataType": kind, f"{entry}.Value.StringValue": value}
        return request


def text_of(message: Message, *, most_parts: int) -> SmsText:
    """Return the text of a message: its subject, its lines, and the link, which is never cut.

    Raises:
        ValueError: the link alone takes more parts.

    """
    end = f"\n{message.link}" if message.link else ""
    return sms_text(f"{message.subject}\n{message.text}", most_parts=most_parts, end=end)
