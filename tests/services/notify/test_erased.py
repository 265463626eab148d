"""Whoever is erased: no address is left, whatever comes meanwhile, and nobody tells them anything again."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, Final

import pytest

from andon.dynamodb.key_query import KeyQuery
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, intruding
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS
from services.notify.erased import EMPTY, Erasure
from services.notify.tables import TABLE, partition_of
from tests.services.notify.factory import NOTIFY, NOW, Floor, Spy, channels, request
from tests.services.notify.reached import reach
from tests.support.samples import body_of, fact

ANA: Final = "op-17"
MAIL: Final = "ana.lopez@plant.example.mx"
FENCE: Final = {"pk", "sk", "version", "since", "timestamp", "changedBy", "deleted"}


@pytest.fixture
def loop() -> Iterator[Loop]:
    """Everything, empty."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop


@pytest.fixture
def floor() -> Iterator[Floor]:
    """Notify by a clock."""
    with Floor() as floor:
        yield floor


def erased() -> DomainEvent:
    return fact("person-erased", at=NOW)._replace(entities={"person": {"id": ANA, "erasedAt": times.to_utc(NOW)}})


def erase() -> None:
    Erasure(ANA).write(TABLE, erased(), now_ms=NOW)


def ask(loop: Loop, route: str, **parts: Any) -> int:  # noqa: ANN401
    path = {"id": ANA, **({"channel": "mail"} if "channel" in route else {})}
    return loop.request(route, path=path, groups=["operator"], subject=ANA, **parts).status


def write(loop: Loop, version: int | None = None) -> int:
    headers = {} if version is None else {"if-match": f'"{version}"'}
    return ask(loop, "PUT /people/{id}/contact", headers=headers, body={"email": MAIL})


def live(loop: Loop) -> None:
    """Let somebody be reached, prove it, and ask for another code."""
    write(loop)
    reach(ANA, "mail", email=MAIL)
    ask(loop, "POST /people/{id}/contact/{channel}/code")


def prove(loop: Loop) -> int:
    row = CONTACTS.get(KEYS.of(partition_of(ANA), "code#mail")) or {}
    return ask(loop, "PUT /people/{id}/contact/{channel}/verified", body={"code": row.get("code", "000000")})


def left() -> dict[str, set[str]]:
    """Return the attributes of the rows that are left, by their sort keys."""
    rows = CONTACTS.query(KeyQuery(KEYS, partition_of(ANA)), limit=99).items
    return {str(row["sk"]): {*row} for row in rows}


def is_forgotten(loop: Loop) -> bool:
    rows = left()
    said = json.dumps([loop.rows(table) for table in loop.schemas], default=str)
    return rows.pop(CONTACT) == FENCE and all(row <= EMPTY for row in rows.values()) and MAIL not in said


def test_no_address_no_code_and_no_proof_is_left_and_none_comes_again(loop: Loop) -> None:
    live(loop)

    for _ in range(2):
        erase()

    assert is_forgotten(loop)
    assert ask(loop, "GET /people/{id}/contact") == 404
    assert [write(loop, version) for version in (None, 1, 2, 3)] == [409] * 4
    assert ask(loop, "POST /people/{id}/contact/{channel}/code") == 404
    assert ask(loop, "PUT /people/{id}/contact/{channel}/verified", body={"code": "123456"}) == 404
    assert is_forgotten(loop)


def test_an_id_without_a_contact_gets_none(loop: Loop) -> None:
    erase()

    assert write(loop) == 409
    assert is_forgotten(loop)


Meanwhile = Callable[[Loop], object]
"""What somebody does while an erasure is under way."""

MEANWHILE: Final[dict[str, Meanwhile]] = {
    "an address is written": partial(write, version=1),
    "a code is asked for": lambda loop: ask(loop, "POST /people/{id}/contact/{channel}/code"),
    "an address is proved": prove,
}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_an_erasure_wins_over_what_comes_while_it_is_made(meanwhile: str) -> None:
    for number in count(1):
        with Loop() as loop, frozen_clock(NOW):
            live(loop)
            with intruding(number, partial(MEANWHILE[meanwhile], loop)) as calls, frozen_clock(NOW + 2 * MINUTE_MS):
                erase()
            assert is_forgotten(loop), number
        if number > len(calls):
            return


@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_an_erasure_wins_over_what_had_begun_before_it(meanwhile: str) -> None:
    for number in count(1):
        with Loop() as loop, frozen_clock(NOW):
            live(loop)
            with frozen_clock(NOW + 2 * MINUTE_MS), intruding(number, erase) as calls:
                MEANWHILE[meanwhile](loop)
            assert number > len(calls) or is_forgotten(loop), number
        if number > len(calls):
            return


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_an_erasure_that_is_broken_off_anywhere_is_made_whole_by_the_next(interruption: Interruption) -> None:
    def run(breaking: Breaking) -> bool:
        with Loop() as loop, frozen_clock(NOW):
            live(loop)
            breaking.insist(erase)
            return is_forgotten(loop)

    found = [whole for _, whole in broken_at_every_call(interruption, run)]

    assert len(found) > 3
    assert all(found)


def test_what_waits_for_somebody_erased_is_told_nobody_and_is_no_failure(floor: Floor) -> None:
    spy = Spy("mail")
    reach(ANA, "mail")
    with channels(spy):
        with frozen_clock(NOW):
            floor.hear([request("press-1", at=NOW)])
            floor.run()
            assert floor.deliver(NOTIFY, [body_of(erased(), source="people")]) == []
        floor.go_on(NOW, 20, hears=[request("press-2", at=NOW + MINUTE_MS)])

    assert spy.sent == []
    assert floor.facts == []
    assert {one["message"]["kind"] for one in floor.decided} == {"now", "later"}
