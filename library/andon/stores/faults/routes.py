"""The routes of the fault store and who may call each."""

from andon.project import project

ROUTES = {
    "GET /faults": project().groups.admins,
    "GET /faults/{id}": project().groups.admins,
    "POST /faults/{id}/resubmit": project().groups.admins,
}
