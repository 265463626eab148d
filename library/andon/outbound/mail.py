"""Messages -> mail, by SESv2's SendEmail: text and HTML.

https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
"""

import unicodedata
from html import escape
from typing import Final
from urllib.parse import urlsplit

import orjson

from andon.outbound.addresses import mail_address
from andon.outbound.delivery import Message, Outcome, RefusedForGood
from andon.outbound.provider import AwsService, Reply, call_once, outcome_of_call
from andon.runtime.json_types import JsonObject

NAME: Final = "mail"
SES: Final = AwsService("email", "SESV2", "ses")
PATH: Final = "/v2/email/outbound-emails"

_MOST_CHARACTERS_OF_A_SUBJECT: Final = 200

# The reasons of a refusal before any request.
ADDRESS: Final = "address"
SUBJECT: Final = "subject"

# Answers of machines, as of those who are on holiday, do not come back: https://www.rfc-editor.org/rfc/rfc3834
_AUTOMATIC: Final = ({"Name": "Auto-Submitted", "Value": "auto-generated"},)

_HEADERS: Final = {"Content-Type": "application/json"}
_BUTTON: Final = "display:inline-block;padding:16px 24px;background:#0b57d0;color:#ffffff;text-decoration:none"


class Mail:
    """The channel of mail."""

    name = NAME

    def __init__(self, sender: str) -> None:
        """Send from an address that SES has verified."""
        self._sender = sender

    def send(self, message: Message) -> Outcome:
        """Hand a message to SES once."""
        try:
            mail_address(message.address)
        except ValueError:
            return RefusedForGood(ADDRESS)
        # A line's end in a subject would begin another header; nothing that was meant as a subject has one.
        if any(unicodedata.category(character) in {"Cc", "Zl", "Zp", "Cs"} for character in message.subject):
            return RefusedForGood(SUBJECT)
        reply = call_once(SES, PATH, _HEADERS, orjson.dumps(request_of(message, self._sender)))
        return outcome_of_call(reply, provider_id=_id_in(reply))


def request_of(message: Message, sender: str) -> JsonObject:
    """Return SendEmail's request."""
    subject = message.subject[:_MOST_CHARACTERS_OF_A_SUBJECT]
    body = {"Text": _data(text_of(message)), "Html": _data(html_of(message))}
    return {
        "FromEmailAddress": sender,
        "Destination": {"ToAddresses": [message.address]},
        "Content": {"Simple": {"Subject": _data(subject), "Body": body, "Headers": _AUTOMATIC}},
    }


def text_of(message: Message) -> str:
    """Return the body for readers of plain text."""
    return "\n\n".join((message.text, *((message.link,) if message.link else ())))


def html_of(message: Message) -> str:
    """Return the body for all others: it loads nothing, and no text in it becomes a tag or a link."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in message.text.splitlines() if line)
    return (
        f'<!doctype html><html lang="{escape(message.language)}"><meta charset="utf-8">'
        f'<body style="font:16px/1.5 sans-serif"><h1 style="font-size:20px">{escape(message.subject)}</h1>'
        f"{lines}{_button(message.link) if message.link else ''}</body></html>"
    )


def _button(link: str) -> str:
    """Return a link with its host as its words."""
    return f'<p><a style="{_BUTTON}" href="{escape(link)}">{escape(urlsplit(link).netloc)}</a></p>'


def _data(text: str) -> JsonObject:
    return {"Data": text, "Charset": "UTF-8"}


def _id_in(reply: Reply) -> str:
    try:
        said = orjson.loads(reply.body)
    except ValueError:
        return ""
    return str(said.get("MessageId", "")) if isinstance(said, dict) else ""
