"""The way of things to a service: a policy and a topic rule for each kind of them, rules about presence."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from aws_cdk import aws_iot as iot
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.queues import Batch, Reader, wake, work
from andon.cdk.target import Target
from andon.ingress import fleet
from andon.ingress.ingress import SQL, Ingress
from andon.ingress.names import ROOT, SEPARATOR, Kind, basic_ingest, rule_named, rule_of, topic_of
from andon.ingress.presence import DISCONNECTED, HAPPENINGS, sql_of
from andon.packages.discovery import services
from andon.packages.package import PROVISION, Package
from andon.wire.queue import GONE, name_of

# Names of AWS IoT's resources, as policies have them, and a condition that policies share.

# The broker publishes a will when it likes, and names nobody as its principal.
_WITHOUT_A_WILL: Final = {"ForAllValues:StringNotEquals": {"iot:ConnectAttributes": ["LastWill"]}}


def arn_of(resource: str) -> str:
    """Return the ARN of a resource of AWS IoT, as `topic/a/b`, of this account in this region."""
    return f"arn:{Aws.PARTITION}:iot:{Aws.REGION}:{Aws.ACCOUNT_ID}:{resource}"


_SQL_VERSION: Final = "2016-03-23"

# What the broker puts in the place of these: the thing whose certificate is connected.
# https://docs.aws.amazon.com/iot/latest/developerguide/thing-policy-variables.html
_OWN_NAME: Final = "${iot:Connection.Thing.ThingName}"
_IS_ATTACHED: Final = "iot:Connection.Thing.IsAttached"

ANY: Final = "+"


class Things(Construct):
    """Way of things' messages to the queue of a service; a rule's failures go to its dead letters.

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
        topic = topic_of(self._root, kind, _OWN_NAME)
        is_itself = {"Bool": {_IS_ATTACHED: "true"}, **_WITHOUT_A_WILL}
        statements = [
            {
                "Effect": "Allow",
                "Action": "iot:Connect",
                "Resource": arn_of(f"client/{_OWN_NAME}"),
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
                aws_iot_sql_version=_SQL_VERSION,
                actions=[sending],
                error_action=giving_up,
                rule_disabled=False,
            ),
        )
        made.node.add_dependency(role)


# Provisioning by claim: for each kind of things a template, and the policy of who has a claim to be one of them.

_BY_CLAIM: Final = "FLEET_PROVISIONING"
PAYLOAD: Final = "2020-04-01"  # https://docs.aws.amazon.com/iot/latest/apireference/API_ProvisioningHook.html
SERVICE: Final = "iot.amazonaws.com"


_NO_KIND: Final = "provisionedByClaim names {unknown}, which no service takes messages of: there is {known}"


def kinds_by_claim(package: Package, target: Target) -> list[Kind]:
    """Return the kinds of a service's things that are provisioned by a claim.

    Raises:
        ValueError: the stage names a kind that no service has.

    """
    if not package.plays(PROVISION):
        return []
    named = None if target.any_claim else target.stage.provisioned_by_claim
    known = {kind.name for one in services() if one.plays(PROVISION) for kind in one.ingress.kinds}
    if named is not None and (unknown := sorted({*named} - known)):
        raise ValueError(_NO_KIND.format(unknown=", ".join(unknown), known=", ".join(sorted(known))))
    return [kind for kind in package.ingress.kinds if named is None or kind.name in named]


