"""The routes of equipment and who may call each."""

from contract.groups import READERS, STATE_REPORTERS

ROUTES = {
    "PUT /equipment/{id}/states/{timestamp}": STATE_REPORTERS,
    "GET /equipment/{id}/states": READERS,
    "GET /equipment/{id}/states/latest": READERS,
}
