"""The only place that creates a Lambda function: runtime, asset, role, logs, environment."""

from collections.abc import Collection
from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from andon.cdk.asset import code_of
from andon.cdk.bytecode import compiler_for
from andon.cdk.canary import CANARIES, Canary
from andon.cdk.checks import nag
from andon.cdk.layer import layers_of
from andon.cdk.sizes import OF_STORES, SIZES
from andon.cdk.target import Target
from andon.handlers.declared import PACKAGE
from andon.packages.package import Package
from andon.runtime import log

ALLOW_LOOP: Final = "Allow"

UNTRACED: Final = frozenset({"sweep", "recompute"})
"""Roles that a schedule runs: a trace of theirs follows nothing, and most of them find nothing to do."""

RUNTIME: Final = lambda_.Runtime.PYTHON_3_13  # bytecode.py compiles for the same PYTHON


class Function(Construct):
    """The function of one handler, with a role that may do nothing but what `grant` adds."""

    def __init__(
        self, scope: Construct, role: str, *, package: Package, code: lambda_.Code, environment: dict[str, str]
    ) -> None:
        super().__init__(scope, role.capitalize())
        self.role, self.package = role, package
        target = Target.of(self)
        # Within the role: a policy of its own would be one more resource, of which a template has 500.
        self._calls = iam.PolicyDocument()
        self.iam_role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            inline_policies={"Calls": self._calls},
        )
        size = (OF_STORES | {**target.project.sizes}).get(package.path(role), SIZES[role])
        self.timeout = Duration.seconds(size.timeout_seconds)
        self.handler = lambda_.Function(
            self,
            "Handler",
            description=package.path(role),
            code=code,
            handler=package.handler_name(role),
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            layers=layers_of(self, package, role),
            memory_size=size.memory_mb,
            timeout=self.timeout,
            role=self.iam_role.without_policy_updates(),
            log_group=self._log_group(target),
            logging_format=lambda_.LoggingFormat.JSON,
            # Not Lambda's lines about each invocation: its metrics count the same, and our own line says more.
            system_log_level_v2=lambda_.SystemLogLevel.WARN,
            # `make deploy` deletes those that are too old; CloudFormation would delete the one before.
            current_version_options=lambda_.VersionOptions(removal_policy=RemovalPolicy.RETAIN),
            tracing=lambda_.Tracing.ACTIVE if self._is_traced else lambda_.Tracing.DISABLED,
            environment={
                PACKAGE: package.folder,
                "POWERTOOLS_SERVICE_NAME": package.name,
                "POWERTOOLS_METRICS_NAMESPACE": target.project.name,
                "PYDANTIC_DISABLE_PLUGINS": "__all__",  # else a cold start looks through all packages for some
                "STAGE": target.stage.name,
                log.SHARE: f"{target.logged_share:g}",
                **environment,
            },
        )
        self.canary = self._canary(target)
        self.called: lambda_.IFunction = self.canary.alias if self.canary else self.handler
        """The alias, where there is a canary: callers use it."""
        nag.acknowledge(self, L1=nag.RUNTIME)
        if self._is_traced:
            self.grant(["xray:PutTraceSegments", "xray:PutTelemetryRecords"], ["*"])
            nag.acknowledge_wildcard(self, "*", nag.TRACES)

    @property
    def _is_traced(self) -> bool:
        return Target.of(self).stage.traced and self.role not in UNTRACED

    def _log_group(self, target: Target) -> logs.LogGroup:
        """Return its log group, into which it may write."""
        log_group = logs.LogGroup(self, "Logs", retention=target.log_retention, removal_policy=RemovalPolicy.DESTROY)
        self.grant(["logs:CreateLogStream", "logs:PutLogEvents"], [log_group.log_group_arn])
        return log_group

    def _canary(self, target: Target) -> Canary | None:
        if not target.deployment or (self.package.side, self.role) not in CANARIES:
            return None
        of = f"{self.package.path(self.role)} raises or times out"
        return Canary(self, self.handler, of=of, deployment=target.deployment)

    def grant(
        self, actions: list[str], resources: list[str], *, only_if: dict[str, dict[str, str]] | None = None
    ) -> None:
        """Allow exactly these actions on these resources; nothing, if there are none of them in this stack."""
        if not resources:
            return
        self._calls.add_statements(iam.PolicyStatement(actions=actions, resources=resources, conditions=only_if))

    def let_feed_itself(self, queue: sqs.IQueue) -> None:
        """Allow sending to the queue that it reads, to go on later, to look a second time, or to put something back.

        Lambda would stop it after some 16 rounds, as any other function that feeds itself, which is a mistake.
        https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
        """
        made = self.handler.node.default_child
        if not isinstance(made, lambda_.CfnFunction):
            raise TypeError(f"{self.node.path} is no function")
        made.recursive_loop = ALLOW_LOOP
        self.grant(["sqs:SendMessage"], [queue.queue_arn])

    def deny(self, actions: list[str], resources: list[str]) -> None:
        """Deny these actions on these resources, whatever is allowed."""
        self._calls.add_statements(iam.PolicyStatement(effect=iam.Effect.DENY, actions=actions, resources=resources))


def functions_of(
    scope: Construct, package: Package, environment: dict[str, str], *, but: Collection[str] = ()
) -> dict[str, Function]:
    """Create a function for each handler of a package, by role, but for some; they share one asset."""
    code, roles = code_of(package, compiler_for(scope)), [role for role in package.roles if role not in but]
    return {role: Function(scope, role, package=package, code=code, environment=environment) for role in roles}
