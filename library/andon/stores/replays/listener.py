"""days and objects of replays -> the queue of one view."""

from andon.recorded.resend import work_each
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.stores.replays.job import work


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Send the events that each message asks for."""
    return work_each(event, context, store="replays", said="replayed", work=work)
