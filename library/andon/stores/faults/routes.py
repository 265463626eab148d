"""The routes of the fault store and who may call each."""

from contract.groups import ADMINS

ROUTES = {
    "GET /faults": ADMINS,
    "GET /faults/{id}": ADMINS,
    "POST /faults/{id}/resubmit": ADMINS,
}