class Provisioning(Construct):
    """Things of these kinds may be made by a claim, if the hook allows it.

    A claim is a certificate that many share, and whose policy allows to ask, and nothing else. A thing so made has the
    name that its parameter says behind that of the deployment, and the policy of its kind. Whoever has a claim of one
    kind becomes none of another.
    """

    def __init__(self, scope: Construct, kinds: Sequence[Kind], *, hook: Function) -> None:
        super().__init__(scope, "Provisioning")
        self._root = Target.of(self).stack_name
        hook.handler.add_environment(ROOT, self._root)
        things = arn_of(f"thing/{self._root}{SEPARATOR}*")
        hook.grant(["iot:ListThingPrincipals"], [things])
        nag.acknowledge_wildcard(hook, things, nag.OWN_THINGS)
        role = self._role(kinds, things)
        for kind in kinds:
            template = fleet.template_of(self._root, kind)
            self._add_template(kind, template, role, hook)
            self._add_policy(kind, template)

    def _role(self, kinds: Sequence[Kind], things: str) -> iam.Role:
        """Create the role by which AWS makes things of this deployment, with the policies that templates name.

        A certificate's name is its digest, and no condition tells policies apart: templates do.
        """
        # https://docs.aws.amazon.com/iot/latest/developerguide/cross-service-confused-deputy-prevention.html
        conditions = {
            "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
            "ArnLike": {"aws:SourceArn": arn_of("*")},
        }
        certificates = arn_of("cert/*")
        policies = [arn_of(f"policy/{rule_of(self._root, kind)}") for kind in kinds]
        allowed = {
            ("iot:CreateThing", "iot:DescribeThing"): [things],
            ("iot:AttachThingPrincipal",): [certificates, things],
            ("iot:AttachPolicy", "iot:DescribeCertificate", "iot:UpdateCertificate"): [certificates],
            ("iot:GetPolicy",): policies,
        }
        statements = [iam.PolicyStatement(actions=[*actions], resources=on) for actions, on in allowed.items()]
        role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal(SERVICE, conditions=conditions),
            description="AWS IoT makes things of those who have a claim",
            inline_policies={"Calls": iam.PolicyDocument(statements=statements)},
        )
        nag.acknowledge_wildcard(role, things, nag.OWN_THINGS)
        nag.acknowledge_wildcard(role, certificates, nag.NEW_CERTIFICATES)
        return role

    def _add_template(self, kind: Kind, template: str, role: iam.Role, hook: Function) -> None:
        may_call = lambda_.CfnPermission(
            self,
            f"Hook-{kind.name}",
            action="lambda:InvokeFunction",
            function_name=hook.handler.function_arn,
            principal=SERVICE,
            source_account=Aws.ACCOUNT_ID,
            source_arn=arn_of(f"provisioningtemplate/{template}"),
        )
        made = iot.CfnProvisioningTemplate(
            self,
            f"Template-{kind.name}",
            template_name=template,
            template_type=_BY_CLAIM,
            enabled=True,
            description=f"Who has a claim becomes a thing: {kind.name}",
            provisioning_role_arn=role.role_arn,
            template_body=json.dumps(fleet.body_of(self._root, kind)),
            pre_provisioning_hook=iot.CfnProvisioningTemplate.ProvisioningHookProperty(
                payload_version=PAYLOAD, target_arn=hook.handler.function_arn
            ),
        )
        made.node.add_dependency(may_call)  # AWS looks whether it may
        made.node.add_dependency(role)

    def _add_policy(self, kind: Kind, template: str) -> None:
        asked = (fleet.SIGNING, fleet.topic_of(template))
        answers = [answer for topic in asked for answer in fleet.answers_to(topic)]
        statements = [
            {
                "Effect": "Allow",
                "Action": "iot:Connect",
                "Resource": arn_of(f"client/{fleet.client_of(self._root, '*')}"),
                "Condition": _WITHOUT_A_WILL,
            },
            {"Effect": "Allow", "Action": "iot:Publish", "Resource": [arn_of(f"topic/{one}") for one in asked]},
            {"Effect": "Allow", "Action": "iot:Receive", "Resource": [arn_of(f"topic/{one}") for one in answers]},
            {
                "Effect": "Allow",
                "Action": "iot:Subscribe",
                "Resource": [arn_of(f"topicfilter/{one}") for one in answers],
            },
        ]
        document = {"Version": "2012-10-17", "Statement": statements}
        name = fleet.policy_of(self._root, kind)
        iot.CfnPolicy(self, f"Policy-{kind.name}", policy_name=name, policy_document=document)
