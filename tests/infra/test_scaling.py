"""Capacity of tables and of their indexes: on demand, or provisioned and following the load."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.cdk.capacity import FIRST_UNITS, MODES, NEW, ON_DEMAND, PROVISIONED, QUOTA, Capacity, Place, warm
from andon.cdk.owned_table import places_of
from andon.dynamodb.schema import TableSchema
from andon.packages.package import Package
from andon.testing.synthesised import Properties, Synthesised, text
from andon.tools import figures
from andon.tools.figures import ALARMS_OF_POLICY, POLICIES_OF_PLACE
from tests.support.infra.synthesised import PACKAGES, VIEWS, declared_tables, synthesise
from views.board import view as board

DECLARED = {name: schema for package in PACKAGES for name, schema in declared_tables(package).items()}
STEADY = {name: schema for name, schema in DECLARED.items() if schema.steady}
TARGET, POLICY = (f"AWS::ApplicationAutoScaling::Scal{kind}" for kind in ("ableTarget", "ingPolicy"))
TABLE = "AWS::DynamoDB::Table"
VIEWED = {name for package in VIEWS for name in declared_tables(package)}
OF_400 = Capacity(least=10, seldom=40, shown=200, first=1_600, most=12_000)
PLACES = {name: places_of(schema, is_rebuilt=name in VIEWED) for name, schema in STEADY.items()}


def tables(stack: Synthesised) -> dict[str, Properties]:
    """The properties of each table, by its output."""
    return {name: stack.of_type(TABLE)[stack.output(name)] for name in DECLARED}


def scaled(stack: Synthesised) -> Iterator[tuple[str, str, Place]]:
    """Id and kind of each resource whose capacity follows its load, as Application Auto Scaling names them."""
    for name, places in PLACES.items():
        for index, place in places.items():
            table = f"table/{stack.output(name)}"
            yield (f"{table}/index/{index}", "index", place) if index else (table, "table", place)


def made_places(made: Properties) -> dict[str, Properties]:
    """A table and its indexes, by name."""
    return {"": made, **{one["IndexName"]: one for one in made.get("GlobalSecondaryIndexes", [])}}


def test_where_it_is_provisioned_what_reports_fill_begins_with_what_it_is_known_to_need(varied: Synthesised) -> None:
    assert 0 < len(STEADY) < len(DECLARED)
    for name, made in tables(varied).items():
        assert made["BillingMode"] == ("PROVISIONED" if name in STEADY else "PAY_PER_REQUEST")
        for place, one in made_places(made).items():
            first = OF_400.first_of(PLACES[name][place]) if name in STEADY else None
            units = first and {"ReadCapacityUnits": first.reads, "WriteCapacityUnits": first.writes}
            assert one.get("ProvisionedThroughput") == units


def test_what_is_not_steady_begins_with_what_is_cheap_for_ever() -> None:
    known, unknown, shown = Place(reads_steadily=True, writes_steadily=True), Place(), Place(is_shown=True)

    assert OF_400.first_of(known) == (OF_400.first, OF_400.first)
    assert OF_400.first_of(unknown) == (OF_400.least, OF_400.seldom)
    assert OF_400.first_of(shown) == (OF_400.shown, OF_400.seldom)
    assert {name for name, places in PLACES.items() if places[""].reads_steadily} == {"DispatchTable", "AnomaliesTable"}


def test_each_table_and_each_index_of_it_follows_its_load_in_writes_and_in_reads(varied: Synthesised) -> None:
    made = {name: (text(one["ResourceId"]), one["ScalableDimension"]) for name, one in varied.of_type(TARGET).items()}
    least = {
        (resource, f"dynamodb:{kind}:{what}CapacityUnits"): units
        for resource, kind, place in scaled(varied)
        for what, units in zip(("Read", "Write"), OF_400.least_of(place), strict=True)
    }

    assert set(made.values()) == set(least)
    assert sorted(least.values()).count(OF_400.shown) == len(VIEWED & {*STEADY})
    for name, one in varied.of_type(TARGET).items():
        assert (one["MinCapacity"], one["MaxCapacity"]) == (least[made[name]], OF_400.most)
    policies = [*varied.of_type(POLICY).values()]
    assert sorted(text(one["ScalingTargetId"]) for one in policies) == sorted(made)
    for one in policies:
        _, dimension = made[text(one["ScalingTargetId"])]
        tracked = one["TargetTrackingScalingPolicyConfiguration"]
        kind = "Write" if "Write" in dimension else "Read"
        assert (one["PolicyType"], tracked["TargetValue"]) == ("TargetTrackingScaling", 70)
        metric = tracked["PredefinedMetricSpecification"]["PredefinedMetricType"]
        assert metric == f"DynamoDB{kind}CapacityUtilization"


def test_a_stage_begins_on_demand_with_nothing_that_is_paid_for_while_nobody_reports(
    aws: Synthesised, prod: Synthesised, local: Synthesised
) -> None:
    for stack in (aws, prod, local):
        assert not stack.of_type(TARGET)
        assert not stack.of_type(POLICY)
        for made in tables(stack).values():
            assert made["BillingMode"] == "PAY_PER_REQUEST"
            assert not any("WarmThroughput" in one for one in made_places(made).values())


def test_for_a_large_fleet_what_is_steady_is_warm_before_it_comes(million: Synthesised) -> None:
    made = million.of_type(TABLE)

    for name in ("DispatchTable", "AnomaliesTable"):
        asked = {"ReadUnitsPerSecond": 26_668, "WriteUnitsPerSecond": 26_668}
        assert made[million.output(name)]["WarmThroughput"] == asked
    assert "WarmThroughput" not in made[million.output("NotifyTable")]


@given(reports=st.integers(1, 10**6), place=st.builds(Place, st.booleans(), st.booleans(), is_shown=st.booleans()))
def test_warm_is_at_least_what_every_new_table_takes_and_no_more_than_its_quota(reports: int, place: Place) -> None:
    asked = warm(place, reports)

    if asked is None:
        needed = reports * FIRST_UNITS
        assert needed <= NEW.writes or not place.writes_steadily
        assert needed <= NEW.reads or not place.reads_steadily
    else:
        assert asked != NEW
        assert NEW.reads <= asked.reads <= QUOTA
        assert NEW.writes <= asked.writes <= QUOTA


def test_a_mode_that_does_not_exist_is_refused(layer: Path) -> None:
    with pytest.raises(ValueError, match="capacity is 'SERVERLESS', but should be ON_DEMAND or PROVISIONED"):
        synthesise(layer, capacity="SERVERLESS")


@pytest.mark.parametrize("reports", [1, 20, 400, 6_667, 100_000])
def test_capacity_is_in_order_whatever_a_stage_takes(reports: int) -> None:
    made = Capacity.of(PROVISIONED, reports)

    assert made
    assert 0 < made.least <= made.seldom <= made.shown <= made.first <= made.most <= QUOTA
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


def test_the_bill_has_the_alarms_of_each_policy(varied: Synthesised) -> None:
    alarms = ALARMS_OF_POLICY * len(varied.of_type(POLICY))
    assert (
        alarms
        == figures.of_steady_tables()["scalingAlarms"]
        == ALARMS_OF_POLICY * POLICIES_OF_PLACE * len([*scaled(varied)])
    )
