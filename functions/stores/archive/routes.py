"""The routes of the archive and who may call each."""

from contract.groups import AUDITORS

ROUTES = {
    "GET /archive/equipment/{id}": AUDITORS,
    "GET /archive/operators/{operator}": AUDITORS,
}
