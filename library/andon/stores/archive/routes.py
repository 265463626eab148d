"""The routes of the archive and who may call each."""

from andon.project import project

ROUTES = {
    "GET /archive/equipment/{id}": project().groups.auditors,
    "GET /archive/operators/{operator}": project().groups.auditors,
    "POST /archive/equipment/{id}/rehydrations": project().groups.admins,
    "GET /archive/equipment/{id}/rehydrations/{job}": project().groups.auditors,
}
