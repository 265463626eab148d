"""Permissions: each group at each route, and the equipment for which a device and a gateway report."""

import pytest

from andon.packages.discovery import apis, owner_of_route
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event
from contract import groups

GROUPS = {route: groups for package in apis() for route, groups in package.routes.items() if groups}
ROUTES = sorted(GROUPS)

WRITERS = {
    "PUT /equipment/{id}": {"operator"},
    "DELETE /equipment/{id}": {"operator"},
    "POST /equipment/{id}/rollback": {"operator"},
    "PUT /v2/equipment/{id}": {"operator"},
    "DELETE /v2/equipment/{id}": {"operator"},
    "POST /v2/equipment/{id}/rollback": {"operator"},
    "PUT /equipment/{id}/audits/{part}": {"auditor"},
    "PUT /equipment/{id}/states/{timestamp}": {"device", "gateway", "operator"},
    "POST /states": {"device", "gateway", "operator"},
    "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment": {"operator", "supervisor"},
    "PUT /equipment/{id}/logs/{state}/{timestamp}/escalation": {"operator", "supervisor"},
    "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement": {"operator", "supervisor"},
    "PUT /v2/equipment/{id}/logs/{state}/{timestamp}/assignment": {"operator", "supervisor"},
    "POST /acknowledgements": {"operator", "supervisor"},
    "PUT /factories/{factoryId}/roster": {"supervisor"},
    "PUT /factories/{factoryId}/chains": {"supervisor"},
    "PUT /people/{id}": {"supervisor"},
    "DELETE /people/{id}": {"privacy"},
    "PUT /calls/{id}": {"station", "operator", "supervisor"},
    "PUT /calls/{id}/taker": {"operator", "supervisor"},
    "PUT /calls/{id}/closure": {"operator", "supervisor"},
    "PUT /calls/{id}/rejection": {"operator", "supervisor"},
    "PUT /factories/{factoryId}/catalog": {"supervisor"},
    "PUT /equipment/{id}/episodes/{startedAt}/cause": {"operator", "supervisor"},
}
READ_BY_STATIONS = {
    "GET /calls/{id}",
    "GET /equipment/{id}/board",
    "GET /equipment/{id}/calls",
    "GET /factories/{factoryId}/catalog",
}
ADMINS_ONLY = {"POST /archive/equipment/{id}/rehydrations", "POST /drift/{view}"}
PEOPLE = {"operator", "supervisor", "auditor", "analyst", "privacy"}


def allowed(route: str) -> set[str]:
    """Return the groups that may call a route: admins each; people all reads but faults, replays, drift, archive.

    Of writes that are not listed it is who they say themselves: no program, see below.
    """
    if "/faults" in route or "/replays" in route or route in ADMINS_ONLY:
        return {"admin"}
    if "/archive/" in route or "/drift" in route:
        return {"admin", "auditor"}
    if route in READ_BY_STATIONS:
        return {"admin", "station"} | PEOPLE
    return {"admin"} | (PEOPLE if route.startswith("GET ") else WRITERS.get(route, set(GROUPS[route])))


def test_programs_report_and_do_nothing_else() -> None:
    assert {route for route in ROUTES if GROUPS[route] & groups.PROGRAMS} == {
        route for route, callers in WRITERS.items() if callers & groups.PROGRAMS
    }


def test_stations_call_for_help_and_do_nothing_else() -> None:
    assert {route for route in ROUTES if groups.STATION in GROUPS[route]} == {"PUT /calls/{id}"} | READ_BY_STATIONS


@pytest.mark.parametrize("group", groups.ALL)
@pytest.mark.parametrize("route", ROUTES)
def test_each_group_passes_at_its_own_routes_and_at_no_other(route: str, group: str) -> None:
    package, role = owner_of_route(route)
    event = http_event(route, groups=[group], query={"unknown": "x"})

    response = package.handler(role)(event, LocalContext("f"))

    assert response["statusCode"] == (400 if group in allowed(route) else 403)
