"""Alarms, each in the template of what it watches. They are made from what is found, so that nothing is listed here."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypedDict

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from constructs import Construct, IConstruct

from andon.cdk.api import Api
from andon.cdk.changes import StreamMapping
from andon.cdk.function import Function
from andon.cdk.operations import metrics
from andon.cdk.owned_table import OwnedTable
from andon.cdk.package_stack import tell
from andon.cdk.queues import LastResort, Reader
from andon.cdk.replica import LAKE, name_of_copy
from andon.cdk.replica_time import COPY_MINUTES
from andon.cdk.target import Target
from andon.events.fact import Facts
from andon.ingress.provisioning import REFUSED
from andon.outbound.sender import CAPPED, OPEN
from andon.rules.hold_back import DEFAULT_SECONDS
from andon.rules.sweep import EVERY_SECONDS, OLDEST
from andon.stores.lake.batch import UNREADABLE
from andon.views.ledger import LATE, LATE_SECONDS

# Signs that a part of the stack is ill, in its metrics: an alarm for each, and the page that says what to do.

LATE_TRIGGER_SECONDS: Final = 180
LATE_PUSH_SECONDS: Final = 60  # a person looks at it
LAKE_LATE_SECONDS: Final = 900  # it waits five minutes for more
REPLAY_LATE_SECONDS: Final = 3600  # a year of the lake is a hundred thousand objects, each looked at once at the start
LATE_DECISION_SECONDS: Final = DEFAULT_SECONDS + EVERY_SECONDS  # the hold-back, and then the next sweep
# Of millions of calls a day some fail, and are tried again; so many minutes in a row are no accident.
NO_ACCIDENT: Final = 3
UNDELIVERED_SECONDS: Final = 600
REFUSALS: Final = 3  # one that nobody registered asks every few minutes; many of them, or who tries names, more often
MOST_BOUNCED: Final = 0.04  # from 0.05 on SES reviews the account, from 0.1 on it may pause it
SMS_FAILED: Final = 2  # a phone that is off is no trouble of ours
SLOW_MS: Final = 3000  # a cold start takes one second, and a read that waits for a write two


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """An alarm: a metric that should not be above a value for some minutes in a row, and what it means if it is.

    The metric has no label: with one, CDK writes it as metric math, which the emulator refuses.
    runbook: the page in `docs/runbooks/`, without its ending. ceases: instead of a value, the metric should not cease
    to be published every minute. collapses: nor should it fall below what is usual.
    """

    name: str
    metric: cloudwatch.Metric
    means: str
    runbook: str
    above: float = 0
    minutes: int = 1
    ceases: bool = False
    collapses: bool = False


def of_functions(scope: IConstruct) -> Iterator[Signal]:
    """Yield the signals that are about all functions together."""
    means = "Functions are throttled: the account has no concurrency left. Listeners lose one of five attempts by it."
    throttled = metrics.throttled_functions()
    yield Signal(name="Throttled", metric=throttled, means=means, runbook="functions-throttled")
    means = "Functions have no libcurl and use botocore: at ten times the CPU, and Lambda counts their rounds as loops."
    yield Signal(name="FellBack", metric=metrics.fell_back(scope), means=means, runbook="wire-fell-back")


def signals_of(watched: IConstruct) -> Iterator[Signal]:
    """Yield the signals of one construct; most have none."""
    match watched:
        case LastResort():
            means = f"Messages wait for a person in {watched.node.path}."
            yield Signal(name="Waiting", metric=metrics.waiting(watched), means=means, runbook="dead-letters")
        case Function():
            yield from _of_function(watched)
        case StreamMapping(function=Function(role="trigger")):
            yield from _of_stream(watched)
        case OwnedTable():
            yield from _of_table(watched)
        case Api():
            yield from _of_api(watched)


def _of_function(watched: Function) -> Iterator[Signal]:
    of_role = _OF_ROLE.get(watched.role)
    return of_role(watched) if of_role else iter(())


def _of_trigger(trigger: Function) -> Iterator[Signal]:
    name = trigger.package.name
    means = f"What {name} does is published late, or not at all. Its stream forgets it after 24 hours."
    yield _behind(trigger, "trigger-failing", seconds=LATE_TRIGGER_SECONDS, means=means)


def _of_push(push: Function) -> Iterator[Signal]:
    name = push.package.name
    means = f"What changes in {name} is not pushed to screens: they read all of it every five minutes instead."
    yield _behind(push, "push-failing", seconds=LATE_PUSH_SECONDS, means=means)


def _of_any_sweep(sweep: Function) -> Iterator[Signal]:
    return _of_sweep(sweep) if sweep.package.side == "services" else _of_daily_sweep(sweep)


def _of_daily_sweep(sweep: Function) -> Iterator[Signal]:
    name = sweep.package.name
    means = f"A run of {name}'s sweep failed or was not begun: days of the lake are not in the {name}."
    yield Signal(name="Dropped", metric=metrics.dropped_calls(sweep), means=means, runbook="archive-behind")


def _of_ingesting(ingest: Function) -> Iterator[Signal]:
    means = f"{ingest.package.name}'s ingest raises or times out: whole batches of what things publish come again."
    errors = metrics.errors(ingest)
    yield Signal(name="Errors", metric=errors, minutes=NO_ACCIDENT, means=means, runbook="listener-errors")


def _of_restore(restore: Function) -> Iterator[Signal]:
    means = f"What {restore.package.name} forgot does not come back: its restore raises or times out."
    yield Signal(name="Errors", metric=metrics.errors(restore), means=means, runbook="restore-failing")


def _of_provision(hook: Function) -> Iterator[Signal]:
    name, runbook = hook.package.name, "claims-refused"
    means = f"{name}'s hook raises or times out: who has a claim becomes no thing, and asks again."
    yield Signal(name="Errors", metric=metrics.errors(hook), minutes=NO_ACCIDENT, means=means, runbook=runbook)
    means = f"More than {REFUSALS} a minute ask {name} by a claim for a thing that is not registered, or is taken."
    refused = metrics.of_service(hook, REFUSED)
    yield Signal(name="Refused", metric=refused, above=REFUSALS, minutes=5, means=means, runbook=runbook)


def _of_sender(sender: Function) -> Iterator[Signal]:
    name = sender.package.name
    means = f"{name}'s sender raises or times out: people are told late, or by nobody."
    yield Signal(name="Errors", metric=metrics.errors(sender), means=means, runbook="sender-failing")
    means = f"A channel of {name} failed five times in a row and takes no messages: people are told by the next one."
    yield Signal(name="Open", metric=metrics.of_service(sender, OPEN), means=means, runbook="channel-open")
    means = f"A channel of {name} has sent what it may in a day: until midnight (UTC) people are told by the next one."
    yield Signal(name="Capped", metric=metrics.of_service(sender, CAPPED), means=means, runbook="channel-capped")
    outbound = Target.of(sender).outbound
    if outbound.mail_from:
        means = "Of the account's mail more comes back than SES bears for long: people are told in vain."
        yield Signal(name="Bounced", metric=metrics.bounced(), above=MOST_BOUNCED, means=means, runbook="told-in-vain")
    if outbound.sms_per_day:
        means = f"Of the SMS of an hour more than {SMS_FAILED} reached nobody, though SNS had taken them."
        yield Signal(
            name="SmsFailed", metric=metrics.sms_failed(), above=SMS_FAILED, means=means, runbook="told-in-vain"
        )


def of_sender(sending: Reader) -> Signal:
    """Return the signal of a sender's queue: a message that is not told comes again for ten minutes at the most."""
    means = "For more than ten minutes a message to somebody waits, and they were told by no channel."
    age = metrics.oldest(sending)
    return Signal(name="Undelivered", metric=age, above=UNDELIVERED_SECONDS, means=means, runbook="sender-failing")


