"""drift-detected -> store of drift."""

from andon.handlers.keep_each import keep_each
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.stores.drift.finding import finding_in, keep


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Keep each finding."""
    return keep_each(event, context, store="drift", keep=lambda one: keep(finding_in(one, now_ms=clock.now_ms())))
