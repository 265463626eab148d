"""The routes of dispatch2 and who may call each."""

from contract.groups import ASSIGNERS, READERS

ROUTES = {
    "PUT /v2/equipment/{id}/logs/{state}/{timestamp}/assignment": ASSIGNERS,
    "GET /v2/equipment/{id}/logs/{state}/{timestamp}/assignment": READERS,
}
