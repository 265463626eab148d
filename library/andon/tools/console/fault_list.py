"""The faults of the running stack, as an admin reads and resubmits them over HTTP."""

from http import HTTPStatus
from typing import NamedTuple

from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.stack import users
from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed


class FaultRow(NamedTuple):
    """A message that its consumer could not use; times are fixed-width UTC, empty if it was never so."""

    id: str
    timestamp: str
    consumer: str
    error: str
    resubmitted_at: str
    failed_again_at: str


def faults_of(body: JsonObject) -> list[FaultRow]:
    """Return the faults of a response's page."""
    return [
        FaultRow(
            id=item["id"],
            timestamp=item["timestamp"],
            consumer=item["consumer"],
            error=f"{item['error']['name']}: {item['error']['message']}",
            resubmitted_at=item.get("resubmittedAt", ""),
            failed_again_at=item.get("failedAgainAt", ""),
        )
        for item in body["items"]
    ]


def newest(deployed: dict[str, str]) -> list[FaultRow]:
    """Return the newest faults.

    Raises:
        Failed: the API does not answer as it should.
    """
    answer = _admin(deployed).get("/faults")
    if answer.status != HTTPStatus.OK:
        raise ToolFailed(f"GET /faults was answered {_text(answer)}")
    return faults_of(answer.json)


def resubmit(deployed: dict[str, str], fault: FaultRow) -> str:
    """Send the message of a fault back to the queue that it came from; return in a line what was answered."""
    answer = _admin(deployed).request("POST", path_of("faults", fault.id, "resubmit"))
    if answer.status == HTTPStatus.ACCEPTED:
        return f"{fault.id} is back in the queue of {fault.consumer}"
    return f"{fault.id} was refused: {_text(answer)}"


def _admin(deployed: dict[str, str]) -> ApiClient:
    return ApiClient(
        deployed["ApiUrl"], token=users.token(deployed, project().groups.admin)
    )  # anew: a token lives for an hour


def _text(answer: HttpResponse) -> str:
    return f"{answer.status} {answer.body.decode(errors='replace')}"