def of_ingest(ingesting: Reader) -> Signal:
    """Return the signal of the queue of what things publish."""
    means = f"For more than {LATE_SECONDS} s a message of a thing waits: {ingesting.name} does not keep up, or fails."
    age = metrics.oldest(ingesting)
    return Signal(name="IngestOldest", metric=age, above=LATE_SECONDS, minutes=5, means=means, runbook="reader-behind")


def _behind(function: Function, runbook: str, *, seconds: int, means: str) -> Signal:
    """Return the signal of a function that follows a stream. While it raises, its batch gets older: it has no other."""
    age = metrics.iterator_age(function)
    return Signal(name="Behind", metric=age, above=seconds * 1000, means=means, runbook=runbook)


def _of_recompute(recompute: Function) -> Iterator[Signal]:
    name, runbook = recompute.package.name, "drift-check-failing"
    means = f"{name} was not compared with its events this hour: the run failed or was not begun."
    yield Signal(name="Dropped", metric=metrics.dropped_calls(recompute), means=means, runbook=runbook)
    means = f"Some rows of {name} could not be compared with their events."
    yield Signal(name="Failed", metric=metrics.of_view(recompute, "failed"), means=means, runbook=runbook)
    means = f"Rows of {name} differed from what their events make of them: GET /drift shows which."
    yield Signal(name="Drift", metric=metrics.of_view(recompute, "drift"), means=means, runbook="drift")


