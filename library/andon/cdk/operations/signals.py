"""The alarms: a row for each, with its threshold, in a table for each kind of watched thing.

An alarm comes to be in two steps. `EventHub.close` calls `watch` with all constructs of the stack, whose tables `_rows`
finds, and with what each part says of itself (`Part.signals`: something watched, and its table here). `watch` makes an
alarm of each row, in the template of what is watched, named by its path.

So a threshold is decided and changed here: `above` and `minutes` of its row. Each is a figure, or a name of this file.
Three figures stand where something else needs them, too:

| name | figure | where | who else needs it |
|---|---|---|---|
| `LATE_SECONDS`: a queue's oldest message | 300 | `andon.views.results` | a listener counts a fact as `late` by it |
| `EVERY_SECONDS`, in `LATE_DECISION_SECONDS` (90) | 60 | `andon.rules.sweep` | the sweep: its schedule, its timeout |
| `COPY_MINUTES`: the lake's copy | 15 | `andon.cdk.replica` | S3, which promises to be as fast |

Elsewhere are those of deployments, which wake nobody (in `function.py`, `queues.py` and `api.py`), and the facts that
ring whenever one is published (`alarms` in a service's `facts.py`; `of_facts` below).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypedDict, TypeVar

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
from andon.cdk.package_stack import add_output
from andon.cdk.queues import LastResort, Reader
from andon.cdk.replica import COPY_MINUTES
from andon.cdk.target import Target
from andon.events.fact import Facts
from andon.ingress.provisioning import REFUSED
from andon.outbound.sender import CAPPED, OPEN
from andon.rules.sweep import EVERY_SECONDS, OLDEST
from andon.stores.lake.batch import UNREADABLE
from andon.views.results import LATE, LATE_SECONDS

W = TypeVar("W")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal(Generic[W]):
    """A sign of illness: a metric that should not be above a value for some minutes in a row.

    metric: of what is watched; without a label: with one, CDK writes it as metric math, which the emulator refuses.
    unit: of the metric, in that of `above`: 1000 where it is in milliseconds. means: what it means if it rings, with
    `{it}` for what is watched (so is `name`), `{above}`, and in words `{minutes}` and `{above_minutes}`. runbook: the
    page in `docs/runbooks/`, without its ending. ceases: instead, the metric should not cease to be published every
    minute. collapses: nor should it fall below what is usual. there_is: whether a stage has it.
    """

    name: str
    metric: Callable[[W], cloudwatch.Metric]
    means: str
    runbook: str
    above: float = 0
    unit: int = 1
    minutes: int = 1
    ceases: bool = False
    collapses: bool = False
    there_is: Callable[[Target], object] = lambda _: True


Watched = tuple[Any, Iterable[Signal[Any]]]
"""Something, and the signals of its kind."""

# Of millions of calls a day some fail, and are tried again; so many minutes in a row are no accident.
_NO_ACCIDENT: Final = 3

_IN_WORDS: Final[Mapping[float, str]] = {2: "two", 5: "five", 10: "ten"}

# Standard deviations from what CloudWatch has learnt for the hour and the weekday: a shift that ends is none of it.
UNUSUAL: Final = 5

LATE_TRIGGER_SECONDS: Final = 180
"""Of the way from a table to the bus, which `rpo_seconds` counts, too."""


LATE_DECISION_SECONDS: Final = EVERY_SECONDS + 30
"""Since a decision has been due, which is behind its stage's hold-back: the next sweep, and half a minute of it."""


def rpo_seconds(target: Target) -> int:
    """Return the age from which on no acknowledged write is missing in the replica region: the sum of three steps.

    A trigger that is later than the first rings, and so does a copy that is later than the last.
    """
    return LATE_TRIGGER_SECONDS + target.lake_settles_seconds + COPY_MINUTES * 60


_OF_STACK: Final[tuple[Signal[Stack], ...]] = (  # all functions together
    Signal(
        name="Throttled",
        metric=metrics.throttled_functions,
        means="Functions are throttled: the account has no concurrency left. Listeners lose one of five attempts by "
        "it.",
        runbook="functions-throttled",
    ),
    Signal(
        name="FellBack",
        metric=metrics.fell_back,
        means="Functions have no libcurl and use botocore: at ten times the CPU, and Lambda counts their rounds as "
        "loops.",
        runbook="wire-fell-back",
    ),
)

