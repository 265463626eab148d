"""The routes of the archive and who may call each."""

from contract.groups import ADMINS, AUDITORS

ROUTES = {
    "GET /archive/equipment/{id}": AUDITORS,
    "GET /archive/operators/{operator}": AUDITORS,
    "POST /archive/equipment/{id}/rehydrations": ADMINS,
    "GET /archive/equipment/{id}/rehydrations/{job}": AUDITORS,
}