def _of_stream(mapping: StreamMapping) -> Iterator[Signal]:
    name, runbook = mapping.function.package.name, "stream-gave-up"
    means = f"{name}'s trigger failed until a batch was too old: it is not published, and kept in S3."
    kept = metrics.of_mapping(mapping, "OnFailureDestinationDeliveredEventCount")
    yield Signal(name="GaveUp", metric=kept, means=means, runbook=runbook)
    means = f"{name}'s trigger failed until a batch was too old, and S3 did not take it: it may be lost."
    lost = metrics.of_mapping(mapping, "DroppedEventCount")
    yield Signal(name="Dropped", metric=lost, means=means, runbook=runbook)


def _of_table(table: OwnedTable) -> Iterator[Signal]:
    runbook = "table-throttled"
    means = f"Writes to {table.variable} are throttled: a partition, or the table, gets more than it takes."
    yield Signal(name="Throttled", metric=metrics.throttled_writes(table), means=means, runbook=runbook)
    for index in table.index_names:
        means = f"Writes to {table.variable} are throttled by its index {index}: one key gets more than it takes."
        throttled = metrics.throttled_writes(table, index)
        yield Signal(name=f"{index}-Throttled", metric=throttled, means=means, runbook=runbook)


def _of_api(api: Api) -> Iterator[Signal]:
    means, failing = "Callers get 5xx answers.", metrics.of_api(api, "5xx")
    yield Signal(name="Failing", metric=failing, minutes=NO_ACCIDENT, means=means, runbook="api-failing")
    means = "Requests got 429: a route has more than its throttle allows, or a caller more than its share."
    yield Signal(name="Throttled", metric=metrics.throttled(api), minutes=5, means=means, runbook="api-throttled")
    if Target.of(api).learns_usual:
        # Under a flood API Gateway counts and logs few of the 429s; the others are missing in what it counts at all.
        # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-monitor.html
        means = "Far fewer requests are counted than is usual: devices are cut off, or a flood takes what they need."
        count = metrics.of_api(api, "Count")
        yield Signal(name="Collapsed", metric=count, minutes=10, collapses=True, means=means, runbook="api-throttled")
    means = f"One request in a hundred takes longer than {SLOW_MS} ms."
    latency = metrics.of_api(api, "Latency", "p99")
    yield Signal(name="Slow", metric=latency, above=SLOW_MS, minutes=5, means=means, runbook="api-slow")


def of_lake(reader: Reader) -> Iterator[Signal]:
    """Yield the signals of the lake."""
    late = LAKE_LATE_SECONDS
    means = f"For {late} s events are not in the lake. Its queue forgets them after four days."
    age = metrics.oldest(reader)
    yield Signal(name="Oldest", metric=age, above=late, minutes=5, means=means, runbook="lake-behind")
    means = "The lake got what is no event of the bus: it is kept under unreadable/ in its bucket."
    unreadable = metrics.of_listener(reader, UNREADABLE)
    yield Signal(name="Unreadable", metric=unreadable, means=means, runbook="lake-unreadable")
    yield from of_listener(reader)


