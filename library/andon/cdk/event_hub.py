"""The event bus, its archive, the rules that bring its events to queues, and the parts that meet there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Protocol

import jsii
from aws_cdk import Annotations, Aws, Duration, Stack
from aws_cdk import aws_cloudtrail as cloudtrail
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct, IConstruct, IValidation
from jsii import _type_checking

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.buckets import private_bucket
from andon.cdk.checks import nag
from andon.cdk.checks.loops import Participant, refuse_loops
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.operations.dashboard import draw
from andon.cdk.operations.signals import Watched, watch
from andon.cdk.owned_table import follow_load
from andon.cdk.package_stack import add_output, order
from andon.cdk.queues import Batch, Reader
from andon.cdk.target import Target
from andon.events import fault
from andon.events.publish import GROUPED
from andon.events.topic import Topic
from andon.packages.discovery import services, subscribers_of
from andon.packages.package import Package

if TYPE_CHECKING:
    from andon.cdk.owned_table import OwnedTable


# Calls of the CDK without the check of each argument's type at run time: a sixth of the CPU of a synth.
#
# mypy asks it before, and the CDK's own code, behind, refuses a wrong value. With a jsii that keeps it elsewhere, a
# synth is only slower.


class _AnyType(dict[str, Any]):
    """Type hints of the arguments of a call, none of which is looked at."""

    def __missing__(self, argument: str) -> None:
        return None


class _Hints(dict[Any, dict[str, Any]]):
    """Type hints of each call: reading them would take longer than checking them."""

    def get(self, *_: object) -> _AnyType:
        return _ANY_TYPE


_ANY_TYPE: Final = _AnyType()


def skip_type_checks() -> None:
    """Let jsii check no types in this process, from here on."""
    _type_checking._type_hints_cache = _Hints()  # noqa: SLF001  no setting but -O, by which assert means nothing
    _type_checking._resolved_check = lambda **_: None  # noqa: SLF001


# A trail: who read or wrote which object of what is recorded, as CloudTrail sees it, in a bucket of its own.

KEEPS_DAYS: Final = 365


def _trail_of(root: Stack, buckets: Iterable[s3.Bucket]) -> None:
    """Create a trail of the data events of some buckets, and of nothing else: each event is paid for.

    https://docs.aws.amazon.com/awscloudtrail/latest/userguide/logging-data-events-with-cloudtrail.html
    """
    scope = Construct(root, "Trail")
    bucket = private_bucket(scope, "Bucket", unlogged=nag.TRAIL_READS, keeps_days=KEEPS_DAYS)
    name = f"{root.stack_name}-data"
    _deny_other_trails(bucket, Stack.of(scope).format_arn(service="cloudtrail", resource="trail", resource_name=name))
    trail = cloudtrail.Trail(
        scope,
        "Trail",
        trail_name=name,
        bucket=bucket,
        management_events=cloudtrail.ReadWriteType.NONE,
        include_global_service_events=False,
        is_multi_region_trail=False,
        enable_file_validation=True,  # a log that somebody changed or took away can be told
    )
    # An ARN that ends in a slash: all objects of the bucket.
    trail.add_s3_event_selector(
        [cloudtrail.S3EventSelector(bucket=one) for one in buckets], include_management_events=False
    )


def _deny_other_trails(bucket: s3.Bucket, trail: str) -> None:
    """Keep the trails of other accounts, which CloudTrail writes by the same principal, out of a bucket.

    https://docs.aws.amazon.com/awscloudtrail/latest/userguide/create-s3-bucket-policy-for-cloudtrail.html
    """
    bucket.add_to_resource_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.ServicePrincipal("cloudtrail.amazonaws.com")],
            actions=["s3:*"],
            resources=[bucket.bucket_arn, bucket.arn_for_objects("*")],
            conditions={"StringNotEquals": {"aws:SourceArn": trail}},
        )
    )


RETRY_HOURS: Final = 24  # EventBridge tries no target for longer


class Declared(Protocol):
    """A part of the system, see `Part`."""

    name: str

    @property
    def package(self) -> Package | None: ...  # noqa: D102
    @property
    def stack(self) -> Stack: ...  # noqa: D102
    def build(self) -> None: ...  # noqa: D102
    def connect(self) -> None: ...  # noqa: D102
    def finish(self) -> None: ...  # noqa: D102
    def signals(self) -> Iterator[Watched]: ...  # noqa: D102
    def widgets(self) -> Iterator[list[cloudwatch.ConcreteWidget]]: ...  # noqa: D102


class EventHub(Construct):
    """Hub between services: triggers publish to it, views and control services subscribe.

    While it is being closed, parts find here what others created: `readers` of domain events; `restorers`, the queues
    for what comes back from the archive, by name; `ingesting`, those of what things publish; `recomputed`, the
    functions that compare a view with its events; `buckets`, with what is recorded, by variable; `tables`, those of
    views, by variable.
    """

    def __init__(self, scope: Construct) -> None:
        skip_type_checks()
        super().__init__(scope, "EventHub")
        self.bus = events.EventBus(self, "Bus")
        self.readers: list[Reader] = []
        self.restorers: dict[str, sqs.Queue] = {}
        self.ingesting: dict[str, sqs.Queue] = {}
        self.recomputed: list[Function] = []
        self.buckets: dict[str, s3.Bucket] = {}
        self.tables: dict[str, OwnedTable] = {}
        self._participants: list[Participant] = []
        self._declared: dict[str, Declared] = {}
        self._is_closed = False
        self.node.add_validation(_Closed(self))
        add_output(self, "BusName", self.bus.event_bus_name, "the event bus")
        self._archive()

    def _archive(self) -> None:
        """Have EventBridge keep events, where the stage says for how long.

        It goes with its bus, the only one that it can be replayed to; the lake has the same events.
        """
        if days := Target.of(self).archive_days:
            everything = events.EventPattern(account=[Aws.ACCOUNT_ID])
            self.bus.archive("Archive", event_pattern=everything, retention=Duration.days(days))

    @property
    def is_closed(self) -> bool:
        """True if everything is built."""
        return self._is_closed

    def declare(self, part: Declared) -> None:
        """Note a part, to be built by `close`.

        Raises:
            ValueError: there is one of that name, or the hub is closed.

        """
        if self._is_closed or part.name in self._declared:
            raise ValueError(f"{part.name}: {'the hub is closed' if self._is_closed else 'declared twice'}")
        self._declared[part.name] = part

    def close(self) -> None:
        """Build all that is declared, in the order of names, so that the order of declarations means nothing.

        Raises:
            ValueError: two packages could publish to each other without end, or a part lacks another one.

        """
        self._is_closed = True
        parts = [part for _, part in sorted(self._declared.items())]
        for part in parts:
            part.build()
        refuse_loops(self._participants)
        for part in parts:
            part.connect()
        for part in parts:
            part.finish()
        order({part.package: part.stack for part in parts if part.package})
        root = Stack.of(self)
        self._trail(root)
        found = [one for one in root.node.find_all() if isinstance(one, Construct)]
        _warn_of_quotas(root, found)
        follow_load(found)
        watch(root, found, {part.stack: [*part.signals()] for part in parts})
        draw(root, found, [row for part in parts for row in part.widgets()])

    def _trail(self, root: Stack) -> None:
        """Have CloudTrail log the readers of recorded data, if the stage wants it."""
        if Target.of(root).stage.data_trail and self.buckets:
            _trail_of(root, [bucket for _, bucket in sorted(self.buckets.items())])

    def join(self, participant: Participant) -> None:
        """Register a package's subscriptions and the events that it publishes."""
        self._participants.append(participant)

    def bucket(self, variable: str) -> s3.Bucket:
        """Return the bucket of a store, by its environment variable.

        Raises:
            ValueError: the stack has no such store.

        """
        if variable not in self.buckets:
            raise ValueError(f"the stack has no store with a {variable}; add its line")
        return self.buckets[variable]

    def subscribe(
        self, scope: Construct, listener: Function, topics: Iterable[Topic], *, batch: Batch | None = None
    ) -> Reader:
        """Bring the events of these topics, and no others, to a listener, by a queue of its own.

        batch: None is the target's.
        """
        batch = batch or Batch(*Target.of(self).queue_batch)
        reader = queues.feed(scope, listener, output=pascal(listener.package.name), batch=batch)
        queues.let_put_back(reader)
        self.readers.append(reader)
        self.route_each(scope, topics, to=reader)
        self.grant_publish(listener, only={"detail-type": fault.TYPE})
        return reader

    def route_each(self, scope: Construct, topics: Iterable[Topic], *, to: Reader) -> None:
        """Send the events of these topics, and no others, to a reader."""
        by_source: dict[str, list[str]] = defaultdict(list)
        for source, event_type in topics:
            by_source[source].append(event_type)
        for source, types in sorted(by_source.items()):
            # Each type by its name, never a prefix: a new type goes to nobody who does not know it.
            pattern = events.EventPattern(source=[source], detail_type=sorted(types))
            self.route(scope, f"From-{source}", pattern, to=to)

    def route(self, scope: Construct, name: str, pattern: events.EventPattern, *, to: Reader) -> events.Rule:
        """Send events that match a pattern to a reader."""
        # The dead letters of the queue and of the rule are the same events that the reader lacks: one place to look.
        age = Duration.hours(RETRY_HOURS)
        target = targets.SqsQueue(to.queue, dead_letter_queue=to.dead_letters, max_event_age=age)
        return events.Rule(scope, name, event_bus=self.bus, event_pattern=pattern, targets=[target])

    def route_all_but_replayed(self, scope: Construct, *, to: Reader) -> None:
        """Send all events of this account to a reader, except replays by an archive: it got those before."""
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
        if Target.of(self).project.grouped:
            function.handler.add_environment(GROUPED, "1")
        condition = {f"events:{key}": value for key, value in only.items()}
        function.grant(["events:PutEvents"], [self.bus.event_bus_arn], only_if={"ForAllValues:StringEquals": condition})


