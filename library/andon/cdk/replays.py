"""Replays: jobs that send the lake's events to the queue of one view again."""

from collections.abc import Iterable

from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function, functions_of
from andon.cdk.names import pascal
from andon.cdk.owned_table import OwnedTable
from andon.cdk.queues import Reader
from andon.cdk.target import Target
from andon.packages.discovery import views_as_json
from andon.packages.package import Package
from andon.recorded import lake as lake_contract
from andon.stores.replays import settings, store


class Replays(Construct):
    """A table of jobs, their routes, and a queue of what is to be sent to the views that the hub has so far."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api, *, lake: s3.Bucket) -> None:
        package = Package("stores", "replays")
        super().__init__(scope, package.name)
        [(variable, schema)] = package.tables.items()
        self._table, self._lake = OwnedTable(self, variable, schema), lake
        functions = functions_of(self, package, {variable: self._table.table_name})
        api.serve(package.routes, functions)
        self.reader = queues.feed(self, functions["listener"], output=pascal(package.name))
        readers = [reader for reader in hub.readers if reader.listener.package.side == "views"]
        views = views_as_json(reader.listener.package for reader in readers)

        self._table.grant_actions(functions["query"], "GetItem", "Query")
        self._table.grant_actions(functions["command"], "GetItem", "PutItem", "Query", "UpdateItem")
        self._table.grant_actions(functions["listener"], "GetItem", "Query", "UpdateItem")
        for function in (functions["command"], functions["listener"]):
            self._grant_ask(function, views)
        self._grant_send(functions["listener"], readers)

    def _grant_ask(self, function: Function, views: str) -> None:
        """Allow listing the lake, and asking for what it has."""
        handler = function.handler
        handler.add_environment(store.BUCKET, self._lake.bucket_name)
        handler.add_environment(settings.VIEWS, views)
        handler.add_environment(settings.SETTLES, str(Target.of(self).lake_settles_seconds))
        handler.add_environment(settings.QUEUE, self.reader.queue.queue_url)
        function.grant(["s3:ListBucket"], [self._lake.bucket_arn])
        function.grant(["sqs:SendMessage"], [self.reader.queue.queue_arn])

    def _grant_send(self, listener: Function, readers: Iterable[Reader]) -> None:
        """Allow reading the lake's events, and sending to the queues of views: of no service, and to no bus."""
        events = f"{lake_contract.EVENTS}/*"
        listener.grant(["s3:GetObject"], [self._lake.arn_for_objects(events)])
        nag.acknowledge_wildcard(self, f"<{nag.logical_id(self._lake)}.Arn>/{events}", nag.LAKE_KEYS)
        for reader in readers:
            listener.handler.add_environment(settings.queue_variable(reader.name), reader.queue.queue_url)
            listener.grant(["sqs:SendMessage"], [reader.queue.queue_arn])