_OF_API: Final[tuple[Signal[Api], ...]] = (
    Signal(
        name="Failing",
        metric=metrics.of_api("5xx"),
        minutes=_NO_ACCIDENT,
        means="Callers get 5xx answers.",
        runbook="api-failing",
    ),
    Signal(
        name="Throttled",
        metric=metrics.throttled,
        minutes=5,
        means="Requests got 429: a route has more than its throttle allows, or a caller more than its share.",
        runbook="api-throttled",
    ),
    # Under a flood API Gateway counts and logs few of the 429s; the others are missing in what it counts at all.
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-monitor.html
    Signal(
        name="Collapsed",
        metric=metrics.of_api("Count"),
        minutes=10,
        collapses=True,
        there_is=lambda target: target.learns_usual,
        means="Far fewer requests are counted than is usual: devices are cut off, or a flood takes what they need.",
        runbook="api-throttled",
    ),
    Signal(
        name="Slow",
        metric=metrics.of_api("Latency", "p99"),
        above=3000,  # milliseconds: a cold start takes one second, and a read that waits for a write two
        minutes=5,
        means="One request in a hundred takes longer than {above} ms.",
        runbook="api-slow",
    ),
)

_OF_DEAD_LETTERS: Final[tuple[Signal[LastResort], ...]] = (
    Signal(
        name="Waiting",
        metric=metrics.waiting,
        means="Messages wait for a person in {it.node.path}.",
        runbook="dead-letters",
    ),
)

_OF_TABLE: Final[tuple[Signal[OwnedTable], ...]] = (
    Signal(
        name="Throttled",
        metric=metrics.throttled_writes,
        means="Writes to {it.variable} are throttled: a partition, or the table, gets more than it takes.",
        runbook="table-throttled",
    ),
)

_OF_INDEX: Final[tuple[Signal[metrics.Indexed], ...]] = (
    Signal(
        name="{it.name}-Throttled",
        metric=metrics.throttled_index,
        means="Writes to {it.table.variable} are throttled by its index {it.name}: one key gets more than it takes.",
        runbook="table-throttled",
    ),
)

_OF_TRIGGERS_STREAM: Final[tuple[Signal[StreamMapping], ...]] = (
    Signal(
        name="GaveUp",
        metric=metrics.of_mapping("OnFailureDestinationDeliveredEventCount"),
        means="{it.function.package.name}'s trigger failed until a batch was too old: it is not published, and kept in "
        "S3.",
        runbook="stream-gave-up",
    ),
    Signal(
        name="Dropped",
        metric=metrics.of_mapping("DroppedEventCount"),
        means="{it.function.package.name}'s trigger failed until a batch was too old, and S3 did not take it: it may "
        "be lost.",
        runbook="stream-gave-up",
    ),
)

