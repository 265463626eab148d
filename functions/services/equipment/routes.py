"""The routes of equipment and who may call each."""

from contract.groups import EQUIPMENT_WRITERS, READERS, STATE_REPORTERS

ROUTES = {
    "PUT /equipment/{id}": EQUIPMENT_WRITERS,
    "GET /equipment/{id}": READERS,
    "PUT /equipment/{id}/states/{timestamp}": STATE_REPORTERS,
    "GET /equipment/{id}/states": READERS,
    "GET /equipment/{id}/states/latest": READERS,
}