def of_copy(lake: s3.Bucket) -> Iterator[Signal]:
    """Yield the signals of the lake's copy in another region, if there is one."""
    target = Target.of(lake)
    if target.replica_region is None:
        return
    copy, late = name_of_copy(target, LAKE), COPY_MINUTES * 60
    means = f"For more than {late} s events are not in the lake's copy: if the region is lost, they are."
    behind = metrics.of_copy(lake.bucket_name, copy, "ReplicationLatency", "Maximum")
    yield Signal(name="CopyBehind", metric=behind, above=late, minutes=5, means=means, runbook="copy-behind")
    means = "S3 could not copy objects of the lake, and does not try again."
    failed = metrics.of_copy(lake.bucket_name, copy, "OperationsFailedReplication", "Sum")
    yield Signal(name="CopyFailed", metric=failed, means=means, runbook="copy-behind")


def of_faults(reader: Reader) -> Iterator[Signal]:
    """Yield the signals of the fault store."""
    means = "Somebody got a message that can never succeed: GET /faults shows it."
    yield Signal(name="Faults", metric=metrics.sent(reader.queue), means=means, runbook="faults")
    yield from of_reader(reader)


def of_replays(reader: Reader) -> Iterator[Signal]:
    """Yield the signals of the replays."""
    means, hour = "A replay has not gone on for an hour.", REPLAY_LATE_SECONDS
    age = metrics.oldest(reader)
    yield Signal(name="Oldest", metric=age, above=hour, minutes=5, means=means, runbook="replay-stuck")
    yield from of_listener(reader)


def of_model(reader: Function) -> Signal:
    """Return the signal of a model that its service cannot read."""
    means = f"{reader.package.name} cannot read its model, and decides by the last one, or nothing."
    unreadable = metrics.of_service(reader, "model_unreadable")
    return Signal(name="Unreadable", metric=unreadable, minutes=5, means=means, runbook="model-unreadable")


def of_facts(trigger: Function, facts: Facts) -> Iterator[Signal]:
    """Yield the signals of facts that ring whenever one is published.

    Raises:
        ValueError: the service does not declare the type of one.

    """
    for event_type, alarm in facts.alarms.items():
        if event_type not in facts.types:
            raise ValueError(f"facts.py of {facts.source}: an alarm is on {event_type}, which is not among its types")
        count = metrics.of_service(trigger, event_type)
        yield Signal(name=alarm.name, metric=count, means=alarm.means, runbook=alarm.runbook)


def of_reader(reader: Reader) -> Iterator[Signal]:
    """Yield the signals of a reader of domain events."""
    late, runbook = LATE_SECONDS, "reader-behind"
    means = f"{reader.name} does not keep up, or its listener fails."
    yield Signal(name="Oldest", metric=metrics.oldest(reader), above=late, minutes=5, means=means, runbook=runbook)
    means = f"For five minutes facts take longer than {late} s from the bus to {reader.name}."
    lagging = metrics.of_listener(reader, LATE)
    yield Signal(name="Lag", metric=lagging, minutes=5, means=means, runbook=runbook)
    yield from of_listener(reader)


def of_listener(reader: Reader) -> Iterator[Signal]:
    """Yield the signals of any listener."""
    means = f"{reader.name}'s listener raises or times out: whole batches come again."
    errors = metrics.errors(reader.listener)
    yield Signal(name="Errors", metric=errors, minutes=NO_ACCIDENT, means=means, runbook="listener-errors")


def _of_sweep(sweep: Function) -> Iterator[Signal]:
    name, runbook = sweep.package.name, "sweep-failing"
    means = f"{name}'s sweep raises or times out: what is due is decided late, or not at all."
    yield Signal(name="Failing", metric=metrics.errors(sweep), means=means, runbook=runbook)
    means = f"For five minutes {name}'s sweep has not run: what is due is not decided."
    yield Signal(name="Silent", metric=metrics.runs(sweep), minutes=5, means=means, runbook=runbook, ceases=True)
    means = f"For five minutes {name}'s sweep could not decide all that was due."
    failed = metrics.of_service(sweep, "failed")
    yield Signal(name="Undecided", metric=failed, minutes=5, means=means, runbook=runbook)
    means = f"For two minutes {name} had something to decide for longer than {LATE_DECISION_SECONDS} s."
    oldest, late_ms = metrics.of_service(sweep, OLDEST, "Maximum"), LATE_DECISION_SECONDS * 1000
    yield Signal(name="Late", metric=oldest, above=late_ms, minutes=2, means=means, runbook=runbook)
    means = f"Decisions of {name} are due by rules that its version does not know; they wait. Deploy the one that does."
    unknown = metrics.of_service(sweep, "unknown")
    yield Signal(name="Unknown", metric=unknown, means=means, runbook="rule-unknown")


