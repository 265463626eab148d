"""The routes of the store of drift and who may call each."""

from andon.project import project

ROUTES = {
    "GET /drift": project().groups.auditors,
    "POST /drift/{view}": project().groups.admins,
}
