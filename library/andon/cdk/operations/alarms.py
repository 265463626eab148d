"""Alarms, each in the template of what it watches. They are made from what is found, so that nothing is listed here."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final, TypedDict

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from andon.cdk.operations.signals import Signal, of_functions, signals_of
from andon.cdk.package_stack import tell
from andon.cdk.target import Target

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
