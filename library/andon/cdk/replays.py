"""Replays: jobs that send the lake's events to the queue of one view again."""

from collections.abc import Iterator

from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.operations.alarms import Signal, of_replays
from andon.cdk.owned_table import OwnedTable
from andon.cdk.store import Store
from andon.cdk.target import Target
from andon.packages.discovery import views_as_json
from andon.recorded import lake as lake_contract
from andon.stores.replays import store


class Replays(Store):
    """A table of jobs, their routes, and a queue of work to be done."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "replays", hub, api)

    def build(self) -> None:
        """Create table, functions and queue."""
        [(variable, schema)] = self.package.tables.items()
        table = OwnedTable(self.stack, variable, schema)
        self._functions = self.open({variable: table.table_name}, output=pascal(self.package.name))
        table.grant_actions(self._functions["query"], "GetItem", "Query")
        table.grant_actions(self._functions["command"], "GetItem", "PutItem", "Query", "UpdateItem")
        table.grant_actions(self._functions["listener"], "GetItem", "Query", "UpdateItem")

    def connect(self) -> None:
        """Allow asking for what the lake has, and sending it to the queues of views."""
        super().connect()
        readers = [reader for reader in self.hub.readers if reader.listener.package.side == "views"]
        views = views_as_json(reader.listener.package for reader in readers)
        for role in ("command", "listener"):
            self._grant_ask(self._functions[role], views)
        self._functions["command"].grant(["sqs:SendMessage"], [self.reader.queue.queue_arn])
        listener, lake = self._functions["listener"], self.hub.bucket(store.BUCKET)
        listener.grant(["s3:GetObject"], [lake.arn_for_objects(f"{lake_contract.EVENTS}/*")])
        nag.acknowledge_keys(self.stack, lake, lake_contract.EVENTS, nag.LAKE_KEYS)
        listener.let_feed_itself(self.reader.queue)
        for reader in readers:  # of no service, and no bus
            listener.grant(["sqs:SendMessage"], [reader.queue.queue_arn])

    def signals(self) -> Iterator[Signal]:
        """Yield the alarms about a replay that stands, and about its listener."""
        return of_replays(self.reader)

    def _grant_ask(self, function: Function, views: str) -> None:
        """Allow listing the lake, and asking for what it has."""
        handler, lake = function.handler, self.hub.bucket(store.BUCKET)
        handler.add_environment(store.BUCKET, lake.bucket_name)
        handler.add_environment(store.VIEWS, views)
        handler.add_environment(store.SETTLES, str(Target.of(self.stack).lake_settles_seconds))
        handler.add_environment(store.QUEUE, self.reader.queue.queue_url)
        function.grant(["s3:ListBucket"], [lake.bucket_arn])
