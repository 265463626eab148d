"""Contacts of the demo factory's people: push, SMS, mail and a webhook, at addresses that were checked.

Nothing leaves this machine: `make inbox` shows what is sent to them.
"""

import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from andon.tools.inbox import sent as inbox
from andon.tools.inbox.sent import SentMessage
from andon.tools.stack.api import ApiClient, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo.factory import SUPERVISOR
from demo.people import EVA, LUIS, OMAR, ROSA, name_of
from demo.writing import KEPT, put

CONTACTS: Final[dict[str, dict[str, Any]]] = {  # the first of its addresses is used, the mail where that cannot be
    EVA: {"push": [inbox.browser_of("eva").subscription], "email": "eva@factory.example"},
    LUIS: {"email": "luis@factory.example"},
    OMAR: {"phone": "+523300000033", "email": "omar@factory.example", "language": "de"},
    ROSA: {
        "webhooks": ["https://hooks.example.com/rosa"],
        "email": "rosa@factory.example",
        "order": ["webhook", "mail"],
    },
}
LANGUAGE: Final = "es"
"""Of people in Guadalajara, unless they have another one."""

CHANNELS: Final = {"push": "push", "phone": "sms", "webhooks": "webhook", "email": "mail"}
"""The addresses of a contact -> their channel."""

CHECKED_WITHIN_S: Final = 60  # a message is held back for ten seconds, and a function may be cold
ASKED: Final = frozenset({HTTPStatus.ACCEPTED, HTTPStatus.TOO_MANY_REQUESTS})  # or one was asked for a moment ago

_CODE: Final = re.compile(r"\b[0-9]{6}\b")


class Unchecked(NamedTuple):
    """An address that waits for its code. came: codes that came there before."""

    person: str
    channel: str
    address: str
    came: set[str]


def ask(stack: Stack) -> list[Unchecked]:
    """Write down how everybody is told, and ask for the codes of addresses that were not checked before; return those.

    Raises:
        Failed: something was refused.
    """
    sent = inbox.read(stack.outputs["Endpoint"])
    return [one for person in CONTACTS for one in _asked(_api(stack, person), person, sent)]


def check(stack: Stack, unchecked: Iterable[Unchecked]) -> list[str]:
    """Read the codes that were asked for, as the people would, and say them; return in lines whose did not come."""
    waiting = [*unchecked]

    def is_done() -> bool:
        if waiting:
            sent = inbox.read(stack.outputs["Endpoint"])
            waiting[:] = [one for one in waiting if not _is_checked(_api(stack, one.person), one, sent)]
        return not waiting

    eventually(is_done, within_s=CHECKED_WITHIN_S)
    return [f"{name_of(one.person)} is not told by {one.channel}: no code came to {one.address}" for one in waiting]


def codes_to(address: str, sent: Iterable[SentMessage]) -> list[str]:
    """Return the codes that came to an address, the oldest first."""
    texts = (f"{one.subject} {one.text}" for one in sent if one.to == address)
    return [found[0] for text in texts if (found := _CODE.search(text))]


def addresses_in(contact: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the channels of a contact, each with its address."""
    for place, channel in CHANNELS.items():
        match contact.get(place):
            case str(address) | [str(address)] | [{"endpoint": str(address)}]:
                yield channel, address


def _asked(api: ApiClient, person: str, sent: Iterable[SentMessage]) -> Iterator[Unchecked]:
    """Ask for the codes of somebody, and yield what waits for them."""
    contact = CONTACTS[person]
    found = api.get(_contact(person))
    checked = found.json["verifiedAt"] if found.status == HTTPStatus.OK else {}
    put(api, _contact(person), {"language": LANGUAGE, **contact}, well=KEPT)
    for channel, address in addresses_in(contact):
        if channel not in checked:
            asked = api.request("POST", f"{_contact(person)}/{channel}/code")
            if asked.status not in ASKED:
                why = asked.body.decode(errors="replace")
                raise ToolFailed(f"a code for {person} was refused: {asked.status} {why}")
            yield Unchecked(person, channel, address, {*codes_to(address, sent)})


def _is_checked(api: ApiClient, one: Unchecked, sent: Iterable[SentMessage]) -> bool:
    new = [code for code in codes_to(one.address, sent) if code not in one.came]
    one.came.update(new)  # each is tried once: five wrong ones, and none counts any more
    path = f"{_contact(one.person)}/{one.channel}/verified"
    return HTTPStatus.NO_CONTENT in [api.put(path, {"code": code}).status for code in new]


def _api(stack: Stack, person: str) -> ApiClient:
    return stack.api(groups.SUPERVISOR if person == SUPERVISOR else groups.OPERATOR, person)


def _contact(person: str) -> str:
    return path_of("people", person, "contact")
