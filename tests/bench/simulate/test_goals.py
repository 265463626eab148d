"""What one timer for each machine is for: without it, these fail."""

from bench.simulate.arrivals import Load
from bench.simulate.model import Model
from bench.simulate.prediction import predict


def test_no_decision_comes_later_than_ninety_seconds_after_it_was_due(model: Model) -> None:
    late = predict(model, Load(machines=60_000, hours=1)).late

    assert late
    assert max(one.longest for one in late.values()) < 90_000


def test_a_normal_report_costs_dispatch_two_write_units_at_most(model: Model) -> None:
    units = sum(units for name, units in model.counted.write_units.items() if name.startswith("dispatch "))

    assert units <= 2
