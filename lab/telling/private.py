"""Webhooks that lead into the private network, and addresses where nobody may read them."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Final

from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from contract import groups
from lab.telling import kept
from lab.telling.providers import MAIL, WEBHOOK, Behaviour
from lab.telling.target import Target, request

PART: Final = "addresses"
WITHIN_S: Final = 90
BY_NAME, BY_REDIRECT = "op-970001", "op-970002"
NAME: Final = "inside.localhost"  # libcurl resolves it to this machine, as a name of somebody else's could
NOT_PUBLIC: Final = "AddressNotPublic"


class Inside:
    """A server of the private network; counts who connects."""

    def __init__(self) -> None:
        self.connections, self._socket = 0, socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])

    def accept(self) -> None:
        """Count connections until it is closed."""
        with suppress(OSError):
            while True:
                self._socket.accept()[0].close()
                self.connections += 1

    def close(self) -> None:
        """Listen no more."""
        self._socket.close()


def webhooks(target: Target) -> None:
    """Let a webhook's name lead to this machine, on AWS's settings; and let another one redirect there."""
    with _inside() as inside:
        address = f"https://{NAME}:{inside.port}/hook"
        target.configure(OUTBOUND_SINK="", WEBHOOK_HOSTS=f"{NAME}:{inside.port}")
        try:
            _refused(target, inside, BY_NAME, address, NOT_PUBLIC)
        finally:
            target.configure()
        target.providers.behave(WEBHOOK, Behaviour(HTTPStatus.TEMPORARY_REDIRECT, location=address))
        try:
            _refused(target, inside, BY_REDIRECT, "https://redirects.example.com/hook", "HTTP 307")
        finally:
            target.providers.behave(WEBHOOK, Behaviour())


def nowhere(target: Target) -> None:
    """Look for every address in what is stored, logged and answered to others."""
    for place, text in (*kept.lake(target), *kept.logs(target), *kept.rows(target), *_answers(target)):
        found = [address for address in sorted(target.addresses) if address in text]
        target.record.expect(PART, place, "has an address", held=not found, seen=" ".join(found[:3]))


@contextmanager
def _inside() -> Iterator[Inside]:
    inside = Inside()
    threading.Thread(target=inside.accept, daemon=True).start()
    try:
        yield inside
    finally:
        inside.close()


def _refused(target: Target, inside: Inside, person: str, address: str, reason: str) -> None:
    target.reach(person, webhook=address, mail=f"{person}@example.com")
    began = time.time()
    target.ask([request(person, f"press-of-{person}")])
    eventually(lambda: any(one.address.startswith(person) for one in target.providers.got(MAIL)), within_s=WITHIN_S)
    eventually(lambda: bool(_reasons(target, person)), within_s=WITHIN_S)
    told = [one.at - began for one in target.providers.got(MAIL, since=began) if one.address.startswith(person)]
    seen = f"{reason}: {_reasons(target, person)}, {inside.connections} connections, by mail after {told}"
    held = _reasons(target, person) == [reason] and not inside.connections and bool(told)
    target.record.expect(PART, f"a webhook into the private network, {reason}", "not refused", held=held, seen=seen)
    target.record.notes.append(f"webhook into the private network: {seen}")


def _reasons(target: Target, person: str) -> list[str]:
    failures = (fact["failure"] for fact in target.facts("delivery-failed"))
    return [one["reason"] for one in failures if one["person"] == person]


def _answers(target: Target) -> Iterator[tuple[str, str]]:
    machines = {about["equipmentId"] for one in target.facts("person-told") for about in one["told"]["about"]}
    api = target.stack.api(groups.OPERATOR)
    for machine in sorted(machines):
        yield "an answer", api.get(path_of("equipment", machine, "tellings")).body.decode()
    for fact in target.facts("person-told"):
        path = path_of("people", fact["told"]["person"], "contact")
        for group in (groups.OPERATOR, groups.SUPERVISOR):
            yield f"a contact, to {group}", target.stack.api(group).get(path).body.decode()
