"""days of rehydrations -> the queues of packages that rehydrate their rows."""

from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.stores.archive.rehydration import work
from andon.stores.replaying import work_each


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Send what each message asks for."""
    return work_each(event, context, store="archive", said="rehydrated", work=work)
