"""The bus, and what hangs on it whoever publishes: its archive."""

from collections.abc import Iterable
from typing import Final

from aws_cdk import Aws, CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.function import Function
from infra.loops import Participant, refuse_loops
from infra.target import Target

RETRY_HOURS: Final = 24  # EventBridge tries no target for longer


class EventHub(Construct):
    """Where services meet: triggers publish to it, views subscribe."""

    def __init__(self, scope: Construct) -> None:
        super().__init__(scope, "EventHub")
        self.bus = events.EventBus(self, "Bus")
        self._participants: list[Participant] = []
        CfnOutput(Stack.of(self), "BusName", value=self.bus.event_bus_name)
        if days := Target.of(self).archive_days:
            everything = events.EventPattern(account=[Aws.ACCOUNT_ID])
            self.bus.archive("Archive", event_pattern=everything, retention=Duration.days(days))

    def join(self, participant: Participant) -> None:
        """Take note of who hears and publishes what.

        Raises:
            ValueError: together with those that joined before, it could publish without end.

        """
        self._participants.append(participant)
        refuse_loops(self._participants)

    def subscribe(
        self, scope: Construct, source: str, types: Iterable[str], *, to: sqs.Queue, undelivered: sqs.Queue
    ) -> None:
        """Send exactly these types of one source to a queue: never a prefix, so that a new type surprises nobody."""
        pattern = events.EventPattern(source=[source], detail_type=sorted(types))
        self.route(scope, f"From-{source}", pattern, to=to, undelivered=undelivered)

    def route(
        self, scope: Construct, name: str, pattern: events.EventPattern, *, to: sqs.Queue, undelivered: sqs.Queue
    ) -> None:
        """Send what a pattern matches to a queue, and what cannot be delivered to another."""
        target = targets.SqsQueue(to, dead_letter_queue=undelivered, max_event_age=Duration.hours(RETRY_HOURS))
        events.Rule(scope, name, event_bus=self.bus, event_pattern=pattern, targets=[target])

    def let_publish(self, function: Function, *, only: dict[str, str]) -> None:
        """Allow publishing, and only entries with one `source` or one `detail-type`."""
        function.handler.add_environment("BUS_NAME", self.bus.event_bus_name)
        condition = {f"events:{key}": value for key, value in only.items()}
        function.allow(["events:PutEvents"], [self.bus.event_bus_arn], only_if={"ForAllValues:StringEquals": condition})
