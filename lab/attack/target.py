"""A local stack under attack, the ways to it, and the record of what was tried there."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from andon.tools.stack.api import HttpResponse
from andon.tools.stack.stack import Stack
from contract import groups
from lab.attack import queues
from lab.attack.judge import Judge, is_by_the_gateway, without_headers
from lab.attack.operations import Operation, read
from lab.attack.report import Record
from lab.attack.wire import Door, RawRequest

NO_SECRETS: Final = ("ApiUrl", "Endpoint", "UserPoolId", "UserPoolClientId")
ANSWERS: Final = "answers"
PAGE: Final = ("limit", "1000")
REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"


@dataclass(frozen=True, slots=True)
class AttackTarget:
    """A stack under attack.

    clients: that send requests at a time. acknowledged: the reports of each machine that the API took: the state by the
    time. unanswered: those of which nobody knows whether it did. turn: of whoever makes events; nobody else does while
    somebody waits for empty queues.
    """

    stack: Stack
    door: Door
    operations: list[Operation]
    judge: Judge
    record: Record
    clients: int
    acknowledged: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    unanswered: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    turn: threading.Lock = field(default_factory=threading.Lock)

    def send(self, request: RawRequest, role: str = groups.ADMIN) -> HttpResponse:
        """Send a request as `role`."""
        return self.door.send(request, self.stack.token(role))

    def drained(self, *, within_s: float) -> bool:
        """Wait until all queues are empty; True if it came to that."""
        with self.turn:
            return queues.drained(self.stack, within_s=within_s)

    def ask(self, name: str, path: Mapping[str, str] | None = None, *, content: object = None) -> HttpResponse:
        """Send a good request to a route."""
        return self.send(self.operation(name).request(path, content=content))

    def report(self, machine: str, state: str, at: str) -> RawRequest:
        """Return the report of a state."""
        return self.operation(REPORT).request({"id": machine, "timestamp": at}, content={"state": state})

    def note(self, part: str, kind: str, request: RawRequest, answer: HttpResponse, effects: Iterable[str]) -> None:
        """Count an attempt; what is missing of every answer is one finding, whatever was sent."""
        shown = f"{request.curl} -> {answer.status}"
        self.record.attempt(part, kind, dict.fromkeys(effects, shown))
        if not is_by_the_gateway(answer):
            self.record.attempt(ANSWERS, "every answer", dict.fromkeys(without_headers(answer), shown))

    def items(self, name: str, **path: str) -> list[Any]:
        """Read all items of a list, by its route."""
        return [item for page in self._pages(self.operation(name).request(path)) for item in page["items"]]

    def operation(self, name: str) -> Operation:
        """Find an operation by its route."""
        return next(one for one in self.operations if one.name == name)

    def _pages(self, request: RawRequest) -> Iterator[Any]:
        query = [PAGE]
        while (answer := self.send(request.asking(query))).status == HTTPStatus.OK:
            yield answer.json
            if "cursor" not in answer.json:
                return
            query = [PAGE, ("cursor", answer.json["cursor"])]


def target_of(stack: Stack, *, clients: int) -> AttackTarget:
    """Aim at a stack, with so many clients at a time."""
    secrets = tuple(value for name, value in stack.outputs.items() if name not in NO_SECRETS)
    return AttackTarget(stack, Door(stack.outputs["ApiUrl"]), read(), Judge(secrets), Record(), clients)
