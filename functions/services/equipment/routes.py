"""The routes of equipment and who may call each."""

from typing import Final

from contract.groups import AUDITORS, EQUIPMENT_WRITERS, READERS, STATE_REPORTERS
from services.equipment.facts import STATE_REPORTED

REPORTS_AT_ONCE: Final = 100

ROUTES = {
    "PUT /equipment/{id}": EQUIPMENT_WRITERS,
    "DELETE /equipment/{id}": EQUIPMENT_WRITERS,
    "POST /equipment/{id}/rollback": EQUIPMENT_WRITERS,
    "GET /equipment/{id}": READERS,
    "GET /equipment/{id}/versions": READERS,
    "GET /equipment/{id}/versions/{n}": READERS,
    "PUT /equipment/{id}/audits/{part}": AUDITORS,
    "GET /equipment/{id}/audits": READERS,
    "GET /equipment/{id}/audits/{part}": READERS,
    "GET /equipment/{id}/audits/{part}/revisions": READERS,
    "GET /equipment/{id}/audits/{part}/revisions/{n}": READERS,
    "PUT /equipment/{id}/states/{timestamp}": STATE_REPORTERS,
    "POST /states": STATE_REPORTERS,
    "GET /equipment/{id}/states": READERS,
    "GET /equipment/{id}/states/latest": READERS,
}

# A device reports every few minutes; whoever reports for many machines does so by POST /states.
SHARED = frozenset({"PUT /equipment/{id}/states/{timestamp}"})

STREAM_FIRST = {"POST /states": (STATE_REPORTED, REPORTS_AT_ONCE)}
