"""Capacity of tables and of their indexes: on demand, or provisioned and following the load."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from andon.cdk.capacity import MODES, ON_DEMAND, PROVISIONED, QUOTA, Capacity
from andon.dynamodb.schema import TableSchema
from andon.packages.package import Package
from andon.testing.synthesised import Properties, Synthesised, text
from andon.tools.figures import ALARMS_OF_POLICY
from bench.simulate import money
from bench.simulate.counted import EVERY_S, FILTERS
from bench.simulate.settings import PLANNED_OVER_USUAL
from tests.support.infra.synthesised import PACKAGES, VIEWS, declared_tables, synthesise
from views.board import view as board

DECLARED = {name: schema for package in PACKAGES for name, schema in declared_tables(package).items()}
STEADY = {name: schema for name, schema in DECLARED.items() if schema.steady}
TARGET, POLICY = (f"AWS::ApplicationAutoScaling::Scal{kind}" for kind in ("ableTarget", "ingPolicy"))
TABLE = "AWS::DynamoDB::Table"
BURST_S = 300  # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
OF_PROD = Capacity(least=10, shown=200, first=1_600, most=12_000)


def tables(stack: Synthesised) -> dict[str, Properties]:
    """The properties of each table, by its output."""
    return {name: stack.of_type(TABLE)[stack.output(name)] for name in DECLARED}


def places(stack: Synthesised) -> Iterator[tuple[str, str]]:
    """The scalable targets, as Application Auto Scaling names them, and their kinds."""
    for name, schema in STEADY.items():
        table = f"table/{stack.output(name)}"
        yield table, "table"
        for index in schema.indexes:
            yield f"{table}/index/{index}", "index"


def test_in_prod_what_reports_fill_is_provisioned_and_the_rest_on_demand(prod: Synthesised) -> None:
    units = {"ReadCapacityUnits": OF_PROD.first, "WriteCapacityUnits": OF_PROD.first}

    assert 0 < len(STEADY) < len(DECLARED)
    for name, made in tables(prod).items():
        indexes = made.get("GlobalSecondaryIndexes", [])
        assert made["BillingMode"] == ("PROVISIONED" if name in STEADY else "PAY_PER_REQUEST")
        for one in (made, *indexes):
            assert one.get("ProvisionedThroughput") == (units if name in STEADY else None)


def test_each_table_and_each_index_of_it_follows_its_load_in_writes_and_in_reads(prod: Synthesised) -> None:
    made = {name: (text(one["ResourceId"]), one["ScalableDimension"]) for name, one in prod.of_type(TARGET).items()}
    expected = {
        (place, f"dynamodb:{kind}:{what}CapacityUnits") for place, kind in places(prod) for what in ("Read", "Write")
    }

    views = {f"table/{prod.output(name)}" for package in VIEWS for name in {*declared_tables(package)} & {*STEADY}}
    shown = {(view, "dynamodb:table:ReadCapacityUnits") for view in views}

    assert set(made.values()) == expected >= shown
    for name, one in prod.of_type(TARGET).items():
        least = OF_PROD.shown if made[name] in shown else OF_PROD.least
        assert (one["MinCapacity"], one["MaxCapacity"]) == (least, OF_PROD.most)
    policies = [*prod.of_type(POLICY).values()]
    assert sorted(text(one["ScalingTargetId"]) for one in policies) == sorted(made)
    for one in policies:
        _, dimension = made[text(one["ScalingTargetId"])]
        tracked = one["TargetTrackingScalingPolicyConfiguration"]
        kind = "Write" if "Write" in dimension else "Read"
        assert (one["PolicyType"], tracked["TargetValue"]) == ("TargetTrackingScaling", 70)
        metric = tracked["PredefinedMetricSpecification"]["PredefinedMetricType"]
        assert metric == f"DynamoDB{kind}CapacityUtilization"


def test_where_the_load_is_unknown_all_is_on_demand(aws: Synthesised, local: Synthesised) -> None:
    for stack in (aws, local):
        assert {made["BillingMode"] for made in tables(stack).values()} == {"PAY_PER_REQUEST"}
        assert not stack.of_type(TARGET)
        assert not stack.of_type(POLICY)


def test_a_mode_that_does_not_exist_is_refused(layer: Path) -> None:
    with pytest.raises(ValueError, match="capacity: there is ON_DEMAND and PROVISIONED, but no SERVERLESS"):
        synthesise(layer, capacity="SERVERLESS")


@pytest.mark.parametrize("reports", [1, 20, 400, 6_667, 100_000])
def test_capacity_is_in_order_whatever_a_stage_takes(reports: int) -> None:
    made = Capacity.of(PROVISIONED, reports)

    assert made
    assert 0 < made.least <= made.shown <= made.first <= made.most <= QUOTA
    assert Capacity.of(ON_DEMAND, reports) is None
    assert MODES == (ON_DEMAND, PROVISIONED)


def test_a_version_that_is_being_filled_is_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    def schema() -> TableSchema:
        [made] = Package("views", "board").tables.values()
        return made

    assert schema().steady
    monkeypatch.setattr(Package, "serves", False)
    assert not schema().steady
    monkeypatch.setattr(board, "STEADY", False)
    monkeypatch.setattr(Package, "serves", True)
    assert not schema().steady


def test_the_bill_has_every_metric_filter_and_the_alarms_of_each_policy(prod: Synthesised) -> None:
    assert len(prod.of_type("AWS::Logs::MetricFilter")) == FILTERS
    policies = ALARMS_OF_POLICY * len(prod.of_type(POLICY))
    assert policies == ALARMS_OF_POLICY * money.POLICIES_OF_PLACE * len([*places(prod)])


@pytest.mark.parametrize("reports", [20, 400, 6_667])
def test_what_a_view_lends_is_a_row_of_each_machine_that_the_stage_is_planned_for(reports: int) -> None:
    made = Capacity.of(PROVISIONED, reports)
    machines = reports / PLANNED_OVER_USUAL * EVERY_S

    assert made
    assert made.shown * BURST_S >= 0.99 * machines