# A function that follows a stream: while it raises, its batch gets older, so that it needs no alarm of its errors.
_OF_FUNCTION: Final[Mapping[str, tuple[Signal[Function], ...]]] = {  # by side and role
    "services/trigger": (
        Signal(
            name="Behind",
            metric=metrics.iterator_age,
            above=LATE_TRIGGER_SECONDS,
            unit=1000,
            means="What {it.package.name} does is published late, or not at all. Its stream forgets it after 24 hours.",
            runbook="trigger-failing",
        ),
    ),
    "views/push": (
        Signal(
            name="Behind",
            metric=metrics.iterator_age,
            above=60,  # a person looks at it
            unit=1000,
            means="What changes in {it.package.name} is not pushed to screens: they read all of it every five minutes "
            "instead.",
            runbook="push-failing",
        ),
    ),
    "services/sweep": (
        Signal(
            name="Failing",
            metric=metrics.errors,
            means="{it.package.name}'s sweep raises or times out: what is due is decided late, or not at all.",
            runbook="sweep-failing",
        ),
        Signal(
            name="Silent",
            metric=metrics.runs,
            minutes=5,
            ceases=True,
            means="For {minutes} minutes {it.package.name}'s sweep has not run: what is due is not decided.",
            runbook="sweep-failing",
        ),
        Signal(
            name="Undecided",
            metric=metrics.of_service("failed"),
            minutes=5,
            means="For {minutes} minutes {it.package.name}'s sweep could not decide all that was due.",
            runbook="sweep-failing",
        ),
        Signal(
            name="Late",
            metric=metrics.of_service(OLDEST, "Maximum"),
            above=LATE_DECISION_SECONDS,
            unit=1000,
            minutes=2,
            means="For {minutes} minutes {it.package.name} had something to decide for longer than {above} s.",
            runbook="sweep-failing",
        ),
        Signal(
            name="Unknown",
            metric=metrics.of_service("unknown"),
            means="Decisions of {it.package.name} are due by rules that its version does not know; they wait. Deploy "
            "the one that does.",
            runbook="rule-unknown",
        ),
    ),
    "stores/sweep": (
        Signal(
            name="Dropped",
            metric=metrics.dropped_calls,
            means="A run of {it.package.name}'s sweep failed or was not begun: days of the lake are not in the "
            "{it.package.name}.",
            runbook="archive-behind",
        ),
    ),
    "views/recompute": (
        Signal(
            name="Dropped",
            metric=metrics.dropped_calls,
            means="{it.package.name} was not compared with its events this hour: the run failed or was not begun.",
            runbook="drift-check-failing",
        ),
        Signal(
            name="Failed",
            metric=metrics.of_view("failed"),
            means="Some rows of {it.package.name} could not be compared with their events.",
            runbook="drift-check-failing",
        ),
        Signal(
            name="Drift",
            metric=metrics.of_view("drift"),
            means="Rows of {it.package.name} differed from what their events make of them: GET /drift shows which.",
            runbook="drift",
        ),
    ),
    "services/sender": (
        Signal(
            name="Errors",
            metric=metrics.errors,
            means="{it.package.name}'s sender raises or times out: people are told late, or by nobody.",
            runbook="sender-failing",
        ),
        Signal(
            name="Open",
            metric=metrics.of_service(OPEN),
            means="A channel of {it.package.name} failed five times in a row and takes no messages: people are told "
            "by the next one.",
            runbook="channel-open",
        ),
        Signal(
            name="Capped",
            metric=metrics.of_service(CAPPED),
            means="A channel of {it.package.name} has sent what it may in a day: until midnight (UTC) people are told "
            "by the next one.",
            runbook="channel-capped",
        ),
        Signal(
            name="Bounced",
            metric=metrics.bounced,
            above=0.04,  # a share: from 0.05 on SES reviews the account, from 0.1 on it may pause it
            there_is=lambda target: target.stage.mail_from,
            means="Of the account's mail more comes back than SES bears for long: people are told in vain.",
            runbook="told-in-vain",
        ),
        Signal(
            name="SmsFailed",
            metric=metrics.sms_failed,
            above=2,  # a phone that is off is no trouble of ours
            there_is=lambda target: target.stage.sms_per_day,
            means="Of the SMS of an hour more than {above} reached nobody, though SNS had taken them.",
            runbook="told-in-vain",
        ),
    ),
    "services/ingest": (
        Signal(
            name="Errors",
            metric=metrics.errors,
            minutes=_NO_ACCIDENT,
            means="{it.package.name}'s ingest raises or times out: whole batches of what things publish come again.",
            runbook="listener-errors",
        ),
    ),
    "services/provision": (
        Signal(
            name="Errors",
            metric=metrics.errors,
            minutes=_NO_ACCIDENT,
            means="{it.package.name}'s hook raises or times out: who has a claim becomes no thing, and asks again.",
            runbook="claims-refused",
        ),
        Signal(
            name="Refused",
            metric=metrics.of_service(REFUSED),
            above=3,  # one that nobody registered asks every few minutes; many of them, or who tries names, more often
            minutes=5,
            means="More than {above} a minute ask {it.package.name} by a claim for a thing that is not registered, or "
            "is taken.",
            runbook="claims-refused",
        ),
    ),
    "services/restore": (
        Signal(
            name="Errors",
            metric=metrics.errors,
            means="What {it.package.name} forgot does not come back: its restore raises or times out.",
            runbook="restore-failing",
        ),
    ),
}

