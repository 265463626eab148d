"""Hostile requests to every operation: half made up by schemathesis against the schemas, half from tables."""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from requests import Request as Unprepared
from schemathesis import GenerationMode

from andon.tools.stack.api import HttpResponse
from lab.attack import hostile
from lab.attack.hostile import RequiredAnswer
from lab.attack.judge import is_refused
from lab.attack.operations import Operation
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest, side_by_side

PART: Final = "inputs"
MADE_UP: Final = "made up against the schema"
ITS_OWN: Final = {"content-length", "user-agent", "connection", "x-schemathesis-testcaseid"}  # headers
Case = schemathesis.Case[Any]


@dataclass(frozen=True, slots=True)
class HostileRequest:
    """A request with something hostile in it; `value`: a text that must not be kept as it is.

    build: makes the request, of those that are sent: there are some 20,000. made_up: schemathesis's form of it, which
    knows what is wrong.
    """

    kind: str
    operation: Operation
    build: Callable[[], RawRequest]
    wanted: RequiredAnswer = RequiredAnswer.ANYTHING
    value: Any = None
    made_up: Case | None = None

    @property
    def request(self) -> RawRequest:
        """The request as it is sent."""
        return self.build()


def attack(target: AttackTarget, *, requests: int, dice: random.Random) -> None:
    """Send so many requests: of each kind of the tables as many as of any other, and as many made up as of them all."""
    for operation in target.operations:
        if operation.method == "PUT":
            target.send(operation.request())  # so that not every request is about nothing
    attempts = chosen(target.operations, requests, dice)
    for one, answer in zip(
        attempts, side_by_side(lambda one: target.send(one.request), attempts, clients=target.clients), strict=True
    ):
        effects = [] if _is_another(one) else target.judge.effects(one.operation, answer, one.made_up)
        target.note(PART, one.kind, one.request, answer, [*effects, *_kept(one, answer)])


def chosen(among: Sequence[Operation], requests: int, dice: random.Random) -> list[HostileRequest]:
    """Choose the requests of a run; the same dice choose the same."""
    by_kind: dict[str, list[HostileRequest]] = defaultdict(list)
    for operation in among:
        for one in of_tables(operation):
            by_kind[one.kind].append(one)
    queues = [dice.sample(by_kind[kind], len(by_kind[kind])) for kind in sorted(by_kind)]
    in_turn = [queue[n] for n in range(max(map(len, queues))) for queue in queues if n < len(queue)]
    picked = in_turn[: requests // 2]
    return picked + made_up(among, requests - len(picked), dice)


def made_up(among: Sequence[Operation], count: int, dice: random.Random) -> list[HostileRequest]:
    """Make up requests that break the schema of their operation, or several of its rules at once."""
    # To begin with an operation is most of the work.
    among = dice.sample(among, min(count, len(among)))
    each, drawn = math.ceil(count / len(among)), list[Case]()
    by_name = {operation.name: operation for operation in among}
    fast = settings(max_examples=each, database=None, deadline=None, phases=[Phase.generate])
    for operation in among:

        @seed(dice.getrandbits(32))
        @settings(fast, suppress_health_check=[*HealthCheck])
        @given(operation.api.as_strategy(generation_mode=GenerationMode.NEGATIVE))
        def keep(case: Case) -> None:
            drawn.append(case)

        keep()
    some = dice.sample(drawn, min(count, len(drawn)))
    return [HostileRequest(MADE_UP, by_name[one.operation.label], partial(_sent, one), made_up=one) for one in some]


def of_tables(operation: Operation) -> Iterator[HostileRequest]:
    """Yield all requests to an operation that have one thing from the tables wrong with them."""
    for slot in operation.slots():
        for name, values, wanted in hostile.values_for(slot):
            # Only a PUT's path says which text must not be kept; a body's is read by nobody.
            is_read = wanted is not RequiredAnswer.NOT_AS_IT_IS or (operation.method, slot.where) == ("PUT", "path")
            duty = wanted if is_read else RequiredAnswer.ANYTHING
            yield from (HostileRequest(name, operation, partial(slot.filled, value), duty, value) for value in values)
    for name, requests, wanted in hostile.requests_to(operation):
        yield from (HostileRequest(name, operation, request, wanted) for request in requests)


def _sent(case: Case) -> RawRequest:
    """Return a made-up request as it goes over the wire."""
    sent = Unprepared(**case.as_transport_kwargs(base_url="http://api")).prepare()
    headers = tuple((name.lower(), value) for name, value in sent.headers.items() if name.lower() not in ITS_OWN)
    body = sent.body.encode() if isinstance(sent.body, str) else cast("bytes | None", sent.body)  # it is no stream
    return RawRequest(sent.method or case.method, sent.path_url, headers, body)


def _is_another(one: HostileRequest) -> bool:
    """Return True if the emulator takes a path that lost its last word for that of a list."""
    return one.operation.path.endswith("}") and one.request.target.partition("?")[0].endswith("/")


def _kept(one: HostileRequest, answer: HttpResponse) -> Iterator[str]:
    if answer.status == 0 or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return  # that is reported already
    if one.wanted is RequiredAnswer.REFUSED and not is_refused(answer):
        yield "not refused"
    kept = one.wanted is RequiredAnswer.NOT_AS_IT_IS and answer.status < HTTPStatus.MULTIPLE_CHOICES
    if kept and one.value in _texts(answer.json):
        yield "kept as it is"


def _texts(content: Any) -> list[str]:  # noqa: ANN401
    if isinstance(content, str):
        return [content]
    inner = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [text for one in inner for text in _texts(one)]
