"""The way of things to a service: a policy and a topic rule for each kind of them, and the role of the rules."""

from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from aws_cdk import aws_iot as iot
from constructs import Construct

from andon.cdk.queues import Reader
from andon.cdk.target import Target
from andon.ingress.ingress import Ingress
from andon.ingress.message import SQL
from andon.ingress.names import ROOT, Kind, basic_ingest, rule_of, topic_of

SQL_VERSION: Final = "2016-03-23"

# What the broker puts in the place of these: the thing whose certificate is connected.
# https://docs.aws.amazon.com/iot/latest/developerguide/thing-policy-variables.html
OWN_NAME: Final = "${iot:Connection.Thing.ThingName}"
IS_ATTACHED: Final = "iot:Connection.Thing.IsAttached"
ATTRIBUTES: Final = "iot:ConnectAttributes"
WILL: Final = "LastWill"

ANY: Final = "+"


class Things(Construct):
    """What things publish, brought to the queue of a service; what a rule cannot bring there, to its dead letters.

    A thing is attached to its certificate, and the policy of its kind, which has the rule's name, too. No policy
    allows to subscribe.
    """

    def __init__(self, scope: Construct, ingress: Ingress, *, to: Reader) -> None:
        super().__init__(scope, "Things")
        self._root = Target.of(self).stack_name  # for all of an account in a region share one broker
        to.listener.handler.add_environment(ROOT, self._root)
        rules = {kind: rule_of(self._root, kind) for kind in ingress.kinds}
        role = self._role([*rules.values()], to)
        for kind, rule in rules.items():
            self._add_policy(kind, rule)
            self._add_rule(kind, rule, role, to)

    def _role(self, rules: list[str], to: Reader) -> iam.Role:
        """Create the role of the rules, which no rule of another deployment may use."""
        # https://docs.aws.amazon.com/iot/latest/developerguide/cross-service-confused-deputy-prevention.html
        conditions = {
            "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
            "ArnEquals": {"aws:SourceArn": [self._arn(f"rule/{rule}") for rule in rules]},
        }
        queues = [to.queue.queue_arn, to.dead_letters.queue_arn]
        sending = iam.PolicyStatement(actions=["sqs:SendMessage"], resources=queues)
        return iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("iot.amazonaws.com", conditions=conditions),
            description="Rules bring what things publish to a queue",
            inline_policies={"Calls": iam.PolicyDocument(statements=[sending])},
        )

    def _add_policy(self, kind: Kind, rule: str) -> None:
        topic = topic_of(self._root, kind, OWN_NAME)
        is_itself = {
            "Bool": {IS_ATTACHED: "true"},
            # The broker publishes a will when it likes, and names nobody as its principal.
            "ForAllValues:StringNotEquals": {ATTRIBUTES: [WILL]},
        }
        statements = [
            {
                "Effect": "Allow",
                "Action": "iot:Connect",
                "Resource": self._arn(f"client/{OWN_NAME}"),
                "Condition": is_itself,
            },
            {
                "Effect": "Allow",
                "Action": "iot:Publish",
                "Resource": [self._arn(f"topic/{basic_ingest(rule, topic)}"), self._arn(f"topic/{topic}")],
            },
        ]
        document = {"Version": "2012-10-17", "Statement": statements}
        iot.CfnPolicy(self, f"Policy-{kind.name}", policy_name=rule, policy_document=document)

    def _add_rule(self, kind: Kind, rule: str, role: iam.Role, to: Reader) -> None:
        property_of = iot.CfnTopicRule
        sending, giving_up = (
            property_of.ActionProperty(
                sqs=property_of.SqsActionProperty(queue_url=queue.queue_url, role_arn=role.role_arn, use_base64=False)
            )
            for queue in (to.queue, to.dead_letters)
        )
        made = iot.CfnTopicRule(
            self,
            f"Rule-{kind.name}",
            rule_name=rule,
            topic_rule_payload=property_of.TopicRulePayloadProperty(
                sql=SQL.format(topic=topic_of(self._root, kind, ANY)),
                aws_iot_sql_version=SQL_VERSION,
                actions=[sending],
                error_action=giving_up,
                rule_disabled=False,
            ),
        )
        made.node.add_dependency(role)

    def _arn(self, resource: str) -> str:
        return f"arn:{Aws.PARTITION}:iot:{Aws.REGION}:{Aws.ACCOUNT_ID}:{resource}"
