"""The routes of replays and who may call each."""

from contract.groups import ADMINS

ROUTES = {
    "POST /replays": ADMINS,
    "GET /replays/{id}": ADMINS,
    "POST /replays/{id}/pause": ADMINS,
    "POST /replays/{id}/resume": ADMINS,
    "POST /replays/{id}/cancel": ADMINS,
}
