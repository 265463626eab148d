"""The only place that creates a Lambda function: runtime, asset, size, role, logs, environment, and its canary."""

from collections.abc import Collection
from typing import Final

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from andon.cdk.assets import code_of, compiler_for, layers_of
from andon.cdk.checks import nag
from andon.cdk.package_stack import root_of
from andon.cdk.target import Target
from andon.handlers.declared import PACKAGE
from andon.packages.package import Package
from andon.project import Size
from andon.rules.sweep import EVERY_SECONDS
from andon.runtime import log

# Traffic for new code: a tenth of it first, and none if it fails.
#
# A function with a canary is called by its alias `live`. A deployment publishes a version, and CodeDeploy moves the
# alias to it as the stage says. When one of the canary's alarms rings meanwhile, the alias goes back, and the
# deployment fails.

ALIAS: Final = "live"
PAGE: Final = "rolled-back.md"

# Of all calls, in two of five minutes: new code gets a tenth of them, so that a hundredth of its own fails. Where all
# is well one in 100,000 fails, too: were that enough, half of the deployments would end so at 200 calls a second.
FAILING: Final = 0.001
_MINUTES: Final = 5
_FAILING_MINUTES: Final = 2

# The way of a report to a screen, and what people and screens wait for: within five minutes, a tenth of its calls says
# something. Sweeps run by a schedule, and the functions of stores seldom: a tenth of that is nothing.
CANARIES: Final = frozenset(
    {
        *(("services", role) for role in ("command", "trigger", "listener")),
        *(("views", role) for role in ("query", "listener")),
    }
)


class Canary(Construct):
    """The alias of a function, and its deployment group; it rolls back when too many calls of the alias fail."""

    def __init__(self, scope: Construct, handler: lambda_.Function, *, of: str, deployment: str) -> None:
        super().__init__(scope, "Canary")
        self._alarmed = Target.of(self).stage.alarms
        self.alias = lambda_.Alias(self, "Live", alias_name=ALIAS, version=handler.current_version)
        deployer = Deployer.beside(self)
        deployer.grant_move(handler)
        self.group = codedeploy.LambdaDeploymentGroup(
            self,
            "Group",
            deployment_group_name=scope.node.path.replace("/", "-"),
            application=deployer.application,
            role=deployer.role.without_policy_updates(),  # else it gets a managed policy, for every function there is
            alias=self.alias,
            deployment_config=getattr(codedeploy.LambdaDeploymentConfig, deployment),
            auto_rollback=codedeploy.AutoRollbackConfig(
                failed_deployment=True, stopped_deployment=True, deployment_in_alarm=self._alarmed
            ),
            ignore_alarm_configuration=not Target.of(self).heeds_alarms,
        )
        self.group.node.add_dependency(deployer.policy)
        # Of the alias: not of what calls the function by its own name.
        minute = Duration.minutes(1)
        calls = self.alias.metric_invocations(period=minute)
        self.roll_back_on("Errors", self.alias.metric_errors(period=minute), among=calls, of=of)

    def roll_back_on(self, name: str, failed: cloudwatch.Metric, *, among: cloudwatch.Metric, of: str) -> None:
        """Roll back, too, when too many `among` some have failed; `of` names the failing thing."""
        if self._alarmed:
            self.group.add_alarm(rollback_alarm(self, name, failed, among=among, of=of))


class Deployer(Construct):
    """The role with which CodeDeploy moves the aliases of a package, and the application of all deployment groups.

    The role is the package's: that of a whole stack would have to know every package, and each of them that role.
    """

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack, "Deployer")
        # By its name: references do not leave a template in an alias's update policy.
        named = codedeploy.LambdaApplication.from_lambda_application_name
        self.application = named(self, "Application", _application(stack))
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("codedeploy.amazonaws.com"))
        self.policy = iam.Policy(self, "Policy", roles=[self.role])
        self._grant(["cloudwatch:DescribeAlarms"], ["*"])
        nag.acknowledge_wildcard(self, "*", nag.ALARMS)

    @classmethod
    def beside(cls, scope: Construct) -> "Deployer":
        """Return that of the stack in which a scope is."""
        stack = Stack.of(scope)
        found = stack.node.try_find_child("Deployer")
        return found if isinstance(found, cls) else cls(stack)

    def grant_move(self, handler: lambda_.Function) -> None:
        """Allow moving the alias of a function, and nothing else of it."""
        actions = ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"]
        self._grant(actions, [handler.function_arn, f"{handler.function_arn}:{ALIAS}"])

    def _grant(self, actions: list[str], resources: list[str]) -> None:
        self.policy.add_statements(iam.PolicyStatement(actions=actions, resources=resources))


