"""Alarms, and one dashboard. Both are made from what is found in the stack, so that nothing is listed here."""

from aws_cdk import CfnOutput, NestedStack, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from andon.cdk.dashboard import widgets
from andon.cdk.signals import Signal, of_account, signals_of
from andon.cdk.target import Target


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
        for signal in of_account():
            self._alarm(f"Functions/{signal.name}", signal)
        found = scope.node.find_all()
        for watched in found:
            for signal in signals_of(watched):
                self._alarm(f"{watched.node.path.partition('/')[2]}/{signal.name}", signal)
        cloudwatch.Dashboard(self, "Dashboard", widgets=widgets(found))

    def _alarm(self, path: str, signal: Signal) -> None:
        missing = cloudwatch.TreatMissingData
        alarm = signal.metric.create_alarm(
            self,
            path.replace("/", "-"),
            alarm_description=f"{signal.means} Runbook: {Target.of(self).runbooks}/{signal.runbook}.md",
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