@jsii.implements(IValidation)
class _Closed:
    """Fails the synth of a stack with an open hub."""

    def __init__(self, hub: EventHub) -> None:
        self._hub = hub

    def validate(self) -> list[str]:
        """Return the validation errors."""
        return [] if self._hub.is_closed else ["nothing is built yet: call hub.close() after all parts are declared"]


# Warns of quotas of the region that are smaller than what the stage plans; docs/deploy.md says what to ask for.

ROUTES: Final = (
    "{region}: all routes together take {planned:,.0f} requests a second, API Gateway {quota:,} of the whole account: "
    "a flood of one takes what others need (apiRequestsPerSecond)"
)
RULES: Final = (
    "{region}: {reports:,.0f} reports a second are {planned:,.0f} invocations by rules, EventBridge makes {quota:,}: "
    "what is beyond them is late (invocationsPerSecond)"
)


def _warn_of_quotas(root: Stack, found: Iterable[IConstruct]) -> None:
    """Add a warning for each quota that is too small; none where nobody says which region it is."""
    environment = Target.of(root).environment
    if environment and (region := environment.region):
        warnings = chain(_of_routes(root, found, region), _of_rules(root, region))
        for number, warning in enumerate(warnings):
            Annotations.of(root).add_warning_v2(f"andon:quota{number}", warning)


def _of_routes(root: Stack, found: Iterable[IConstruct], region: str) -> Iterator[str]:
    quota, planned = Target.of(root).quotas.api, sum(one.per_second for one in found if isinstance(one, Api))
    if planned > quota:
        yield ROUTES.format(region=region, planned=planned, quota=quota)


def _of_rules(root: Stack, region: str) -> Iterator[str]:
    quota, reports = Target.of(root).quotas.invocations, Target.of(root).reports.per_second
    reported = [(one.name, event_type) for one in services() for event_type, _ in one.stream_first.values()]
    planned = reports * max((len(subscribers_of(*topic)) for topic in reported), default=0)
    if planned > quota:
        yield RULES.format(region=region, reports=reports, planned=planned, quota=quota)
