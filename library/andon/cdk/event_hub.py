"""The event bus, its archive, and the rules that bring its events to queues."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from aws_cdk import Aws, CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from andon.cdk import queues
from andon.cdk.checks.loops import Participant, refuse_loops
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.queues import Batch, Reader
from andon.cdk.target import Target
from andon.events import fault
from andon.events.topic import Topic

RETRY_HOURS: Final = 24  # EventBridge tries no target for longer


class EventHub(Construct):
    """Where services meet: triggers publish to it, views and control services subscribe."""

    def __init__(self, scope: Construct) -> None:
        super().__init__(scope, "EventHub")
        self.bus = events.EventBus(self, "Bus")
        self.readers: list[Reader] = []  # so far
        self.restorers: dict[
            str, sqs.Queue
        ] = {}  # so far, by variable: the queues for what comes back from the archive
        self.recomputed: list[Function] = []  # so far: those that compare a view with what past events make of it
        self._participants: list[Participant] = []
        CfnOutput(Stack.of(self), "BusName", value=self.bus.event_bus_name)
        if days := Target.of(self).archive_days:
            everything = events.EventPattern(account=[Aws.ACCOUNT_ID])
            archive = self.bus.archive("Archive", event_pattern=everything, retention=Duration.days(days))
            archive.apply_removal_policy(Target.of(self).removal_policy)

    def join(self, participant: Participant) -> None:
        """Note what a package subscribes to and publishes.

        Raises:
            ValueError: together with those that joined before, it could publish without end.

        """
        self._participants.append(participant)
        refuse_loops(self._participants)

    def subscribe(self, scope: Construct, listener: Function, topics: Iterable[Topic]) -> Reader:
        """Bring the events of these topics, and no others, to a listener, by a queue of its own."""
        batch = Batch(*Target.of(self).queue_batch)
        reader = queues.feed(scope, listener, output=pascal(listener.package.name), batch=batch)
        self.readers.append(reader)
        by_source: dict[str, list[str]] = defaultdict(list)
        for source, event_type in topics:
            by_source[source].append(event_type)
        for source, types in sorted(by_source.items()):
            # Each type by its name, never a prefix: a new type goes to nobody who does not know it.
            pattern = events.EventPattern(source=[source], detail_type=sorted(types))
            self.route(scope, f"From-{source}", pattern, to=reader)
        self.grant_publish(listener, only={"detail-type": fault.TYPE})
        return reader

    def route(self, scope: Construct, name: str, pattern: events.EventPattern, *, to: Reader) -> events.Rule:
        """Send events that match a pattern to a reader."""
        # The dead letters of the queue and of the rule are the same events that the reader lacks: one place to look.
        age = Duration.hours(RETRY_HOURS)
        target = targets.SqsQueue(to.queue, dead_letter_queue=to.dead_letters, max_event_age=age)
        return events.Rule(scope, name, event_bus=self.bus, event_pattern=pattern, targets=[target])

    def route_all_but_replayed(self, scope: Construct, *, to: Reader) -> None:
        """Send everything of this account to a reader, but what an archive replays: it came before."""
        rule = self.route(scope, "Everything", events.EventPattern(account=[Aws.ACCOUNT_ID]), to=to)
        made = rule.node.default_child
        if not isinstance(made, events.CfnRule):
            raise TypeError(f"{rule.node.path} is no rule")
        # EventBridge names the replay in the envelope of what it replays; CDK's pattern has no such member.
        # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-replay-archived-event.html
        made.add_property_override("EventPattern.replay-name", [{"exists": False}])

    def grant_publish(self, function: Function, *, only: dict[str, str]) -> None:
        """Allow publishing, and only entries with this `source`, this `detail-type`, or both."""
        function.handler.add_environment("BUS_NAME", self.bus.event_bus_name)
        condition = {f"events:{key}": value for key, value in only.items()}
        function.grant(["events:PutEvents"], [self.bus.event_bus_arn], only_if={"ForAllValues:StringEquals": condition})
