"""Hostile requests to every operation: made up by schemathesis against the schemas, of tables, and forged."""

import base64
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from random import Random
from typing import Any, Final, cast

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from requests import Request as Unprepared
from schemathesis import GenerationMode

from andon.events.written import Written
from andon.http.page import Scope, encode_cursor
from andon.runtime import strict_json
from andon.runtime.clock import MINUTE_MS
from andon.runtime.times import to_utc
from andon.tools.stack.api import HttpResponse
from lab.attack import hostile, operations
from lab.attack.hostile import RequiredAnswer
from lab.attack.operations import OURS, Operation, OperationParameter, RawRequest
from lab.attack.target import Target, is_refused

MADE_UP: Final = "made up against the schema"
ITS_OWN: Final = {"content-length", "user-agent", "connection", "x-schemathesis-testcaseid"}  # headers
Case = schemathesis.Case[Any]

PERIOD: Final = ("from", "to")
TEXTS: Final = ("", "\0", "#", "x" * 1_025, "🏭" * 512, "2020-04-24", "A#", "\ud83d")
NUMBERS: Final = (0, -1, 10**15, 10**37, 1 - 10**38)
OTHERS: Final[tuple[Any, ...]] = (None, True, 1.5, [], {})
TIMES_MS: Final = (0, 1, 253_402_300_799_999)
KNOWN: Final = {HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND}
LISTED: Final = f"{OURS}listed"
REPORTS: Final = 3  # there is a second page


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


def inputs(target: Target, dice: Random, *, requests: int) -> None:
    """Send so many requests: of each kind of the tables as many as of any other.

    To a stack as many are made up as of them all; in memory `tests/test_openapi.py` makes them up.
    """
    for operation in target.operations:
        if operation.method == "PUT":
            target.send(operation.request())  # so that not every request is about nothing
    some = chosen(target.operations, requests // 2 if target.stack else requests, dice)
    if target.stack:
        some += made_up(target.operations, requests - len(some), dice)
    for one in some:
        request = one.build()
        answer = target.send(request)
        # A path that lost its last word is taken for that of a list.
        is_another = one.operation.path.endswith("}") and request.target.partition("?")[0].endswith("/")
        effects = [] if is_another else target.effects(one.operation, answer, one.made_up)
        target.note(one.kind, request, answer, [*effects, *_kept(one, answer)])


def chosen(among: Sequence[Operation], requests: int, dice: Random) -> list[HostileRequest]:
    """Choose requests of the tables; the same dice choose the same."""
    by_kind: dict[str, list[HostileRequest]] = defaultdict(list)
    for operation in among:
        for one in of_tables(operation):
            by_kind[one.kind].append(one)
    queues = [dice.sample(by_kind[kind], len(by_kind[kind])) for kind in sorted(by_kind)]
    in_turn = [queue[n] for n in range(max(map(len, queues))) for queue in queues if n < len(queue)]
    return in_turn[:requests]


def made_up(among: Sequence[Operation], count: int, dice: Random) -> list[HostileRequest]:
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


def forged(target: Target, dice: Random, *, count: int) -> None:
    """Read as a reader who knows the code does: with so many forged cursors, and as many tokens of writes.

    Each is refused, a page, or waited for.
    """
    now_ms = target.world.now_ms
    answers = [target.report(LISTED, "ERROR", to_utc(now_ms - number * MINUTE_MS)) for number in range(REPORTS)]
    target.settle()
    cursors, tokens = [*_cursors(target)], [*_tokens(target, Written.from_token(answers[0].headers["x-after"]))]
    target.record.expect("there are cursors to forge", cursors)
    for kind, of in (("a forged cursor", cursors), ("a forged token of a write", tokens)):
        for operation, make in dice.sample(of, min(count, len(of))):
            request = make()
            answer = target.send(request)
            effects = target.effects(operation, answer) if answer.status in KNOWN else [str(answer.status)]
            target.note(kind, request, answer, effects)


def _cursors(target: Target) -> Iterator[tuple[Operation, Callable[[], RawRequest]]]:
    """Yield lists with cursors that their own checksum fits."""
    for one in (one for one in target.operations if any(parameter.name == "cursor" for parameter in one.of("query"))):
        named = {parameter.name for parameter in one.of("query")}
        period = [(name, operations.now()[:10]) for name in PERIOD] if named.issuperset(PERIOD) else []
        path = {parameter.name: _listed(parameter) for parameter in one.of("path")}
        answer = target.send(one.request(path).asking([*period, ("limit", "1")]))
        if answer.status != HTTPStatus.OK or "cursor" not in answer.json:
            continue
        position, _ = strict_json.loads(_decoded(answer.json["cursor"]))
        scope: Scope = {"route": one.name, "path": path, "query": dict(period)}
        for name in position:
            for value in (*TEXTS, *NUMBERS, *OTHERS):
                make = partial(encode_cursor, {**position, name: value}, partition="", scope=scope)
                yield one, partial(_with_cursor, one.request(path), period, make)


def _tokens(target: Target, written: Written) -> Iterator[tuple[Operation, Callable[[], RawRequest]]]:
    """Yield reads that are to wait for writes that nobody made."""
    for one in (one for one in target.operations if any(parameter.name == "after" for parameter in one.of("query"))):
        request = one.request({parameter.name: _listed(parameter) for parameter in one.of("path")})
        for changed in _changed(written):
            yield one, partial(_with_token, request, changed)


def _with_cursor(request: RawRequest, period: list[tuple[str, str]], cursor: Callable[[], str]) -> RawRequest:
    return request.asking([*period, ("cursor", cursor())])


def _with_token(request: RawRequest, written: Written) -> RawRequest:
    return request.asking([("after", written.to_token())])


def _changed(written: Written) -> Iterator[Written]:
    yield from (replace(written, partition_key=text) for text in TEXTS[:-1])
    yield from (replace(written, event_id=text) for text in TEXTS[:-1])
    yield from (replace(written, timestamp_ms=at_ms) for at_ms in TIMES_MS)
    yield from (replace(written, type=name) for name in ("operator-assigned", "fault", ""))
    for name in written.names:
        changes: tuple[Any, ...] = (*TEXTS[:-1], *NUMBERS)
        yield from (replace(written, names={**written.names, name: value}) for value in changes)
        yield replace(written, names={other: said for other, said in written.names.items() if other != name})


def _listed(parameter: OperationParameter) -> str:
    return LISTED if parameter.name == "id" else str(operations.example(parameter.schema))


def _decoded(cursor: str) -> str:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