OF_MODEL: Final[tuple[Signal[Function], ...]] = (  # by who reads it
    Signal(
        name="Unreadable",
        metric=metrics.of_service("model_unreadable"),
        minutes=5,
        means="{it.package.name} cannot read its model, and decides by the last one, or nothing.",
        runbook="model-unreadable",
    ),
)

OF_LISTENER: Final[tuple[Signal[Reader], ...]] = (  # any listener; the tables below have it, too
    Signal(
        name="Errors",
        metric=lambda it: metrics.errors(it.listener),
        minutes=_NO_ACCIDENT,
        means="{it.name}'s listener raises or times out: whole batches come again.",
        runbook="listener-errors",
    ),
)

OF_READER: Final[tuple[Signal[Reader], ...]] = (  # of domain events
    Signal(
        name="Oldest",
        metric=metrics.oldest,
        above=LATE_SECONDS,
        minutes=5,
        means="{it.name} does not keep up, or its listener fails.",
        runbook="reader-behind",
    ),
    Signal(
        name="Lag",
        metric=metrics.of_listener(LATE),
        minutes=5,
        means=f"For {{minutes}} minutes facts take longer than {LATE_SECONDS} s from the bus to {{it.name}}.",
        runbook="reader-behind",
    ),
    *OF_LISTENER,
)

OF_INGESTING: Final[tuple[Signal[Reader], ...]] = (  # the queue of what things publish
    Signal(
        name="IngestOldest",
        metric=metrics.oldest,
        above=LATE_SECONDS,
        minutes=5,
        means="For more than {above} s a message of a thing waits: {it.name} does not keep up, or fails.",
        runbook="reader-behind",
    ),
)

OF_SENDING: Final[tuple[Signal[Reader], ...]] = (  # a sender's queue: a message that is not told comes again
    Signal(
        name="Undelivered",
        metric=metrics.oldest,
        above=600,
        means="For more than {above_minutes} minutes a message to somebody waits, and they were told by no channel.",
        runbook="sender-failing",
    ),
)

OF_FAULTS: Final[tuple[Signal[Reader], ...]] = (
    Signal(
        name="Faults",
        metric=metrics.sent,
        means="Somebody got a message that can never succeed: GET /faults shows it.",
        runbook="faults",
    ),
    *OF_READER,
)

OF_LAKE: Final[tuple[Signal[Reader], ...]] = (
    Signal(
        name="Oldest",
        metric=metrics.oldest,
        above=900,  # it waits five minutes for more
        minutes=5,
        means="For {above} s events are not in the lake. Its queue forgets them after four days.",
        runbook="lake-behind",
    ),
    Signal(
        name="Unreadable",
        metric=metrics.of_listener(UNREADABLE),
        means="The lake got what is no event of the bus: it is kept under unreadable/ in its bucket.",
        runbook="lake-unreadable",
    ),
    *OF_LISTENER,
)

OF_COPY: Final[tuple[Signal[s3.Bucket], ...]] = (  # the lake's, in another region
    Signal(
        name="CopyBehind",
        metric=metrics.of_copy("ReplicationLatency", "Maximum"),
        above=COPY_MINUTES * 60,
        minutes=5,
        there_is=lambda target: target.stage.replica_region,
        means="For more than {above} s events are not in the lake's copy: if the region is lost, they are.",
        runbook="copy-behind",
    ),
    Signal(
        name="CopyFailed",
        metric=metrics.of_copy("OperationsFailedReplication", "Sum"),
        there_is=lambda target: target.stage.replica_region,
        means="S3 could not copy objects of the lake, and does not try again.",
        runbook="copy-behind",
    ),
)

OF_REPLAYS: Final[tuple[Signal[Reader], ...]] = (
    Signal(
        name="Oldest",
        metric=metrics.oldest,
        above=3600,  # a year of the lake is a hundred thousand objects, each looked at once at the start
        minutes=5,
        means="A replay has not gone on for an hour.",
        runbook="replay-stuck",
    ),
    *OF_LISTENER,
)


def of_facts(facts: Facts) -> Iterator[Signal[Function]]:
    """Yield the signals of facts that ring whenever one is published, as their trigger counts.

    Raises:
        ValueError: the service does not declare the type of one.

    """
    for event_type, alarm in facts.alarms.items():
        if event_type not in facts.types:
            raise ValueError(f"facts.py of {facts.source}: an alarm is on {event_type}, which is not among its types")
        means = alarm.means.replace("{", "{{").replace("}", "}}")
        yield Signal(name=alarm.name, metric=metrics.of_service(event_type), means=means, runbook=alarm.runbook)


