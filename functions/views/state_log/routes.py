"""The routes of state_log and who may call each."""

from contract.groups import READERS

ROUTES = {
    "GET /equipment/{id}/logs": READERS,
    "GET /operators/{operator}/logs": READERS,
    "GET /supervisors/{supervisor}/escalations": READERS,
}
