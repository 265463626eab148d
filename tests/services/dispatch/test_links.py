"""The link of a message: whoever has it says that a person has seen logs, and nothing else, until it expires."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import pytest

from andon.outbound.links import Link, sign
from andon.outbound.variables import DEFAULT_LINK_HOURS, LINK_ORIGIN
from andon.packages.discovery import owner_of_route
from andon.runtime import times
from andon.runtime.clock import HOUR_MS
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import http_event
from andon.testing.log_lines import logged
from andon.testing.loop import Answer, Loop
from contract import links
from contract.entities.logs import LogRef
from contract.log_rows import log_of
from tests.support.samples import NOW
from tests.support.services.reports import ACKNOWLEDGEMENT, acknowledge, log_path

ROUTE: Final = "POST /links/seen"
KEY: Final = b"k" * 32
PREVIOUS: Final = b"p" * 32
ANA: Final = "op-17"
ORIGIN: Final = "https://andon.example"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(links, "keys", lambda: (KEY, PREVIOUS))
    monkeypatch.setenv(LINK_ORIGIN, ORIGIN)
    with frozen_clock(NOW):
        yield


def logs(equipment_id: str, *minutes: int) -> list[LogRef]:
    return [log_of(equipment_id, "ERROR", times.to_utc(NOW - minute * 60_000)) for minute in minutes]


def token_to(*about: LogRef, person: str = ANA) -> str:
    """Return the token of the link in a message."""
    link = links.link_to(person, about, longest=2_000, now_ms=NOW)
    assert link is not None
    origin, found, token = link.partition(links.FRAGMENT)
    assert (origin, bool(found)) == (f"{ORIGIN}/", True)
    return token


def post(loop: Loop, body: object) -> Answer:
    """Post it as a browser does that nobody has signed in to."""
    event = http_event(ROUTE, body=body)
    del event["requestContext"]["authorizer"]
    return loop.call(event)


def seen(loop: Loop, *about: LogRef, **of: str) -> Answer:
    return post(loop, {"token": token_to(*about, **of)})


def test_a_link_acknowledges_what_it_names_for_whom_it_was_sent_to(loop: Loop, equipment_id: str) -> None:
    about = logs(equipment_id, 1, 2)
    loop.run()

    answer = seen(loop, *about)

    assert (answer.status, answer.body["person"]) == (200, ANA)
    said = [{name: one[name] for name in about[0]} for one in answer.body["items"]]
    assert said == about
    facts = [one["detail"] for one in loop.run() if one["detail-type"] == "state-acknowledged"]
    assert {(one["acknowledgement"]["acknowledgedBy"], one["acknowledgement"]["via"]) for one in facts} == {
        (ANA, "link")
    }
    assert {one["tags"]["actor"] for one in facts} == {ANA}
    assert len(facts) == 2


def test_the_second_one_reads_who_was_first_and_changes_nothing(loop: Loop, equipment_id: str) -> None:
    by_hand, by_link = logs(equipment_id, 1, 2)
    path = log_path(equipment_id, "ERROR", by_hand["timestamp"])
    first = acknowledge(loop, equipment_id, path=path, subject="00000000-0000-0000-0000-000000000001").body
    luis = seen(loop, by_link, person="op-18").body["items"]
    before = loop.rows("DISPATCH_TABLE")

    answer = seen(loop, by_hand, by_link)

    assert answer.body["items"] == [first, *luis]
    assert "via" not in first
    assert seen(loop, by_hand, by_link) == answer
    assert loop.rows("DISPATCH_TABLE") == before
    assert loop.request(ACKNOWLEDGEMENT, path=path).body == first


def test_what_was_not_signed_for_this_is_gone_and_changes_nothing(loop: Loop, equipment_id: str) -> None:
    [log] = logs(equipment_id, 1)
    reference, expires = links.reference_of(log), (NOW + HOUR_MS) // 1000
    good = token_to(log)
    before = loop.rows("DISPATCH_TABLE")

    tokens = {
        "changed": good[:-1] + ("A" if good[-1] != "A" else "B"),
        "for another purpose": sign(Link(ANA, (reference,), expires), purpose="told", key=KEY),
        "by another key": sign(Link(ANA, (reference,), expires), purpose=links.PURPOSE, key=b"x" * 32),
        "expired": sign(Link(ANA, (reference,), NOW // 1000), purpose=links.PURPOSE, key=KEY),
        "nothing": "x",
    }
    answers = {why: post(loop, {"token": token}) for why, token in tokens.items()}

    assert {why: answer.status for why, answer in answers.items()} == dict.fromkeys(tokens, HTTPStatus.GONE)
    assert len({answer.body["detail"] for answer in answers.values()}) == 1, "nobody learns from a guess"
    assert loop.rows("DISPATCH_TABLE") == before
    with frozen_clock(NOW + DEFAULT_LINK_HOURS * HOUR_MS):
        assert post(loop, {"token": good}).status == HTTPStatus.GONE
    assert post(loop, {"token": good}).status == HTTPStatus.OK


def test_the_key_of_before_counts_until_what_it_signed_has_expired(loop: Loop, equipment_id: str) -> None:
    references = tuple(map(links.reference_of, logs(equipment_id, 1)))
    link = Link(ANA, references, (NOW + HOUR_MS) // 1000)

    assert post(loop, {"token": sign(link, purpose=links.PURPOSE, key=PREVIOUS)}).status == HTTPStatus.OK


def test_without_a_key_no_link_counts(loop: Loop, equipment_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_to(*logs(equipment_id, 1))
    monkeypatch.undo()

    assert links.keys() == ()
    with frozen_clock(NOW):
        assert post(loop, {"token": token}).status == HTTPStatus.GONE


@pytest.mark.parametrize(
    "body", [None, {}, [], {"token": ""}, {"token": 1}, {"token": "A" * 2_049}, {"token": "A", "person": "op-18"}]
)
def test_what_is_no_token_is_refused(loop: Loop, body: object) -> None:
    assert post(loop, body).status == HTTPStatus.BAD_REQUEST


def test_no_log_line_has_anything_of_a_token(loop: Loop, equipment_id: str) -> None:
    token = token_to(*logs(equipment_id, 1))

    with logged() as lines:
        answers = [post(loop, {"token": one}).status for one in (token, f"{token}A", token * 40)]

    assert answers == [200, 410, 400]
    said = json.dumps(lines)
    assert ROUTE in said, "refusals are logged"
    assert token[:12] not in said
    assert ANA not in said


def test_a_token_in_place_of_a_caller_opens_no_other_route(loop: Loop, equipment_id: str) -> None:
    package, _ = owner_of_route(ROUTE)
    others = [route for route in package.routes if route not in package.public]

    for route in others:
        event = http_event(route, body={"token": token_to(*logs(equipment_id, 1))})
        del event["requestContext"]["authorizer"]
        assert loop.call(event).status == HTTPStatus.FORBIDDEN
    assert len(others) > 5


def test_as_many_logs_as_fit_are_named_and_an_id_may_have_blanks(loop: Loop) -> None:
    about = [log for number in range(200) for log in logs(f"press {number}", 1)]

    short = links.link_to(ANA, about, longest=200, now_ms=NOW)
    named = post(loop, {"token": token_to(*about)}).body["items"]

    assert short is not None
    assert len(short.partition("#a=")[2]) <= 200
    assert [one["equipmentId"] for one in named] == [one["equipmentId"] for one in about[: len(named)]]
    assert 20 < len(named) < 100
    assert links.link_to(ANA, about, longest=10, now_ms=NOW) == f"{ORIGIN}/"
    assert links.link_to(ANA, [], longest=200, now_ms=NOW) == f"{ORIGIN}/"
    assert links.link_to(ANA, [], longest=200, now_ms=NOW, language="es") == f"{ORIGIN}/?lang=es"
