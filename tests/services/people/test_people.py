"""Names stand in the people table, may be changed there, and are answered to whoever may read them."""

import json

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from tests.support.samples import NOW
from tests.support.services.people import FIND, NAME, OF_FACTORY, erase, find, get, of_factory, put

NO_ID = "must be the id of a person: a UUID, or a badge such as op-17, and no name"
SUBJECT = "3f6d2c1e-8f0a-4b57-9a53-0c7d1f1e2a44"


@pytest.mark.parametrize("subject", ["1047", "op-99", "sv03", SUBJECT])
def test_a_person_is_written_down_and_found_by_badge_or_subject(loop: Loop, subject: str) -> None:
    answer = put(loop, subject, subject="a supervisor")

    said = {"id": subject, "version": 1, "name": NAME, "factoryId": "gdl-1"}
    assert (answer.status, answer.headers["etag"]) == (201, '"1"')
    assert {**answer.body, **said, "changedBy": "a supervisor"} == answer.body
    found = get(loop, subject)
    assert (found.status, found.headers["etag"], found.body) == (200, '"1"', answer.body)


@pytest.mark.parametrize("wrong", ["Ana", "ana-lopez", "Op-17", "op-1", "op_17", "op-17 ", SUBJECT.upper(), "١٠٤٧"])
def test_an_id_that_could_be_a_name_is_refused_everywhere(loop: Loop, wrong: str) -> None:
    answers = [put(loop, wrong), get(loop, wrong), erase(loop, wrong), loop.request(FIND, query={"ids": wrong})]

    assert [answer.status for answer in answers] == [400] * 4
    assert {error["detail"] for answer in answers for error in answer.body["errors"]} == {NO_ID}


def test_a_name_is_changed_with_the_version_that_was_read_and_the_name_before_is_nowhere(
    loop: Loop, person_id: str
) -> None:
    put(loop, person_id, "Before Her")
    assert put(loop, person_id, "Other").status == 428

    with frozen_clock(NOW + 1):
        assert put(loop, person_id, if_match=1).headers["etag"] == '"2"'
        assert put(loop, person_id, "Other", if_match=1).status == 412

    assert get(loop, person_id).body["name"] == NAME
    assert "Before Her" not in json.dumps([loop.rows(table) for table in loop.schemas], default=str)


def test_a_retry_is_answered_as_the_first_time(loop: Loop, person_id: str, wire: Wire) -> None:
    first, again = put(loop, person_id), put(loop, person_id)

    assert (again.status, again.body) == (first.status, first.body) == (201, first.body)
    assert wire.operations == ["TransactWriteItems"] * 2


def test_people_are_found_in_the_order_asked_for_each_once_and_nothing_is_said_of_unknown_ones(
    loop: Loop, person_id: str
) -> None:
    put(loop, person_id)
    put(loop, f"{person_id}0", "Second")
    erase(loop, f"{person_id}0")

    found = find(loop, f"{person_id}0", "op-000000", person_id, person_id)

    assert found == [{"id": f"{person_id}0", "erased": True}, get(loop, person_id).body]


def test_a_hundred_people_are_one_request_and_one_more_is_refused(loop: Loop, person_id: str, wire: Wire) -> None:
    assert find(loop, *(f"{person_id}{number:03}" for number in range(100))) == []
    assert wire.operations == ["BatchGetItem"]

    more = ",".join(f"{person_id}{number:03}" for number in range(101))
    assert loop.request(FIND, query={"ids": more}).status == 400
    assert loop.request(FIND, query={"ids": ""}).status == 400
    assert loop.request(FIND).status == 400


def test_a_factorys_people_are_listed_by_the_page_without_the_erased_and_those_who_left(
    loop: Loop, person_id: str
) -> None:
    factory = f"factory-{person_id}"
    ids = [f"op-{number}" for number in range(770001, 770008)]
    for one in ids:
        put(loop, one, factory_id=factory)
    erase(loop, ids[2])
    with frozen_clock(NOW + 1):
        assert put(loop, ids[4], if_match=1, factory_id="another").status == 200

    left = [*ids[:2], ids[3], *ids[5:]]
    assert [of_factory(loop, factory, limit=limit) for limit in (1, 2, 100)] == [left] * 3


def test_nobody_unknown_is_found(loop: Loop, person_id: str) -> None:
    assert get(loop, person_id).status == 404
    assert of_factory(loop, "nobody-works-here") == []


def test_no_answer_about_people_is_kept_on_its_way_refusals_included(loop: Loop, person_id: str) -> None:
    answers = [
        put(loop, person_id),
        put(loop, person_id, "Other"),
        put(loop, person_id, groups=["operator"]),
        get(loop, person_id),
        get(loop, "Ana"),
        get(loop, "op-000000"),
        loop.request(FIND, query={"ids": person_id}),
        loop.request(OF_FACTORY, path={"factoryId": "gdl-1"}),
        erase(loop, person_id),
    ]

    assert {answer.headers.get("cache-control") for answer in answers} == {"no-store"}
