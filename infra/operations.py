"""Alarms, and one dashboard. Both are made from what is found in the stack, so that nothing is listed here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aws_cdk import CfnOutput, NestedStack, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct, IConstruct

from infra.api import Api
from infra.archive import Archive
from infra.dashboard import widgets
from infra.drift import Drift
from infra.fault_store import FaultStore
from infra.function import Function
from infra.lake import Lake
from infra.metrics import MINUTE, iterator_age, of_api, of_reader, of_service, of_view, oldest, waiting
from infra.models import Models
from infra.queues import LastResort, Reader
from infra.replays import Replays
from infra.service import Service
from infra.target import Target
from infra.view import View

LATE_SECONDS: Final = 300  # a healthy reader is behind by seconds
LATE_PUSH_SECONDS: Final = 60  # a person looks at it
LAKE_LATE_SECONDS: Final = 900  # it waits five minutes for more
REPLAY_LATE_SECONDS: Final = 3600  # a year of the lake is a hundred thousand objects, each looked at once at the start


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """An alarm: a metric that should not be above a value for some minutes in a row, and what it means if it is.

    The metric has no label: with one, CDK writes it as metric math, which the emulator refuses.
    regular: it is published every minute, so that missing data is an alarm, too.
    """

    name: str
    metric: cloudwatch.Metric
    above: float
    minutes: int
    means: str
    regular: bool = False


class Operations(NestedStack):
    """Alarms and a dashboard for everything in a scope so far.

    They are a template of their own: CloudFormation takes 500 resources in one.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
    """

    def __init__(self, scope: Construct) -> None:
        super().__init__(scope, "Operations", description="Andon: alarms and the dashboard")
        topic = Target.of(self).alarm_topic
        self._topic = sns.Topic.from_topic_arn(self, "Topic", _arn(self, topic)) if topic else None
        if self._topic:
            CfnOutput(Stack.of(scope), "AlarmTopicArn", value=self._topic.topic_arn)
        found = scope.node.find_all()
        for watched in found:
            for signal in _signals(watched):
                self._alarm(watched, signal)
        cloudwatch.Dashboard(self, "Dashboard", widgets=widgets(found))

    def _alarm(self, watched: IConstruct, signal: Signal) -> None:
        missing = cloudwatch.TreatMissingData
        alarm = signal.metric.create_alarm(
            self,
            f"{watched.node.path.partition('/')[2]}/{signal.name}".replace("/", "-"),
            alarm_description=signal.means,
            threshold=signal.above,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=signal.minutes,
            # Most of these metrics are published only when there is something to count.
            treat_missing_data=missing.BREACHING if signal.regular else missing.NOT_BREACHING,
        )
        if self._topic:
            alarm.add_alarm_action(actions.SnsAction(self._topic))


def _arn(scope: Construct, topic: str) -> str:
    """Return the ARN of a topic; one that is named is in the account and region of the stack."""
    return topic if topic.startswith("arn:") else Stack.of(scope).format_arn(service="sns", resource=topic)


def _signals(watched: IConstruct) -> Iterator[Signal]:
    match watched:
        case LastResort():
            means = f"Messages wait for a person in {watched.node.path}: see README, redrive."
            yield Signal(name="Waiting", metric=waiting(watched), above=0, minutes=1, means=means)
        case View(reader=reader) | Service(reader=Reader() as reader):
            yield from _signals_of_reader(reader)
        case FaultStore(reader=reader):
            means = "Somebody got a message that can never succeed: GET /faults shows it."
            yield Signal(name="Faults", metric=of_reader(reader, "received", "Sum"), above=0, minutes=1, means=means)
            yield from _signals_of_reader(reader)
        case Lake(reader=reader):
            yield from _signals_of_lake(reader)
        case Models(reader=reader):
            means = (
                f"{reader.package.name} cannot read its model, and decides by the last one, or nothing: see its log."
            )
            unreadable = of_service(reader, "model_unreadable")
            yield Signal(name="Unreadable", metric=unreadable, above=0, minutes=5, means=means)
        case Archive(reader=reader) | Drift(reader=reader):
            yield from _signals_of_listener(reader)
        case Replays(reader=reader):
            means = "A replay has not gone on for an hour: the log of its listener says why."
            yield Signal(name="Oldest", metric=oldest(reader), above=REPLAY_LATE_SECONDS, minutes=5, means=means)
            yield from _signals_of_listener(reader)
        case Function():
            yield from _signals_of_function(watched)
        case Api():
            means = "Callers get 5xx answers: the log of the function says why."
            yield Signal(name="Failing", metric=of_api(watched, "5xx"), above=0, minutes=1, means=means)


def _signals_of_function(watched: Function) -> Iterator[Signal]:
    name, errors = watched.package.name, watched.handler.metric_errors(period=MINUTE)
    match watched.role, watched.package.side:
        case "trigger", _:
            means = f"What {name} does is not published. Its stream forgets it after 24 hours."
            age = iterator_age(watched)
            yield Signal(name="Behind", metric=age, above=LATE_SECONDS * 1000, minutes=1, means=means)
        case "push", _:
            age = iterator_age(watched)
            means = f"What changes in {name} is not pushed to screens: they read all of it every five minutes instead."
            yield Signal(name="Behind", metric=age, above=LATE_PUSH_SECONDS * 1000, minutes=1, means=means)
            means = f"{name}'s push raises or times out: the broker does not take what screens are to show."
            yield Signal(name="Errors", metric=errors, above=0, minutes=1, means=means)
        case "sweep", "services":
            yield from _signals_of_sweep(watched)
        case "sweep", _:
            means = f"{name}'s sweep raises or times out: days of the lake are not in the {name}."
            yield Signal(name="Failing", metric=errors, above=0, minutes=1, means=means)
        case "recompute", _:
            means = f"{name} is not compared with its events: its recompute raises, times out, or fails: see its log."
            yield Signal(name="Failing", metric=errors, above=0, minutes=1, means=means)
            yield Signal(name="Failed", metric=of_view(watched, "failed"), above=0, minutes=1, means=means)
            means = f"Rows of {name} differed from what their events make of them: GET /drift shows which."
            yield Signal(name="Drift", metric=of_view(watched, "drift"), above=0, minutes=1, means=means)
        case "restore", _:
            means = f"What {name} forgot does not come back: its restore raises or times out."
            yield Signal(name="Errors", metric=errors, above=0, minutes=1, means=means)


def _signals_of_lake(reader: Reader) -> Iterator[Signal]:
    means = f"For {LAKE_LATE_SECONDS} s events are not in the lake. Its queue forgets them after four days."
    yield Signal(name="Oldest", metric=oldest(reader), above=LAKE_LATE_SECONDS, minutes=5, means=means)
    means = "The lake got what is no event of the bus: it is kept under unreadable/ in its bucket."
    unreadable = of_reader(reader, "unreadable", "Sum")
    yield Signal(name="Unreadable", metric=unreadable, above=0, minutes=1, means=means)
    yield from _signals_of_listener(reader)


def _signals_of_reader(reader: Reader) -> Iterator[Signal]:
    late = LATE_SECONDS
    means = f"{reader.name} does not keep up, or its listener fails."
    yield Signal(name="Oldest", metric=oldest(reader), above=late, minutes=5, means=means)
    means = f"One in a hundred facts takes longer than {late} s from the bus to {reader.name}."
    yield Signal(name="Lag", metric=of_reader(reader, "lag", "p99"), above=late * 1000, minutes=5, means=means)
    yield from _signals_of_listener(reader)


def _signals_of_listener(reader: Reader) -> Iterator[Signal]:
    handler = reader.listener.handler
    means = f"{reader.name}'s listener raises or times out: whole batches come again."
    yield Signal(name="Errors", metric=handler.metric_errors(period=MINUTE), above=0, minutes=1, means=means)
    means = f"{reader.name}'s listener is throttled: each time costs its messages one of five attempts."
    yield Signal(name="Throttles", metric=handler.metric_throttles(period=MINUTE), above=0, minutes=1, means=means)


def _signals_of_sweep(sweep: Function) -> Iterator[Signal]:
    name, errors = sweep.package.name, sweep.handler.metric_errors(period=MINUTE)
    means = f"{name}'s sweep raises or times out: what is due is decided late, or not at all."
    yield Signal(name="Failing", metric=errors, above=0, minutes=1, means=means)
    means = f"For five minutes {name}'s sweep has not run, or could not decide all that was due: its log says why."
    failed = of_service(sweep, "failed")
    yield Signal(name="Undecided", metric=failed, above=0, minutes=5, means=means, regular=True)
    means = f"Decisions of {name} are due by rules that its version does not know; they wait. Deploy the one that does."
    yield Signal(name="Unknown", metric=of_service(sweep, "unknown"), above=0, minutes=1, means=means)
