"""A read side: its table, what it hears of each service, its listener and its query."""

from typing import Final

from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.api import Api
from infra.checks.loops import Participant
from infra.event_hub import RETRY_HOURS, EventHub
from infra.function import functions_of
from infra.package import Package
from infra.queues import Reader
from infra.table import Table
from patterns.dynamodb.schema import TableSchema
from patterns.events import fault

STREAM_HOURS: Final = 24  # DynamoDB keeps a stream's record so long


class View(Construct):
    """A materialized view, from what its package declares."""

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api) -> None:
        super().__init__(scope, name)
        package = Package("views", name)
        view = package.view()
        variable = f"{name.upper()}_TABLE"
        table = Table(self, variable, TableSchema(view.KEYS, view.INDEXES, expires=view.TTL_DAYS is not None))
        functions = functions_of(self, package, ("listener", "query"), {variable: table.table_name})
        api.serve(package.routes(), functions)

        table.let_read(functions["query"])
        listener = functions["listener"]
        table.let(listener, "UpdateItem")  # the inverse oplock needs no more, and reads nothing
        hub.join(Participant(name, hears=package.hears(), publishes=frozenset({(name, fault.TYPE)})))
        self.reader = hub.let_hear(self, listener, package.hears())
        _refuse_short_lived(view.TTL_DAYS, self.reader)


def _refuse_short_lived(ttl_days: int | None, reader: Reader) -> None:
    """Refuse a view whose rows could expire and go before the last duplicate of an event arrives and recreates them.

    Raises:
        ValueError: TTL_DAYS is shorter than what redelivery can take.

    """
    redelivering, name = (reader.queue, reader.dead_letters), reader.name
    hours = STREAM_HOURS + RETRY_HOURS + sum(_retention_seconds(queue) / 3600 for queue in redelivering)
    if ttl_days is not None and ttl_days * 24 < hours:
        raise ValueError(
            f"view {name}: its rows live {ttl_days} days, but redelivery can take {hours / 24:g} (stream, EventBridge, "
            f"queue, dead letters). Raise TTL_DAYS in functions/views/{name}/view.py, or shorten the retention in "
            "infra/queues.py."
        )


def _retention_seconds(queue: sqs.Queue) -> float:
    made = queue.node.default_child
    if not isinstance(made, sqs.CfnQueue) or made.message_retention_period is None:
        raise TypeError(f"{queue} does not say how long it keeps a message")
    return made.message_retention_period