def _rows(found: IConstruct) -> Iterator[Watched]:
    """Yield the tables about one construct; most have none."""
    match found:
        case LastResort():
            yield found, _OF_DEAD_LETTERS
        case Function():
            yield found, _OF_FUNCTION.get(f"{found.package.side}/{found.role}", ())
        case StreamMapping(function=Function(role="trigger")):
            yield found, _OF_TRIGGERS_STREAM
        case OwnedTable():
            yield found, _OF_TABLE
            for index in found.index_names:
                yield metrics.Indexed(found, index), _OF_INDEX
        case Api():
            yield found, _OF_API


def watch(root: Stack, found: Iterable[Construct], parts: Mapping[Stack, Iterable[Watched]]) -> None:
    """Create the alarms of all functions together, of all that is found, and of each part in its stack, if any."""
    if not Target.of(root).stage.alarms:
        return
    topic = Target.of(root).stage.alarm_topic
    if topic:
        add_output(root, "AlarmTopicArn", _arn(root, topic), "the topic of all alarms")
    _ring(Construct(root, "Functions"), [(root, _OF_STACK)])
    for one in found:
        _ring(one, _rows(one))
    for stack, watched in parts.items():
        _ring(stack, watched)


def _ring(scope: Construct, watched: Iterable[Watched]) -> None:
    """Create below a construct the alarms of each row that the stage has."""
    for it, rows in watched:
        for row in rows:
            if row.there_is(Target.of(scope)):
                _alarm(scope, it, row)


class _Settings(TypedDict):
    metric: cloudwatch.IMetric
    alarm_name: str
    alarm_description: str
    evaluation_periods: int
    treat_missing_data: cloudwatch.TreatMissingData


def _alarm(scope: Construct, it: object, row: Signal[Any]) -> None:
    """Create an alarm, named by the path of the watched thing: the root stack's name begins all of them."""
    target, missing, compared = Target.of(scope), cloudwatch.TreatMissingData, cloudwatch.ComparisonOperator
    name, page = row.name.format(it=it), f"{target.stage.runbooks}/{row.runbook}.md"
    settings: _Settings = {
        "metric": row.metric(it),
        "alarm_name": f"{scope.node.path}/{name}",
        "alarm_description": f"{_meaning(it, row)} Runbook: {page}",
        "evaluation_periods": row.minutes,
        # Most of these metrics are published only when there is something to count.
        "treat_missing_data": missing.BREACHING if row.ceases else missing.NOT_BREACHING,
    }
    alarm: cloudwatch.AlarmBase
    if row.collapses:
        below = compared.LESS_THAN_LOWER_THRESHOLD
        alarm = cloudwatch.AnomalyDetectionAlarm(
            scope, f"{name}Alarm", std_devs=UNUSUAL, comparison_operator=below, **settings
        )
    else:
        operator = compared.LESS_THAN_THRESHOLD if row.ceases else compared.GREATER_THAN_THRESHOLD
        threshold = 1 if row.ceases else row.above * row.unit
        alarm = cloudwatch.Alarm(scope, f"{name}Alarm", threshold=threshold, comparison_operator=operator, **settings)
    if target.stage.alarm_topic:
        alarm.add_alarm_action(actions.SnsAction(_topic(scope, target.stage.alarm_topic)))


def _meaning(it: object, row: Signal[Any]) -> str:
    minutes, above = (_IN_WORDS.get(count, count) for count in (row.minutes, row.above / 60))
    return row.means.format(it=it, above=row.above, minutes=minutes, above_minutes=above)


def _topic(scope: Construct, topic: str) -> sns.ITopic:
    stack = Stack.of(scope)
    found = stack.node.try_find_child("AlarmTopic")
    return found or sns.Topic.from_topic_arn(stack, "AlarmTopic", _arn(stack, topic))  # type: ignore[return-value]


def _arn(stack: Stack, topic: str) -> str:
    """Return the ARN of a topic; one that is named is in the account and region of the stack."""
    return topic if topic.startswith("arn:") else stack.format_arn(service="sns", resource=topic)
