"""HTTP -> the queue that a message came from."""

import os
from functools import partial
from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.runtime import clock
from andon.runtime.errors import Conflict
from andon.stores.faults import record
from andon.stores.faults.parameters import FaultId
from andon.stores.faults.record import Fault, queue_of, require_fault, resubmitted
from andon.stores.faults.store import QUEUE, QUEUES
from andon.wire import aws
from andon.wire.queue import beside

app = HttpApi()
handler = app.handler


@app.serves("POST /faults/{id}/resubmit", groups=project().groups.admins, responses=responses(Fault, 202, 404, 409))
def resubmit_fault(fault_id: FaultId) -> Response:
    """Put the message of a fault back on the queue that it came from."""
    fault = require_fault(record.get(fault_id))
    queue_url = _queue_url_of(fault)
    # Before it is sent: the message can fail again before this function goes on.
    noted = record.change(fault, partial(resubmitted, now_ms=clock.now_ms(), actor=app.caller.subject))
    # A retry sends the message twice, which is harmless: listeners drop duplicates.
    aws.call("sqs", "send_message", QueueUrl=queue_url, MessageBody=fault["message"])
    return respond(HTTPStatus.ACCEPTED, noted)


def _queue_url_of(fault: Fault) -> str:
    queue = queue_of(fault)
    if queue not in os.environ[QUEUES].split(","):
        raise Conflict(f"There is no {fault['consumer']} any more.")
    return beside(os.environ[QUEUE], queue)
