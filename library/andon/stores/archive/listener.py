"""days of rehydrations -> the queues of packages that rehydrate their rows."""

from andon.recorded.resend import work_each
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.stores.archive.rehydration import work


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Send the events that each message asks for."""
    return work_each(event, context, store="archive", said="rehydrated", work=work)