def rollback_alarm(
    scope: Construct, name: str, failed: cloudwatch.Metric, *, among: cloudwatch.Metric, of: str
) -> cloudwatch.Alarm:
    """Create an alarm that rolls back a deployment, and wakes nobody: other alarms do.

    Lambda's own words for a rate of errors: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
    """
    page = f"{Target.of(scope).stage.runbooks}/{PAGE}"
    rate = cloudwatch.MathExpression(
        expression="failed / among", using_metrics={"failed": failed, "among": among}, period=Duration.minutes(1)
    )
    return cloudwatch.Alarm(
        scope,
        name,
        metric=rate,
        alarm_description=f"{of}: a deployment that goes on meanwhile is rolled back. Runbook: {page}",
        threshold=FAILING,
        comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluation_periods=_MINUTES,
        datapoints_to_alarm=_FAILING_MINUTES,
        treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
    )


def _application(scope: Construct) -> str:
    """Return the name of the one application, that of the root stack, and let the scope's stack wait for it."""
    root, stack = root_of(scope), Stack.of(scope)
    found = root.node.try_find_child("Deployments")
    if not isinstance(found, codedeploy.LambdaApplication):
        found = codedeploy.LambdaApplication(root, "Deployments", application_name=root.stack_name)
    if stack.nested_stack_resource:
        stack.nested_stack_resource.node.add_dependency(found)
    return root.stack_name


# Memory and time of functions, by their role.

SIZES: Final = {
    "command": Size(1024, 10),  # a caller waits for these two
    "query": Size(1024, 10),
    "ingest": Size(512, 30),
    "provision": Size(512, 5),  # AWS IoT waits no longer
    "trigger": Size(512, 60),
    "listener": Size(512, 30),
    "push": Size(512, 30),
    "sweep": Size(1769, EVERY_SECONDS),  # then the next one begins; what memory is chosen by: docs/rules.md
    "sender": Size(512, 20),  # a claim's lease is longer, and its queue's visibility longer than that
    "restore": Size(512, 30),
    "recompute": Size(1024, 900),  # reads all days of a shard
}

# The archive's sweep reads a day of the lake, and holds as much of it as `andon.stores.archive.pages` says. The
# listener of replays sends up to 2,000 messages for each of the ten that it gets, see `andon.stores.replays.job`.
OF_STORES: Final = {
    "stores/archive/sweep": Size(1024, 900),
    "stores/archive/listener": Size(512, 60),
    "stores/replays/listener": Size(512, 120),
}


_ALLOW_LOOP: Final = "Allow"

UNTRACED: Final = frozenset({"sweep", "recompute"})
"""Roles that a schedule runs: a trace of theirs follows nothing, and most of them find nothing to do."""

RUNTIME: Final = lambda_.Runtime.PYTHON_3_13  # `assets.py` compiles for the same PYTHON


class Function(Construct):
    """The function of one handler, with a role that may do nothing beside the additions of `grant`."""

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
        made.recursive_loop = _ALLOW_LOOP
        self.grant(["sqs:SendMessage"], [queue.queue_arn])

    def deny(self, actions: list[str], resources: list[str]) -> None:
        """Deny these actions on these resources, against any allowance."""
        self._calls.add_statements(iam.PolicyStatement(effect=iam.Effect.DENY, actions=actions, resources=resources))


def functions_of(
    scope: Construct, package: Package, environment: dict[str, str], *, but: Collection[str] = ()
) -> dict[str, Function]:
    """Create a function for each handler of a package, by role, but for some; they share one asset."""
    code, roles = code_of(package, compiler_for(scope)), [role for role in package.roles if role not in but]
    return {role: Function(scope, role, package=package, code=code, environment=environment) for role in roles}
