"""The routes of dispatch and who may call each."""

from contract.groups import ASSIGNERS, ESCALATORS, READERS, ROSTER_KEEPERS

ROUTES = {
    "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment": ASSIGNERS,
    "GET /equipment/{id}/logs/{state}/{timestamp}/assignment": READERS,
    "PUT /equipment/{id}/logs/{state}/{timestamp}/escalation": ESCALATORS,
    "GET /equipment/{id}/logs/{state}/{timestamp}/escalation": READERS,
    "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement": ASSIGNERS,
    "GET /equipment/{id}/logs/{state}/{timestamp}/acknowledgement": READERS,
    "GET /equipment/{id}/episodes": READERS,
    "PUT /factories/{factoryId}/roster": ROSTER_KEEPERS,
    "GET /factories/{factoryId}/roster": READERS,
}
