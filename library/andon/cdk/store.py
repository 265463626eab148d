"""A store: what all of the library's stores have in common."""

from collections.abc import Iterator, Mapping

from aws_cdk import aws_events as events
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.operations.signals import OF_LISTENER, Watched
from andon.cdk.part import Part
from andon.cdk.queues import SOON, Batch, Reader
from andon.packages.package import Package


class Store(Part):
    """A store by its name, with a listener; it publishes nothing."""

    reader: Reader

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api) -> None:
        super().__init__(scope, Package("stores", name), hub, api)

    def signals(self) -> Iterator[Watched]:
        """Yield its queue."""
        yield self.reader, OF_LISTENER

    def open(self, environment: Mapping[str, str], *, output: str, batch: Batch = SOON) -> dict[str, Function]:
        """Create and serve the functions, and the listener's queue, whose outputs begin with `output`."""
        functions = self.create_functions(environment)
        self.serve(functions)
        self.reader = queues.feed(self.stack, functions["listener"], output=output, batch=batch)
        if self.package.subscriptions:
            self.hub.join(Participant(self.package.name, subscribes=self.package.subscriptions))
        return functions

    def listen_to_anybody(self) -> None:
        """Bring the types of events that it subscribes to, whoever publishes them, to its queue."""
        queues.let_put_back(self.reader)
        pattern = events.EventPattern(detail_type=sorted(event_type for _, event_type in self.package.subscriptions))
        self.hub.route(self.stack, "FromAnybody", pattern, to=self.reader)
