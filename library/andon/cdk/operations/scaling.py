"""Capacity of tables and indexes that follows their load: for writes and for reads, a target and a policy."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from aws_cdk import aws_applicationautoscaling as scaling
from constructs import Construct, IConstruct

from andon.cdk.capacity import USED, Capacity, Throughput
from andon.cdk.owned_table import OwnedTable
from andon.cdk.target import Target

DYNAMODB: Final = "dynamodb"
KINDS: Final = ("Read", "Write")

TOO_MUCH: Final = (
    "{places} steady tables and indexes begin with {reads:,} units of reads and {writes:,} of writes, but an account "
    "has {quota:,} of either: {names}. Take STEADY from a view (its table is on demand then), take an index from it, "
    "or ask AWS for more and write it down: tableUnitsPerSecond in stages.{stage} of cdk.json."
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
        for index, place in table.places.items():
            resource = f"table/{table.table_name}" + (f"/index/{index}" if index else "")
            dimension = f"{DYNAMODB}:{'index' if index else 'table'}"
            for kind, least in zip(KINDS, capacity.least_of(place), strict=True):
                name = f"{table.node.id}{index}{kind}s"
                _track(scope, name, kind, resource=resource, dimension=dimension, least=least, most=capacity.most)


def _refuse_too_much(steady: Sequence[tuple[OwnedTable, Capacity]]) -> None:
    """Refuse tables that together begin with more than an account has: their creation would fail half-way."""
    for table, _ in steady[:1]:
        target, names = Target.of(table), sorted(chain.from_iterable(_names(one) for one, _ in steady))
        firsts = [capacity.first_of(place) for one, capacity in steady for place in one.places.values()]
        together = Throughput(*map(sum, zip(*firsts, strict=True)))
        if max(together) > target.stage.table_units_per_second:
            raise ValueError(
                TOO_MUCH.format(
                    **together._asdict(),
                    places=len(names),
                    quota=target.stage.table_units_per_second,
                    names=", ".join(names),
                    stage=target.stage.name,
                )
            )


def _names(table: OwnedTable) -> list[str]:
    return [f"{table.variable}/{index}" if index else table.variable for index in table.places]


def _track(scope: Construct, name: str, kind: str, *, resource: str, dimension: str, least: int, most: int) -> None:
    target = scaling.CfnScalableTarget(
        scope,
        name,
        service_namespace=DYNAMODB,
        resource_id=resource,
        scalable_dimension=f"{dimension}:{kind}CapacityUnits",
        min_capacity=least,
        max_capacity=most,
    )
    scaling.CfnScalingPolicy(
        scope,
        f"{name}Follow",
        policy_name=f"{kind}s",
        policy_type="TargetTrackingScaling",
        scaling_target_id=target.ref,
        target_tracking_scaling_policy_configuration=_followed(kind),
    )


def _followed(kind: str) -> scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty:
    used = scaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
        predefined_metric_type=f"DynamoDB{kind}CapacityUtilization"
    )
    return scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
        predefined_metric_specification=used, target_value=USED
    )
