"""The routes of dispatch and who may call each."""

from contract.groups import ASSIGNERS, ESCALATORS, READERS

ROUTES = {
    "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment": ASSIGNERS,
    "GET /equipment/{id}/logs/{state}/{timestamp}/assignment": READERS,
    "PUT /equipment/{id}/logs/{state}/{timestamp}/escalation": ESCALATORS,
    "GET /equipment/{id}/logs/{state}/{timestamp}/escalation": READERS,
}
