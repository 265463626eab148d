"""Whom the demo factory asks for help, and how its people are told: chains, causes, checked addresses."""

import json
import re
import urllib.request
from http import HTTPStatus
from typing import Any, Final

from andon.tools.stack.api import ApiClient, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo.factory import FACTORY, OPERATORS, SUPERVISOR
from demo.people import name_of
from demo.writing import KEPT, put

CHAINS: Final[list[dict[str, Any]]] = [
    {
        "id": "trouble",
        "on": ["ERROR", "SILENT"],
        "steps": [
            {"after": 0, "tell": "assigned", "urgency": "high"},
            {"after": 5, "tell": "duty:supervisor", "urgency": "high"},
        ],
    },
    {
        "id": "calls",
        "on": ["call:material", "call:quality", "call:safety"],
        "steps": [
            {"after": 0, "tell": "duty:operator", "urgency": "high"},
            {"after": 2, "tell": "duty:supervisor", "urgency": "high"},
        ],
    },
]
CATALOG: Final[dict[str, Any]] = {
    "categories": [
        {"id": "safety", "name": "Safety", "icon": "shield", "priority": 1, "needsCause": False},
        {"id": "material", "name": "Material", "icon": "box", "priority": 2, "needsCause": True},
        {"id": "quality", "name": "Odd part", "icon": "eye", "priority": 3, "needsCause": False},
    ],
    "causes": [
        {"id": "forgotten", "name": "Nobody ordered it", "categories": ["material"]},
        {"id": "late-truck", "name": "The truck is late", "categories": ["material"]},
    ],
}
CAUSES: Final = {"material": "late-truck"}
"""Category -> the cause by which a call of it is closed."""

CHECKED_WITHIN_S: Final = 60  # a message is held back for ten seconds, and a function may be cold
MESSAGES: Final = "_ministack/ses/messages"

_CODE: Final = re.compile(r"\b[0-9]{6}\b")


def set_up(stack: Stack) -> list[str]:
    """Write down whom to ask, and check everybody's address; return in lines who could not be reached.

    Raises:
        Failed: something was refused.
    """
    api = stack.api(groups.SUPERVISOR, SUPERVISOR)
    put(api, path_of("factories", FACTORY, "chains"), {"chains": CHAINS}, well=KEPT)
    put(api, path_of("factories", FACTORY, "catalog"), CATALOG, well=KEPT)
    roles = {SUPERVISOR: groups.SUPERVISOR} | dict.fromkeys(OPERATORS, groups.OPERATOR)
    apis = {person: stack.api(role, person) for person, role in roles.items()}
    emulator = stack.outputs["Endpoint"]
    came = {person: {*codes_to(_address(person), mails(emulator))} for person in roles}
    unchecked = [person for person, theirs in apis.items() if not _is_reached(theirs, person)]
    wrong = [person for person in unchecked if not _is_checked(apis[person], person, emulator, came[person])]
    return [f"{name_of(person)} is told nothing: no code came to {_address(person)}" for person in wrong]


def _address(person: str) -> str:
    return f"{name_of(person).lower()}@factory.example"


def _contact(person: str) -> str:
    return path_of("people", person, "contact")


def _is_reached(api: ApiClient, person: str) -> bool:
    """Write somebody's address down and ask for its code, unless it was checked before."""
    found = api.get(_contact(person))
    if found.status == HTTPStatus.OK and "mail" in found.json["verifiedAt"]:
        return True
    put(api, _contact(person), {"email": _address(person), "language": "en"}, well=KEPT)
    asked = api.request("POST", f"{_contact(person)}/mail/code")
    if asked.status not in {HTTPStatus.ACCEPTED, HTTPStatus.TOO_MANY_REQUESTS}:  # one was asked for a moment ago
        raise ToolFailed(f"a code for {person} was refused: {asked.status} {asked.body.decode(errors='replace')}")
    return False


def _is_checked(api: ApiClient, person: str, emulator: str, came: set[str]) -> bool:
    """Read the code in the mail of somebody, as the person would, and say it; came: codes that came before."""

    def is_taken() -> bool:
        new = [code for code in codes_to(_address(person), mails(emulator)) if code not in came]
        came.update(new)  # each is tried once: five wrong ones, and none counts any more
        answers = [api.put(f"{_contact(person)}/mail/verified", {"code": code}).status for code in new]
        return HTTPStatus.NO_CONTENT in answers

    return eventually(is_taken, within_s=CHECKED_WITHIN_S)


def mails(emulator: str) -> list[dict[str, Any]]:
    """Return the mails that the emulator keeps, the oldest first."""
    with urllib.request.urlopen(f"{emulator.rstrip('/')}/{MESSAGES}") as answer:  # noqa: S310  on this machine
        accounts = json.load(answer)["messages"]
    return [mail for of_account in accounts.values() for mail in of_account]


def codes_to(address: str, sent: list[dict[str, Any]]) -> list[str]:
    """Return the codes that came to an address, the oldest first."""
    texts = [f"{mail['Subject']} {mail['BodyText']}" for mail in sent if address in mail["To"]]
    return [found[0] for text in texts if (found := _CODE.search(text))]
