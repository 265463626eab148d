"""A read side: its table or its objects, its subscriptions, its listener, its query, and its push if it has one."""

from collections.abc import Iterator, Mapping
from typing import Final

from aws_cdk import aws_sqs as sqs
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.buckets import OwnedObjects
from andon.cdk.checks.declared import refuse_foreign_keys, refuse_unlifted
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import RETRY_HOURS, EventHub
from andon.cdk.function import Function
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import OF_READER, Watched
from andon.cdk.owned_table import OwnedTable
from andon.cdk.pages import Live
from andon.cdk.part import Part
from andon.cdk.queues import FEWEST, Batch, Reader
from andon.cdk.target import Target
from andon.events import drift, fault
from andon.packages.package import Package
from andon.views.object_table import ObjectTable
from andon.views.view_update import NO_TTL

_STREAM_HOURS: Final = 24  # DynamoDB keeps a stream's record so long


class View(Part):
    """A materialized view, from its package's declarations.

    A version that does not serve is filled like any other, but has no routes, and its push says nothing.
    """

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api, *, formerly: str | None = None) -> None:
        super().__init__(scope, Package("views", name), hub, api, formerly=formerly)

    def build(self) -> None:
        """Create table or bucket and functions, grant each role its calls, subscribe."""
        package = self.package
        refuse_unlifted(package)
        refuse_foreign_keys(package)
        _refuse_undated(package)
        if package.objects is None:
            self._build_on_table()
        else:
            self._build_on_objects(package.objects)
        _refuse_short_lived(package.view.TTL_DAYS, self.reader)

    def _build_on_objects(self, objects: ObjectTable) -> None:
        functions = self.create_functions({})
        self.serve(functions)
        # Few listeners: they would write the same objects.
        batch = Batch(*Target.of(self.stack).queue_batch_within(objects.window_seconds), at_a_time=FEWEST)
        self.reader = self._subscribe(functions["listener"], batch)
        OwnedObjects(self.stack, self.package, objects, functions=functions)
        self._let_repair(functions["recompute"])  # there is one version, which serves

    def _build_on_table(self) -> None:
        package, hub = self.package, self.hub
        [(variable, schema)] = package.tables.items()
        table = OwnedTable(self.stack, variable, schema, is_rebuilt=True)
        hub.tables[variable] = table
        functions = self.create_functions({variable: table.table_name})
        self.serve(functions)
        if not package.serves:
            self.api.admit(functions["query"])
        table.grant_read(functions["query"])
        self._push(table, functions)
        table.grant_actions(functions["listener"], "UpdateItem")  # the inverse oplock needs no more, and reads nothing
        self.reader = self._subscribe(functions["listener"])
        if recompute := functions.get("recompute"):
            table.grant_actions(recompute, "DeleteItem", "Query", "UpdateItem")  # see andon/drift/recompute.py
            self._let_repair(recompute)

    def _push(self, table: OwnedTable, functions: Mapping[str, Function]) -> None:
        """Publish the changes of the table to screens, if the view has a push."""
        if push := functions.get("push"):
            self.hub.grant_publish(push, only={"detail-type": fault.TYPE})
            Live(self.stack, table, push=push, query=functions["query"], speaks=self.package.serves)

    def _subscribe(self, listener: Function, batch: Batch | None = None) -> Reader:
        package, hub = self.package, self.hub
        published = frozenset((package.name, event_type) for event_type in (fault.TYPE, drift.TYPE))
        hub.join(Participant(package.name, subscribes=package.subscriptions, publishes=published))
        reader = hub.subscribe(self.stack, listener, package.subscriptions, batch=batch)
        if package.restored:
            hub.restorers[package.restore_queue] = reader.queue
        return reader

    def _let_repair(self, recompute: Function) -> None:
        self.hub.grant_publish(recompute, only={"source": self.package.name, "detail-type": drift.TYPE})
        self.hub.recomputed.append(recompute)

    def signals(self) -> Iterator[Watched]:
        """Yield its queue."""
        yield self.reader, OF_READER

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield the dashboard row of its queue."""
        yield dashboard.of_reader(self.reader)


def _refuse_short_lived(ttl_days: int | None, reader: Reader) -> None:
    """Refuse a view with rows that could expire before the last duplicate of an event arrives and recreates them.

    Raises:
        ValueError: TTL_DAYS is shorter than redelivery can take.

    """
    redelivering, name = (reader.queue, reader.dead_letters), reader.name
    hours = _STREAM_HOURS + RETRY_HOURS + sum(_retention_seconds(queue) / 3600 for queue in redelivering)
    if ttl_days is not None and ttl_days * 24 < hours:
        raise ValueError(
            f"view {name}: its rows live {ttl_days} days, but redelivery can take {hours / 24:g} (stream, EventBridge, "
            f"queue, dead letters). Raise TTL_DAYS in functions/views/{name}/view.py, or shorten the retention in "
            "library/andon/cdk/queues.py."
        )


def _refuse_undated(package: Package) -> None:
    """Refuse a view of rows with dates and events without an end: a duplicate would bring back an ended row.

    Raises:
        ValueError: it declares EXPIRES_WITHIN_DAYS without TTL_DAYS.

    """
    if getattr(package.view, "EXPIRES_WITHIN_DAYS", None) is not None and package.view.TTL_DAYS is None:
        raise ValueError(f"view {package.name}: {NO_TTL}")


def _retention_seconds(queue: sqs.Queue) -> float:
    made = queue.node.default_child
    if not isinstance(made, sqs.CfnQueue) or made.message_retention_period is None:
        raise TypeError(f"{queue} does not say how long it keeps a message")
    return made.message_retention_period