_OF_ROLE: Final[Mapping[str, Callable[[Function], Iterator[Signal]]]] = {
    "trigger": _of_trigger,
    "push": _of_push,
    "sweep": _of_any_sweep,
    "recompute": _of_recompute,
    "sender": _of_sender,
    "ingest": _of_ingesting,
    "provision": _of_provision,
    "restore": _of_restore,
}


# Standard deviations from what CloudWatch has learnt for the hour and the weekday: a shift that ends is none of it.
UNUSUAL: Final = 5


class _Settings(TypedDict):
    metric: cloudwatch.IMetric
    alarm_name: str
    alarm_description: str
    evaluation_periods: int
    treat_missing_data: cloudwatch.TreatMissingData


def watch(root: Stack, found: Iterable[Construct], parts: Mapping[Stack, Iterable[Signal]]) -> None:
    """Create the alarms of all functions together, of all that is found, and of each part in its stack, if any."""
    if not Target.of(root).alarmed:
        return
    topic = Target.of(root).alarm_topic
    if topic:
        tell(root, "AlarmTopicArn", _arn(root, topic), "the topic of all alarms")
    of_resources = ((one, signal) for one in found for signal in signals_of(one))
    of_parts = ((stack, signal) for stack, signals in parts.items() for signal in signals)
    functions = Construct(root, "Functions")
    for signal in of_functions(root):
        _alarm(functions, signal)
    for watched, signal in chain(of_resources, of_parts):
        _alarm(watched, signal)


def _alarm(watched: Construct, signal: Signal) -> None:
    """Create an alarm below what it watches, named by its path: the root stack's name begins all of them."""
    target, missing, compared = Target.of(watched), cloudwatch.TreatMissingData, cloudwatch.ComparisonOperator
    settings: _Settings = {
        "metric": signal.metric,
        "alarm_name": f"{watched.node.path}/{signal.name}",
        "alarm_description": f"{signal.means} Runbook: {target.runbooks}/{signal.runbook}.md",
        "evaluation_periods": signal.minutes,
        # Most of these metrics are published only when there is something to count.
        "treat_missing_data": missing.BREACHING if signal.ceases else missing.NOT_BREACHING,
    }
    alarm: cloudwatch.AlarmBase
    if signal.collapses:
        below = compared.LESS_THAN_LOWER_THRESHOLD
        alarm = cloudwatch.AnomalyDetectionAlarm(
            watched, f"{signal.name}Alarm", std_devs=UNUSUAL, comparison_operator=below, **settings
        )
    else:
        operator = compared.LESS_THAN_THRESHOLD if signal.ceases else compared.GREATER_THAN_THRESHOLD
        threshold = 1 if signal.ceases else signal.above
        alarm = cloudwatch.Alarm(
            watched, f"{signal.name}Alarm", threshold=threshold, comparison_operator=operator, **settings
        )
    if target.alarm_topic:
        alarm.add_alarm_action(actions.SnsAction(_topic(watched, target.alarm_topic)))


def _topic(scope: Construct, topic: str) -> sns.ITopic:
    stack = Stack.of(scope)
    found = stack.node.try_find_child("AlarmTopic")
    return found or sns.Topic.from_topic_arn(stack, "AlarmTopic", _arn(stack, topic))  # type: ignore[return-value]


def _arn(stack: Stack, topic: str) -> str:
    """Return the ARN of a topic; one that is named is in the account and region of the stack."""
    return topic if topic.startswith("arn:") else stack.format_arn(service="sns", resource=topic)
