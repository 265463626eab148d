"""faults -> fault store."""

from andon.handlers.keep_each import keep_each
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.stores.faults.record import fault_in, keep


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Keep each fault; one that cannot be kept becomes no other fault, which would never end."""
    return keep_each(event, context, store="faults", keep=lambda one: keep(fault_in(one, now_ms=clock.now_ms())))
