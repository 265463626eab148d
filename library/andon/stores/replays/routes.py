"""The routes of replays and who may call each."""

from andon.project import project

ROUTES = {
    "POST /replays": project().groups.admins,
    "GET /replays/{id}": project().groups.admins,
    "POST /replays/{id}/pause": project().groups.admins,
    "POST /replays/{id}/resume": project().groups.admins,
    "POST /replays/{id}/cancel": project().groups.admins,
}
