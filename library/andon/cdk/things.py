"""The way of things to a service: a policy and a topic rule for each kind of them, rules about who is connected."""

from collections.abc import Iterable
from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from aws_cdk import aws_iot as iot
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from andon.cdk.queues import Batch, Reader, wake, work
from andon.cdk.target import Target
from andon.ingress.ingress import Ingress
from andon.ingress.message import SQL
from andon.ingress.names import ROOT, Kind, basic_ingest, rule_named, rule_of, topic_of
from andon.ingress.presence import DISCONNECTED, HAPPENINGS, sql_of
from andon.wire.queue import GONE, name_of

# Names of AWS IoT's resources, as policies have them, and a condition that policies share.

# The broker publishes a will when it likes, and names nobody as its principal.
WITHOUT_A_WILL: Final = {"ForAllValues:StringNotEquals": {"iot:ConnectAttributes": ["LastWill"]}}


def arn_of(resource: str) -> str:
    """Return the ARN of a resource of AWS IoT, as `topic/a/b`, of this account in this region."""
    return f"arn:{Aws.PARTITION}:iot:{Aws.REGION}:{Aws.ACCOUNT_ID}:{resource}"


SQL_VERSION: Final = "2016-03-23"

# What the broker puts in the place of these: the thing whose certificate is connected.
# https://docs.aws.amazon.com/iot/latest/developerguide/thing-policy-variables.html
OWN_NAME: Final = "${iot:Connection.Thing.ThingName}"
IS_ATTACHED: Final = "iot:Connection.Thing.IsAttached"

ANY: Final = "+"


class Things(Construct):
    """Way of what things publish to the queue of a service; what a rule cannot bring there goes to its dead letters.

    A thing is attached to its certificate, and the policy of its kind, which has the rule's name, too. No policy
    allows to subscribe. Who keeps who is connected hears of those that are gone from a queue with a delay, the grace:
    what the broker said meanwhile of the same thing is newer.
    """

    def __init__(self, scope: Construct, ingress: Ingress, *, to: Reader) -> None:
        super().__init__(scope, "Things")
        self._root = Target.of(self).stack_name  # for all of an account in a region share one broker
        to.listener.handler.add_environment(ROOT, self._root)
        rules = {kind: rule_of(self._root, kind) for kind in ingress.kinds}
        happenings = {one: rule_named(self._root, one) for one in HAPPENINGS if ingress.on_presence}
        to_queue = dict.fromkeys((*rules, *happenings), to.queue)
        if happenings:
            to_queue[DISCONNECTED] = self._delayed(to)
        self._role_of_rules = self._role([*rules.values(), *happenings.values()], {*to_queue.values(), to.dead_letters})
        for kind, rule in rules.items():
            self._add_policy(kind, rule)
            statement = SQL.format(topic=topic_of(self._root, kind, ANY))
            self._add_rule(kind.name, rule, statement, to_queue[kind], to.dead_letters)
        for happening, rule in happenings.items():
            self._add_rule(happening, rule, sql_of(happening, self._root), to_queue[happening], to.dead_letters)

    def _delayed(self, to: Reader) -> sqs.Queue:
        """Create the queue of things that are gone, which wakes the same function."""
        listener, batch = to.listener, Batch(delay_seconds=Target.of(self).grace_seconds)
        waiting = work(
            Construct(self, "Gone"),
            name_of(listener.package.name, GONE),
            consumer_timeout=listener.timeout,
            dead_letters=to.dead_letters,
            batch=batch,
        )
        wake(listener, waiting, batch)
        return waiting

    def _role(self, rules: list[str], queues: Iterable[sqs.Queue]) -> iam.Role:
        """Create the role of the rules, which no rule of another deployment may use."""
        # https://docs.aws.amazon.com/iot/latest/developerguide/cross-service-confused-deputy-prevention.html
        conditions = {
            "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
            "ArnEquals": {"aws:SourceArn": [arn_of(f"rule/{rule}") for rule in rules]},
        }
        sending = iam.PolicyStatement(actions=["sqs:SendMessage"], resources=sorted(one.queue_arn for one in queues))
        return iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("iot.amazonaws.com", conditions=conditions),
            description="Rules bring what things publish to a queue",
            inline_policies={"Calls": iam.PolicyDocument(statements=[sending])},
        )

    def _add_policy(self, kind: Kind, rule: str) -> None:
        topic = topic_of(self._root, kind, OWN_NAME)
        is_itself = {"Bool": {IS_ATTACHED: "true"}, **WITHOUT_A_WILL}
        statements = [
            {
                "Effect": "Allow",
                "Action": "iot:Connect",
                "Resource": arn_of(f"client/{OWN_NAME}"),
                "Condition": is_itself,
            },
            {
                "Effect": "Allow",
                "Action": "iot:Publish",
                "Resource": [arn_of(f"topic/{basic_ingest(rule, topic)}"), arn_of(f"topic/{topic}")],
            },
        ]
        document = {"Version": "2012-10-17", "Statement": statements}
        iot.CfnPolicy(self, f"Policy-{kind.name}", policy_name=rule, policy_document=document)

    def _add_rule(self, name: str, rule: str, statement: str, queue: sqs.Queue, dead_letters: sqs.Queue) -> None:
        property_of, role = iot.CfnTopicRule, self._role_of_rules
        sending, giving_up = (
            property_of.ActionProperty(
                sqs=property_of.SqsActionProperty(queue_url=one.queue_url, role_arn=role.role_arn, use_base64=False)
            )
            for one in (queue, dead_letters)
        )
        made = iot.CfnTopicRule(
            self,
            f"Rule-{name}",
            rule_name=rule,
            topic_rule_payload=property_of.TopicRulePayloadProperty(
                sql=statement,
                aws_iot_sql_version=SQL_VERSION,
                actions=[sending],
                error_action=giving_up,
                rule_disabled=False,
            ),
        )
        made.node.add_dependency(role)
