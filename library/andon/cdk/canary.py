"""Traffic for new code: a tenth of it first, and none if it fails.

A function with a canary is called by its alias `live`. A deployment publishes a version, and CodeDeploy moves the alias
to it as the stage says. When one of the canary's alarms rings meanwhile, the alias goes back, and the deployment fails.
"""

from typing import Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from andon.cdk.checks import nag
from andon.cdk.package_stack import root_of
from andon.cdk.target import Target

ALIAS: Final = "live"
PAGE: Final = "rolled-back.md"

# Of all calls, in two of five minutes: new code gets a tenth of them, so that a hundredth of its own fails. Where all
# is well one in 100,000 fails, too: were that enough, half of the deployments would end so at 200 calls a second.
FAILING: Final = 0.001
_MINUTES: Final = 5
FAILING_MINUTES: Final = 2

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
        """Roll back, too, when too many `among` some have failed; `of` says what fails then."""
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
        datapoints_to_alarm=FAILING_MINUTES,
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
