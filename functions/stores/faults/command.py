"""HTTP -> the queue a message came from."""

import os
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from patterns.http.http_api import HttpApi, answer
from patterns.http.openapi import responses
from patterns.runtime import aws, clock
from patterns.runtime.errors import Conflict
from stores.faults import objects
from stores.faults.record import Fault as Kept
from stores.faults.record import reader_of, resubmitted, there
from stores.faults.responses import Fault, FaultId
from stores.faults.routes import ROUTES
from stores.faults.store import queue_variable

app = HttpApi(ROUTES)
handler = app.handler


@app.post("/faults/<id>/resubmit", responses=responses(Fault, 202, 404, 409))
def resubmit_fault(fault_id: FaultId) -> Response[str]:
    """Put the message of a fault back on the queue that it came from."""
    fault = there(objects.get(fault_id))
    aws.call("sqs", "send_message", QueueUrl=_queue_of(fault), MessageBody=fault["message"])
    # Whoever does not hear of it and does it again sends the message twice, which listeners do not mind.
    noted = resubmitted(fault, now_ms=clock.now_ms(), actor=app.caller.subject)
    objects.replace(noted)
    return answer(HTTPStatus.ACCEPTED, noted)


def _queue_of(fault: Kept) -> str:
    url = os.environ.get(queue_variable(reader_of(fault)))
    if url is None:
        raise Conflict(f"There is no {fault['consumer']} any more.")
    return url
