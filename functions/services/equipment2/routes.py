"""The routes of equipment2 and who may call each."""

from contract.groups import EQUIPMENT_WRITERS, READERS

ROUTES = {
    "PUT /v2/equipment/{id}": EQUIPMENT_WRITERS,
    "DELETE /v2/equipment/{id}": EQUIPMENT_WRITERS,
    "POST /v2/equipment/{id}/rollback": EQUIPMENT_WRITERS,
    "GET /v2/equipment/{id}": READERS,
    "GET /v2/equipment/{id}/versions": READERS,
    "GET /v2/equipment/{id}/versions/{n}": READERS,
}
