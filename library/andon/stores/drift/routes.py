"""The routes of the store of drift and who may call each."""

from contract.groups import ADMINS, AUDITORS

ROUTES = {
    "GET /drift": AUDITORS,
    "POST /drift/{view}": ADMINS,
}
