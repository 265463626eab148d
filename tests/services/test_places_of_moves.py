"""Places of a machine that moved to another company: what is open goes with it, and of what was there nothing is told.

Acme does all that can be done about a machine, in words and by people of its own. Then the machine is Beta's. Whatever
Beta asks by whichever route, none of Acme's words, people and places come back; and the other way round.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.http.places import ELSEWHERE
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.memory import aws
from demo.people import LIZ, SARA
from tests.services.calls.samples import CATALOG
from tests.services.maintenance.samples import DIGEST, PHOTO
from tests.services.test_places import ACME as MACHINE
from tests.services.test_places import BY_ROWS, CALLS, COILS, OF_PLACES, Asked, about, send
from tests.support.samples import NOW
from tests.support.services.reports import AT
from tests.support.services.versions import LOCATION, equipment

HOUR_MS: Final = 3_600_000
MOVED_MS: Final = NOW + HOUR_MS
LOOKED_MS: Final = NOW + 2 * HOUR_MS

WORD: Final = "acme-word"
ACME_PERSON: Final = "acacacac-0000-4000-8000-000000000001"
OF_ACME: Final = (WORD, ACME_PERSON, LIZ, SARA, "gdl-1", "Acme", DIGEST)

BETA_WORD: Final = "beta-word"
BETA_PERSON: Final = "bebebebe-0000-4000-8000-000000000001"
OF_BETA: Final = (BETA_WORD, BETA_PERSON, "mty-1", "Beta")

AT_ACME: Final = ("admin", "at:Acme", "at:gdl-1")
AT_BETA: Final = ("admin", "at:Beta", "at:mty-1")
EVERYWHERE: Final = ("admin",)

AT_BETA_TOO: Final = times.to_utc(MOVED_MS + 60_000)
ORDER: Final = "/equipment/{id}/maintenance/{date}/{kind}"
DONE: Final = {"date": "2020-05-08", "kind": "grease"}
BODIES: Final = {
    "PUT /equipment/{id}/audits/{part}": {"result": "passed", "auditor": LIZ, "notes": WORD},
    "PUT /equipment/{id}/states/{timestamp}": {"state": "WARNING1", "detail": WORD},
    "PUT /equipment/{id}/instructions/{kind}": {"steps": [WORD]},
    "PUT /calls/{id}": {"equipmentId": MACHINE, "category": "material", "text": WORD},
    "PUT /equipment/{id}/episodes/{startedAt}/cause": {**COILS, "note": WORD},
    f"POST {ORDER}/readings": {"readings": {WORD: 1}},
    f"PUT {ORDER}/attachments/{{sha256}}": {"contentType": "image/jpeg", "bytes": len(PHOTO)},
}
ENDS: Final = {f"{verb} {version}/equipment/{{id}}" for verb in ("DELETE", "PUT") for version in ("", "/v2")}
"""They would end what the others look at; `test_places_of_writes.py` tries them."""

WRITES: Final = (
    "PUT /equipment/{id}/states/{timestamp}",
    *(f"PUT /equipment/{{id}}/logs/{{state}}/{{timestamp}}/{one}" for one in ("assignment", "escalation")),
    "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement",
    "PUT /equipment/{id}/audits/{part}",
    "PUT /equipment/{id}/instructions/{kind}",
    f"PUT {ORDER}",
    f"POST {ORDER}/start",
    f"POST {ORDER}/readings",
    f"PUT {ORDER}/attachments/{{sha256}}",
    "PUT /calls/{id}",
    "PUT /equipment/{id}/episodes/{startedAt}/cause",
)


def register(loop: Loop, company: str, factory: str, *, if_match: int | None = None) -> Answer:
    body = equipment() | {"factoryId": factory, "location": LOCATION | {"company": company}}
    return send(loop, "PUT /equipment/{id}", Asked({"id": MACHINE}, body=body, version=if_match), *EVERYWHERE)


def by_acme(loop: Loop, route: str, **path: str) -> Answer:
    asked = about(MACHINE)[route]
    given = {**asked.path, **path} | ({"sha256": DIGEST} if "sha256" in asked.path else {})
    body = BODIES.get(route, asked.body)
    return loop.request(route, path=given, body=body, groups=AT_ACME, subject=ACME_PERSON)


def live_at_acme(loop: Loop) -> None:
    """Do everything that can be done; one order ends, one stays open, and so does a call."""
    assert register(loop, "Acme", "gdl-1").status == 201
    for factory in ("gdl-1", "mty-1"):
        catalog = Asked({"factoryId": factory}, body=CATALOG)
        assert send(loop, "PUT /factories/{factoryId}/catalog", catalog, *EVERYWHERE).status == 201
    for person, factory in ((LIZ, "gdl-1"), (SARA, "gdl-1"), ("op-99", "mty-1"), ("sv-99", "mty-1")):
        named = Asked({"id": person}, body={"name": f"{person}'s name", "factoryId": factory})
        assert send(loop, "PUT /people/{id}", named, *EVERYWHERE).status == 201
    loop.run()
    for route in WRITES:
        answer = by_acme(loop, route)
        assert answer.status in {200, 201, 202}, (route, answer.body)
        if answer.status == 202:
            told = answer.body["upload"]
            aws.request(loop, told["method"], told["url"], headers=told["headers"], body=PHOTO)
            assert by_acme(loop, route).status == 201
        loop.run()
    for route in (f"PUT {ORDER}", f"POST {ORDER}/start", f"POST {ORDER}/finish"):
        assert by_acme(loop, route, **DONE).status in {200, 201}
    loop.run()


@pytest.fixture(scope="module", autouse=True)
def moved(loop: Loop) -> Iterator[None]:
    live_at_acme(loop)
    with frozen_clock(MOVED_MS):
        assert register(loop, "Beta", "mty-1", if_match=1).status == 200
        loop.run()
    with frozen_clock(LOOKED_MS):
        yield


def asked_of(route: str) -> Asked:
    """A request about the machine, with people of no company in its body."""
    asked = about(MACHINE).get(route) or OF_PLACES[route]
    text = json.dumps([asked.path, asked.query, asked.body]).replace(SARA, "sv-99").replace(LIZ, "op-99")
    path, query, body = json.loads(text.replace("gdl-1", "mty-1").replace("Acme", "Beta"))
    return Asked(path, query, body, asked.version)


def told_in(answer: Answer, words: tuple[str, ...]) -> list[str]:
    said = json.dumps([answer.body, dict(answer.headers)])
    return [word for word in words if word in said]


LISTS: Final = {
    "GET /operators/{operator}/logs": {"operator": LIZ},
    "GET /supervisors/{supervisor}/escalations": {"supervisor": SARA},
    "GET /board/{company}": {"company": "Beta"},
    "GET /factories/{factoryId}/catalog": {"factoryId": "gdl-1"},
    "GET /calls/{id}/tellings": {"id": CALLS[MACHINE]},
    "GET /people/{id}": {"id": LIZ},
}


def test_each_list_that_leaves_rows_out_is_tried() -> None:
    untried = {one for one in BY_ROWS if one.startswith("GET") and one not in LISTS}

    assert untried == {"GET /people", "GET /people/{id}/contact", "GET /people/{id}/tellings"}  # of no machine


@pytest.mark.parametrize("route", sorted(one for one in {**about(MACHINE), **OF_PLACES} if one.startswith("GET ")))
@pytest.mark.parametrize("group", ["at:Beta", "at:mty-1", "at:mty-1:line-3"])
def test_nothing_of_the_company_before_is_read(loop: Loop, route: str, group: str) -> None:
    asked = asked_of(route)

    answer = send(loop, route, asked, "admin", group)

    assert told_in(answer, OF_ACME) == []
    limited = send(loop, route, asked, "admin", group, query={**asked.query, "limit": "1"})
    assert told_in(limited, OF_ACME) == []
    earlier = send(loop, route, asked, "admin", group, query={**asked.query, "asOf": AT})
    assert told_in(earlier, OF_ACME) == []


@pytest.mark.parametrize("route", sorted(LISTS))
def test_nothing_of_the_company_before_is_listed(loop: Loop, route: str) -> None:
    answer = send(loop, route, Asked(LISTS[route]), *AT_BETA)

    assert set(told_in(answer, OF_ACME)) <= {*LISTS[route].values()}


@pytest.mark.parametrize("route", sorted(one for one in {*about(MACHINE)} - ENDS if not one.startswith("GET ")))
@pytest.mark.parametrize("version", [None, 1])
def test_no_write_is_answered_with_what_was_there(loop: Loop, route: str, version: int | None) -> None:
    asked = asked_of(route)
    answer = send(loop, route, Asked(asked.path, asked.query, asked.body, version), *AT_BETA)

    assert told_in(answer, OF_ACME) == []
    if "{timestamp}" in route or "{startedAt}" in route:
        assert answer.status == 403


def test_who_is_everywhere_reads_all_of_it(loop: Loop) -> None:
    logs = send(loop, "GET /equipment/{id}/logs", Asked({"id": MACHINE}), *EVERYWHERE)
    told = send(loop, f"GET {ORDER}/attachments", asked_of(f"GET {ORDER}/attachments"), *EVERYWHERE)

    assert logs.body["items"][-1]["detail"] == WORD
    assert [one["addedBy"] for one in told.body["items"]] == [ACME_PERSON]


@pytest.fixture
def both() -> Iterator[Loop]:
    """The same, for whoever ends something."""
    with Loop() as loop:
        with frozen_clock(NOW):
            live_at_acme(loop)
        with frozen_clock(MOVED_MS):
            register(loop, "Beta", "mty-1", if_match=1)
            loop.run()
        with frozen_clock(LOOKED_MS):
            yield loop


ANSWERS: Final = {
    "PUT /calls/{id}/taker": None,
    "PUT /calls/{id}/closure": {**COILS, "note": BETA_WORD},
    "PUT /calls/{id}/rejection": {"reason": BETA_WORD},
}


def test_who_is_where_a_machine_stands_sees_that_a_call_is_open_and_answers_it(both: Loop) -> None:
    def by_beta(route: str, path: dict[str, str], body: object = None, version: int | None = None) -> Answer:
        return send(both, route, Asked(path, body=body, version=version), *AT_BETA, subject=BETA_PERSON)

    another = {"id": "00000000-0000-0000-0000-00000000be7a"}
    asked = {"equipmentId": MACHINE, "category": "material"}
    refused = by_beta("PUT /calls/{id}", another, asked)
    [listed] = by_beta("GET /equipment/{id}/calls", {"id": MACHINE}).body["items"]
    [shown] = by_beta("GET /equipment/{id}/board", {"id": MACHINE}).body["calls"]

    assert (refused.status, refused.body["call"]) == (409, listed)
    assert listed == by_beta("GET /calls/{id}", {"id": listed["id"]}).body
    assert listed == {"equipmentId": MACHINE} | shown
    assert {*listed} == {"id", "version", "equipmentId", "category", "priority", "status", "raisedAt"}
    for number, (route, body) in enumerate(ANSWERS.items()):
        path = CALLS[MACHINE] if number < 2 else another["id"]
        if number == 2:  # nothing is in the way any more
            assert by_beta("PUT /calls/{id}", another, asked).status == 201
        answered = by_beta(route, {"id": path}, body, 1 + number % 2)
        assert (answered.status, told_in(answered, OF_ACME)) == (200, [])
        both.run()
    for path in (CALLS[MACHINE], another["id"]):
        gone = send(both, "GET /calls/{id}", Asked({"id": path}), *AT_ACME)
        assert (gone.status, gone.body["detail"]) == (403, ELSEWHERE)


def test_who_raised_a_call_still_answers_it_and_nobody_there_is_told(both: Loop) -> None:
    path = {"id": CALLS[MACHINE]}

    own = send(both, "GET /calls/{id}", Asked(path), *AT_ACME)
    closed = send(both, "PUT /calls/{id}/closure", Asked(path, body={**COILS, "note": WORD}, version=1), *AT_ACME)

    assert (own.status, own.body["text"], closed.status) == (200, WORD, 200)
    assert send(both, "GET /calls/{id}", Asked(path), *AT_BETA).status == 403
    assert send(both, "GET /equipment/{id}/calls", Asked({"id": MACHINE}), *AT_BETA).body["items"] == []


def test_who_is_where_a_machine_stands_ends_its_orders_and_says_anew_what_is_to_be_done(both: Loop) -> None:
    def by_beta(route: str, **parts: Any) -> Answer:  # noqa: ANN401
        answer = send(both, route, asked_of(route), *AT_BETA, subject=BETA_PERSON, **parts)
        assert told_in(answer, OF_ACME) == []
        return answer

    order = by_beta(f"GET {ORDER}").body

    assert {"factoryId", "changedBy"}.isdisjoint(order)
    assert by_beta("GET /equipment/{id}/instructions/{kind}").status == 404
    assert by_beta("PUT /equipment/{id}/instructions/{kind}", body={"steps": [BETA_WORD]}).status in {200, 201}
    assert by_beta("GET /equipment/{id}/instructions/{kind}").body["steps"] == [BETA_WORD]
    audit = "/equipment/{id}/audits/{part}"
    assert by_beta(f"PUT {audit}", headers={}).status in {200, 201}
    assert by_beta(f"GET {audit}").status == 200
    assert by_beta(f"POST {ORDER}/finish", body={"result": "done"}).status == 200
    assert by_beta(f"GET {ORDER}").body["changedBy"] == BETA_PERSON
    assert len(by_beta(f"GET {ORDER}/versions").body["items"]) == 1


def test_who_has_another_companys_digest_uploads_the_bytes_as_if_nobody_had_them(both: Loop) -> None:
    route = f"PUT {ORDER}/attachments/{{sha256}}"
    asked = about(MACHINE)[route]
    put = Asked({**asked.path, "sha256": DIGEST}, body=BODIES[route])

    answer = send(both, route, put, *AT_BETA, subject=BETA_PERSON)

    assert answer.status == 202
    assert send(both, f"GET {ORDER}/attachments", asked_of(f"GET {ORDER}/attachments"), *AT_BETA).body["items"] == []


@pytest.mark.parametrize("by", ["v1", "v2"])
def test_a_machine_that_comes_back_is_that_companys_from_then_on(both: Loop, by: str) -> None:
    route = "/equipment/{id}" if by == "v1" else "/v2/equipment/{id}"
    body = asked_of(f"PUT {route}").body
    text = json.dumps(body).replace("mty-1", "gdl-1").replace("Beta", "Acme")
    back = Asked({"id": MACHINE}, body=json.loads(text), version=2)

    with frozen_clock(LOOKED_MS + HOUR_MS):
        said = send(
            both,
            "PUT /equipment/{id}/instructions/{kind}",
            asked_of("PUT /equipment/{id}/instructions/{kind}"),
            *AT_BETA,
            subject=BETA_PERSON,
            body={"steps": [BETA_WORD]},
        )
        assert said.status in {200, 201}
        both.run()
    with frozen_clock(LOOKED_MS + 2 * HOUR_MS):
        assert send(both, f"PUT {route}", back, *EVERYWHERE).status == 200
        both.run()
        for read in (one for one in about(MACHINE) if one.startswith("GET ")):
            answer = send(both, read, about(MACHINE)[read], *AT_ACME)
            assert told_in(answer, OF_BETA) == [], read
