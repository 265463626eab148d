"""Cursors, and tokens of writes, forged by a reader who knows the code: refused, a page, or waited for; never a 5xx."""

import base64
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from andon.events.written import Written
from andon.http.page import Scope, encode_cursor
from andon.runtime import strict_json
from lab.attack import operations
from lab.attack.operations import OURS, Operation, OperationParameter
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest, side_by_side

PART: Final = "forged"
PERIOD: Final = "from", "to"
TEXTS: Final = "", "\0", "#", "x" * 1_025, "🏭" * 512, "2020-04-24", "A#", "\ud83d"
NUMBERS: Final = 0, -1, 10**15, 10**37, 1 - 10**38
OTHERS: Final[tuple[Any, ...]] = None, True, 1.5, [], {}
TIMES_MS: Final = 0, 1, 253_402_300_799_999
KNOWN: Final = {HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND}
READERS: Final = 8  # some wait two seconds

Forged = tuple[str, Operation, Callable[[], RawRequest]]
"""Kind, operation, and the request, which is made of those that are sent: there are thousands."""


def attack(target: AttackTarget, *, count: int, dice: random.Random) -> None:
    """Read as a reader does, then once more with so many forged cursors, and as many tokens."""
    cursors, tokens = [*_cursors(target)], [*_tokens(target)]
    drawn = [one for forged in (cursors, tokens) for one in dice.sample(forged, min(count, len(forged)))]
    some = [(kind, operation, made()) for kind, operation, made in drawn]
    answers = side_by_side(lambda one: target.send(one[2]), some, clients=READERS)
    for (kind, operation, request), answer in zip(some, answers, strict=True):
        effects = target.judge.effects(operation, answer) if answer.status in KNOWN else [str(answer.status)]
        target.note(PART, kind, request, answer, effects)


def _cursors(target: AttackTarget) -> Iterator[Forged]:
    """Yield lists with cursors that their own checksum fits."""
    for one in (one for one in target.operations if any(parameter.name == "cursor" for parameter in one.of("query"))):
        named = {parameter.name for parameter in one.of("query")}
        period = [(name, operations.now()[:10]) for name in PERIOD] if named.issuperset(PERIOD) else []
        path = {parameter.name: _busy(parameter) for parameter in one.of("path")}
        answer = target.send(one.request(path).asking([*period, ("limit", "1")]))
        if answer.status != HTTPStatus.OK or "cursor" not in answer.json:
            continue
        position, _ = strict_json.loads(_decoded(answer.json["cursor"]))
        scope: Scope = {"route": one.name, "path": path, "query": dict(period)}
        for name in position:
            for value in (*TEXTS, *NUMBERS, *OTHERS):
                forged = partial(encode_cursor, {**position, name: value}, partition="", scope=scope)
                yield "a forged cursor", one, partial(_with_cursor, one.request(path), period, forged)


def _tokens(target: AttackTarget) -> Iterator[Forged]:
    """Yield reads that are to wait for writes that nobody made."""
    answer = target.send(target.report(f"{OURS}forged", "ERROR", operations.now()))
    written = Written.from_token(answer.headers["x-after"])
    reads = [one for one in target.operations if any(parameter.name == "after" for parameter in one.of("query"))]
    for one in reads:
        request = one.request({parameter.name: _busy(parameter) for parameter in one.of("path")})
        for changed in _changed(written):
            yield "a forged token of a write", one, partial(_with_token, request, changed)


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


def _busy(parameter: OperationParameter) -> str:
    return f"{OURS}flooded" if parameter.name == "id" else str(operations.example(parameter.schema))


def _decoded(cursor: str) -> str:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
