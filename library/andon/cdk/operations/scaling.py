"""Capacity of tables and indexes that follows their load: for writes and for reads, a target and a policy."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from aws_cdk import aws_applicationautoscaling as scaling
from constructs import Construct, IConstruct

from andon.cdk.capacity import USED, Capacity
from andon.cdk.owned_table import OwnedTable
from andon.cdk.target import Target

DYNAMODB: Final = "dynamodb"
KINDS: Final = ("Read", "Write")

TOO_MUCH: Final = (
    "{places} steady tables and indexes that begin with {first:,} units each are more than the {quota:,} that an "
    "account has: {names}. Take STEADY from a view (its table is on demand then), take an index from it, or "
    "ask AWS for more and write it down: tableUnitsPerSecond in stages.{stage} of cdk.json."
)


def follow_load(found: Iterable[IConstruct]) -> None:
    """Track the load of every table whose capacity is provisioned, and of each of its indexes, beside the table.

    Application Auto Scaling acts by a role linked to the service, which it creates, and adds four alarms to each
    policy. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.html

    Raises:
        ValueError: together they begin with more than an account has.

    """
    steady = [(one, one.capacity) for one in found if isinstance(one, OwnedTable) and one.capacity]
    _refuse_too_much(steady)
    for table, capacity in steady:
        scope = Construct(table, "Scaling")
        for place, name, resource in _places(table):
            is_shown = table.is_view and place == "table"
            _track(scope, capacity, place=place, name=name, resource=resource, is_shown=is_shown)


def _refuse_too_much(steady: Sequence[tuple[OwnedTable, Capacity]]) -> None:
    """Refuse tables that together begin with more than an account has: their creation would fail half-way."""
    for table, capacity in steady[:1]:
        target, names = Target.of(table), sorted(chain.from_iterable(_names(one) for one, _ in steady))
        if len(names) * capacity.first > target.table_units:
            raise ValueError(
                TOO_MUCH.format(
                    first=capacity.first,
                    places=len(names),
                    quota=target.table_units,
                    names=", ".join(names),
                    stage=target.stage,
                )
            )


def _names(table: OwnedTable) -> list[str]:
    return [table.variable, *(f"{table.variable}/{index}" for index in table.index_names)]


def _track(scope: Construct, capacity: Capacity, *, place: str, name: str, resource: str, is_shown: bool) -> None:
    for kind in KINDS:
        target = scaling.CfnScalableTarget(
            scope,
            f"{name}{kind}s",
            service_namespace=DYNAMODB,
            resource_id=resource,
            scalable_dimension=f"{DYNAMODB}:{place}:{kind}CapacityUnits",
            min_capacity=capacity.shown if is_shown and kind == "Read" else capacity.least,
            max_capacity=capacity.most,
        )
        scaling.CfnScalingPolicy(
            scope,
            f"{name}{kind}sFollow",
            policy_name=f"{kind}s",
            policy_type="TargetTrackingScaling",
            scaling_target_id=target.ref,
            target_tracking_scaling_policy_configuration=_followed(kind),
        )


def _places(table: OwnedTable) -> Iterator[tuple[str, str, str]]:
    """Yield the table and its indexes: kind of place, name of the construct, id of the resource to scale."""
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
