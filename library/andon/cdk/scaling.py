"""What lets the capacity of tables and indexes follow their load: for writes and for reads, a target and a policy."""

from collections.abc import Iterator
from typing import Final

from aws_cdk import NestedStack
from aws_cdk import aws_applicationautoscaling as scaling
from constructs import Construct

from andon.cdk.capacity import USED, Capacity
from andon.cdk.owned_table import OwnedTable

DYNAMODB: Final = "dynamodb"
KINDS: Final = ("Read", "Write")


class Scaling(NestedStack):
    """Target tracking for every table in a scope whose capacity is provisioned, and for each of its indexes.

    It is a template of its own: CloudFormation takes 500 resources in one. Application Auto Scaling acts by a role
    linked to the service, which it creates, and adds four alarms to each policy.
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.html
    """

    def __init__(self, scope: Construct) -> None:
        super().__init__(scope, "Scaling", description="Andon: capacity that follows the load")
        for table in scope.node.find_all():
            if isinstance(table, OwnedTable) and table.capacity:
                for place, name, resource in _places(table):
                    is_shown = table.is_view and place == "table"
                    self._track(table.capacity, place=place, name=name, resource=resource, is_shown=is_shown)

    def _track(self, capacity: Capacity, *, place: str, name: str, resource: str, is_shown: bool) -> None:
        for kind in KINDS:
            target = scaling.CfnScalableTarget(
                self,
                f"{name}{kind}s",
                service_namespace=DYNAMODB,
                resource_id=resource,
                scalable_dimension=f"{DYNAMODB}:{place}:{kind}CapacityUnits",
                min_capacity=capacity.shown if is_shown and kind == "Read" else capacity.least,
                max_capacity=capacity.most,
            )
            scaling.CfnScalingPolicy(
                self,
                f"{name}{kind}sFollow",
                policy_name=f"{kind}s",
                policy_type="TargetTrackingScaling",
                scaling_target_id=target.ref,
                target_tracking_scaling_policy_configuration=_followed(kind),
            )


def _places(table: OwnedTable) -> Iterator[tuple[str, str, str]]:
    """Yield the table and its indexes: what it is, a name for constructs, and how Application Auto Scaling names it."""
    resource = f"table/{table.table_name}"
    yield "table", table.node.id, resource
    for index in table.index_names:
        yield "index", f"{table.node.id}{index}", f"{resource}/index/{index}"


def _followed(kind: str) -> scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty:
    used = scaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
        predefined_metric_type=f"DynamoDB{kind}CapacityUtilization"
    )
    return scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
        predefined_metric_specification=used, target_value=USED
    )
