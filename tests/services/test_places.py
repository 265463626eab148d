"""Places: what a caller who is limited to some may do at each route, and that nothing of others comes to it.

Two companies: Acme with the factories gdl-1 and gdl-2, Beta with mty-1. Whatever a caller of Beta asks of Acme is
refused in the words in which what nobody knows is refused, and changes nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from andon.http.limits import EVERYWHERE_ONLY
from andon.http.places import ELSEWHERE, VARIABLE
from andon.packages.discovery import apis, owner_of_route
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event
from andon.testing.loop import Answer, Loop
from andon.testing.memory.tables import Partitions
from demo.people import LIZ, OLGA, SARA
from tests.services.calls.samples import CATALOG
from tests.support.services.reports import AT, acknowledge, assign, escalate, log_path, report, staff
from tests.support.services.versions import LOCATION, audit, equipment

ACME, BETA = "press-a", "press-b"
NOBODY = "press-x"
"""Nobody registered it."""

AT_ACME: Final = ("at:Acme", "at:gdl-1", "at:gdl-1:line-3")
AT_BETA: Final = ("at:Beta", "at:mty-1", "at:mty-1:line-3", "at:nowhere", "at:", "at:gdl-1:line-4", "at:gdl-1:", "at::")

PUT_BODY: Final = equipment("stolen") | {"factoryId": "mty-1", "location": LOCATION | {"company": "Beta"}}
LEVELS: Final = [{"level": "company", "name": "Beta"}]

CALLS: Final = {
    one: f"00000000-0000-0000-0000-{number:012}" for number, one in enumerate((ACME, BETA, "press-c", NOBODY))
}
COILS: Final = {"cause": "out-of-coils"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request about a thing; `of`: the member of the path, or of the query, that says which."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    version: int | None = None


def about(equipment_id: str) -> dict[str, Asked]:
    """Return a request to each route that is about a piece of equipment."""
    path, log, part = {"id": equipment_id}, log_path(equipment_id), {"id": equipment_id, "part": "_"}
    days = {"from": "2020-04-01", "to": "2020-04-30"}
    crew = {"crew": {"lead": LIZ, "members": []}}
    machine = {name: value for name, value in PUT_BODY.items() if name != "location"} | {"levels": LEVELS}
    logs = "/equipment/{id}/logs/{state}/{timestamp}"
    order, planned = "/equipment/{id}/maintenance/{date}/{kind}", path | {"date": "2020-05-09", "kind": "oil"}
    instructions, kind = "/equipment/{id}/instructions/{kind}", path | {"kind": "oil"}
    call, episode = {"id": CALLS[equipment_id]}, path | {"startedAt": AT}
    reads = {
        f"GET {prefix}/equipment/{{id}}{rest}": Asked(path)
        for prefix, rest in (("", ""), ("", "/versions"), ("/v2", ""), ("/v2", "/versions"), ("", "/audits"))
    }
    return reads | {
        "PUT /equipment/{id}": Asked(path, body=PUT_BODY, version=1),
        "DELETE /equipment/{id}": Asked(path, version=1),
        "POST /equipment/{id}/rollback": Asked(path, body={"toVersion": 1}, version=1),
        "PUT /v2/equipment/{id}": Asked(path, body=machine, version=1),
        "DELETE /v2/equipment/{id}": Asked(path, version=1),
        "POST /v2/equipment/{id}/rollback": Asked(path, body={"toVersion": 1}, version=1),
        "GET /equipment/{id}/versions/{n}": Asked(path | {"n": "1"}),
        "GET /v2/equipment/{id}/versions/{n}": Asked(path | {"n": "1"}),
        "PUT /equipment/{id}/audits/{part}": Asked(part, body={"result": "passed", "auditor": OLGA}, version=1),
        "GET /equipment/{id}/audits/{part}": Asked(part),
        "GET /equipment/{id}/audits/{part}/revisions": Asked(part),
        "GET /equipment/{id}/audits/{part}/revisions/{n}": Asked(part | {"n": "1"}),
        "GET /equipment/{id}/states/latest": Asked(path),
        "GET /equipment/{id}/states": Asked(path),
        "PUT /equipment/{id}/states/{timestamp}": Asked(path | {"timestamp": AT}, body={"state": "WARNING1"}),
        "GET /equipment/{id}/logs": Asked(path),
        "GET /equipment/{id}/episodes": Asked(path),
        "GET /equipment/{id}/board": Asked(path),
        f"PUT {logs}/assignment": Asked(log, body={"operator": LIZ}, version=1),
        f"GET {logs}/assignment": Asked(log),
        f"PUT {logs}/escalation": Asked(log, body={"supervisor": SARA}, version=1),
        f"GET {logs}/escalation": Asked(log),
        f"PUT {logs}/acknowledgement": Asked(log),
        f"GET {logs}/acknowledgement": Asked(log),
        f"PUT /v2{logs}/assignment": Asked(log, body=crew, version=1),
        f"GET /v2{logs}/assignment": Asked(log),
        "GET /equipment/{id}/maintenance": Asked(path),
        f"PUT {order}": Asked(planned, body={}),
        f"GET {order}": Asked(planned),
        f"GET {order}/versions": Asked(planned),
        f"POST {order}/start": Asked(planned),
        f"GET {order}/readings": Asked(planned),
        f"POST {order}/readings": Asked(planned, body={"readings": {"pressure": 1}}),
        f"GET {order}/attachments": Asked(planned),
        f"PUT {order}/attachments/{{sha256}}": Asked(
            planned | {"sha256": "0" * 64}, body={"contentType": "image/png", "bytes": 1}
        ),
        f"POST {order}/finish": Asked(planned, body={"result": "skipped"}),
        f"PUT {instructions}": Asked(kind, body={"steps": ["Look."]}),
        f"GET {instructions}": Asked(kind),
        f"GET {instructions}/versions": Asked(kind),
        f"GET {instructions}/versions/{{n}}": Asked(kind | {"n": "1"}),
        "GET /equipment/{id}/overdue": Asked(path),
        "GET /equipment/{id}/tellings": Asked(path),
        "PUT /calls/{id}": Asked(call, body={"equipmentId": equipment_id, "category": "material"}),
        "GET /calls/{id}": Asked(call),
        "PUT /calls/{id}/taker": Asked(call, version=1),
        "PUT /calls/{id}/closure": Asked(call, body=COILS, version=1),
        "PUT /calls/{id}/rejection": Asked(call, body={"reason": "It was a drill."}, version=1),
        "GET /equipment/{id}/calls": Asked(path),
        "PUT /equipment/{id}/episodes/{startedAt}/cause": Asked(episode, body=COILS),
        "GET /equipment/{id}/episodes/{startedAt}/cause": Asked(episode),
        "GET /archive/equipment/{id}": Asked(path, query=days),
        "POST /archive/equipment/{id}/rehydrations": Asked(path, body=days),
        "GET /archive/equipment/{id}/rehydrations/{job}": Asked(path | {"job": "0" * 32}),
    }


CHAINS: Final = "PUT /factories/{factoryId}/chains"

OF_PLACES: Final = {
    "PUT /factories/{factoryId}/roster": Asked(
        {"factoryId": "gdl-1"}, body={"operators": [OLGA], "supervisor": SARA}, version=1
    ),
    "GET /factories/{factoryId}/roster": Asked({"factoryId": "gdl-1"}),
    CHAINS: Asked({"factoryId": "gdl-1"}, body={"chains": []}, version=1),
    "GET /factories/{factoryId}/chains": Asked({"factoryId": "gdl-1"}),
    "GET /factories/{factoryId}/people": Asked({"factoryId": "gdl-1"}),
    "GET /factories/{factoryId}/agenda": Asked({"factoryId": "gdl-1"}),
    "GET /factories/{factoryId}/agenda/{date}": Asked({"factoryId": "gdl-1", "date": "2020-05-09"}),
    "PUT /factories/{factoryId}/catalog": Asked({"factoryId": "gdl-1"}, body=CATALOG, version=1),
    "GET /factories/{factoryId}/calls": Asked({"factoryId": "gdl-1"}),
    "GET /board/{company}/changes": Asked({"company": "Acme"}),
}

# Lists of which foreign rows are left out, what is decided by several rows, and what is for the person alone: each has
# tests of its own.
BY_ROWS: Final = {
    "POST /states",
    "POST /acknowledgements",
    "GET /operators/{operator}/logs",
    "GET /supervisors/{supervisor}/escalations",
    "GET /board/{company}",
    "GET /factories/{factoryId}/catalog",
    "PUT /people/{id}",
    "GET /people/{id}",
    "GET /people",
    "DELETE /people/{id}",
    "GET /people/{id}/contact",
    "PUT /people/{id}/contact",
    "GET /calls/{id}/tellings",
    "GET /people/{id}/tellings",
    "POST /people/{id}/contact/{channel}/code",
    "POST /people/{id}/contact/{channel}/test",
    "PUT /people/{id}/contact/{channel}/verified",
}

ROUTES: Final = {route: package for package in apis() for route in package.routes if route not in package.public}
LIMITED: Final = {route for route, package in ROUTES.items() if package.limits[route] is not None}


@pytest.fixture(scope="module", autouse=True)
def factories(loop: Loop) -> None:
    """One machine of each company, with a log that somebody sees to; and a second factory of Acme."""
    places = ((ACME, "Acme", "gdl-1", LIZ), (BETA, "Beta", "mty-1", OLGA), ("press-c", "Acme", "gdl-2", LIZ))
    for equipment_id, company, factory, operator in places:
        body = equipment() | {"factoryId": factory, "location": LOCATION | {"company": company}}
        assert loop.request("PUT /equipment/{id}", path={"id": equipment_id}, body=body).status == 201
        report(loop, equipment_id)
        loop.run()
        assign(loop, equipment_id, operator)
        escalate(loop, equipment_id, SARA)
        acknowledge(loop, equipment_id)
        audit(loop, equipment_id)
        staff(loop, factory, operators=[operator])
        assert send(loop, CHAINS, Asked({"factoryId": factory}, body={"chains": []}), "admin").status == 201
        for write in ("PUT /equipment/{id}/maintenance/{date}/{kind}", "PUT /equipment/{id}/instructions/{kind}"):
            assert send(loop, write, about(equipment_id)[write], "admin").status == 201
        loop.run()
        call(loop, equipment_id, factory)


def call(loop: Loop, equipment_id: str, factory: str) -> None:
    """Raise a call by the catalog of the factory, and say what trouble was."""
    catalog = Asked({"factoryId": factory}, body=CATALOG)
    assert send(loop, "PUT /factories/{factoryId}/catalog", catalog, "admin").status == 201
    for route in ("PUT /calls/{id}", "PUT /equipment/{id}/episodes/{startedAt}/cause"):
        assert send(loop, route, about(equipment_id)[route], "admin").status == 201


def send(loop: Loop, route: str, asked: Asked, *groups: str, **more: Any) -> Answer:  # noqa: ANN401
    headers = {} if asked.version is None else {"if-match": f'"{asked.version}"'}
    parts = {"path": asked.path, "query": asked.query, "body": asked.body, "headers": headers, "groups": groups}
    return loop.request(route, **parts | more)


def content(loop: Loop) -> dict[str, Partitions]:
    """All that is stored; a row that is written is another one."""
    return {name: table.partitions for name, table in loop.tables.items()}


def test_each_route_that_says_how_it_is_limited_is_tried_here() -> None:
    assert {*about(ACME)} | {*OF_PLACES} | BY_ROWS == LIMITED


@pytest.mark.parametrize("group", [*AT_ACME, "at:"])
@pytest.mark.parametrize("route", sorted({*ROUTES} - LIMITED))
def test_a_route_that_says_nothing_is_for_callers_who_are_everywhere(route: str, group: str) -> None:
    package, role = owner_of_route(route)
    event = http_event(route, groups=["admin", group], query={"unknown": "x"})

    response = package.handler(role)(event, LocalContext("f"))

    assert (response["statusCode"], json.loads(response["body"])["detail"]) == (403, EVERYWHERE_ONLY)


@pytest.mark.parametrize("group", AT_BETA)
@pytest.mark.parametrize("route", sorted({*about(ACME)}))
def test_what_is_elsewhere_is_refused_as_what_nobody_knows_is_and_stays_as_it_was(
    loop: Loop, route: str, group: str
) -> None:
    before = content(loop)

    answer = send(loop, route, about(ACME)[route], "admin", group)

    assert answer.status == 403
    assert content(loop) == before
    assert "errors" not in answer.body
    creates = route in {"PUT /equipment/{id}", "PUT /v2/equipment/{id}"} and group in AT_BETA[:3]
    if not creates:  # that one registers it
        unknown = send(loop, route, about(NOBODY)[route], "admin", group)
        assert (unknown.status, unknown.body) == (answer.status, answer.body)
        assert answer.body["detail"] in {ELSEWHERE, "You may not report for this equipment."}


@pytest.mark.parametrize("group", [*AT_BETA, "at:Acme:gdl-1", "at:gdl-2", "at:GDL-1"])
@pytest.mark.parametrize("route", sorted(OF_PLACES))
def test_a_place_is_for_whoever_is_there(loop: Loop, route: str, group: str) -> None:
    before = content(loop)

    answer = send(loop, route, OF_PLACES[route], "admin", group)

    assert (answer.status, answer.body["detail"]) == (403, ELSEWHERE)
    assert content(loop) == before


@pytest.mark.parametrize("group", AT_ACME)
@pytest.mark.parametrize("route", sorted(route for route in about(ACME) if route.startswith("GET ")))
def test_who_is_there_reads_what_who_is_everywhere_reads(loop: Loop, route: str, group: str) -> None:
    asked = about(ACME)[route]

    answer = send(loop, route, asked, "admin", group)

    assert answer == send(loop, route, asked, "admin") == send(loop, route, asked, "admin", "at:nowhere", "at:*")
    assert answer.status in ({200, 404} if "rehydrations" in route else {200})


@pytest.mark.parametrize("route", sorted(OF_PLACES))
def test_a_factory_or_a_company_is_read_by_whoever_is_there(loop: Loop, route: str) -> None:
    asked = OF_PLACES[route]
    place = next(iter(asked.path.values()))
    if route.startswith("GET "):
        there = send(loop, route, asked, "admin", f"at:{place}")
        assert there.status == send(loop, route, asked, "admin").status == 200


@pytest.mark.parametrize("route", sorted(LIMITED))
def test_where_places_are_required_who_has_none_is_nowhere(
    monkeypatch: pytest.MonkeyPatch, loop: Loop, route: str
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    asked = (about(ACME) | OF_PLACES).get(route)

    if asked is not None:
        assert send(loop, route, asked, "admin").status == 403


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_where_places_are_required_an_admin_who_is_everywhere_still_passes(
    monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    package, role = owner_of_route(route)
    event = http_event(route, groups=["admin", "at:*"], query={"unknown": "x"})

    assert package.handler(role)(event, LocalContext("f"))["statusCode"] == 400
