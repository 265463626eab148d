from collections import Counter

import pytest

from andon.wire import aws
from bench.meter import Meter, Usage
from bench.million_reports import FAULTS, ON_PAPER, Bill, Faulty, differing, report, require_no_faults

REPORTS = 10


def bill(write_units: float) -> Bill:
    return Bill(Usage(Counter(update_item=1), write_units=write_units))


def test_what_is_not_as_on_paper_is_pointed_at() -> None:
    bills = {name: bill(paper * REPORTS) for name, paper in ON_PAPER.items()}

    assert differing(bills, reports=REPORTS) == []

    bills["dispatch sweep"].usage.write_units += 1
    assert differing(bills, reports=REPORTS) == ["dispatch sweep"]
    assert [line.split("  ")[0] for line in report(bills, reports=REPORTS).splitlines() if "<- differs" in line] == [
        "dispatch sweep"
    ]


def test_a_fault_is_no_cheap_report() -> None:
    require_no_faults({"board listener": bill(1)})

    with pytest.raises(Faulty):
        require_no_faults({FAULTS: bill(0)})


def test_units_and_entries_are_counted_for_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = {
        "query": {"Items": [], "ConsumedCapacity": {"CapacityUnits": 0.5}},
        "transact_write_items": {"ConsumedCapacity": [{"CapacityUnits": 2.0}, {"CapacityUnits": 4.0}]},
        "put_events": {"Entries": [{}, {}]},
    }

    def call(_: str, operation: str, **request: object) -> object:
        assert ("ReturnConsumedCapacity" in request) == (operation != "put_events")
        return responses[operation]

    monkeypatch.setattr(aws, "call", call)
    between = aws.call
    with Meter() as meter:
        with meter.on_behalf_of("one"):
            aws.call("dynamodb", "query")
            aws.call("events", "put_events", Entries=[{}, {}])
        with meter.on_behalf_of("other"):
            aws.call("dynamodb", "transact_write_items", TransactItems=[])

    assert meter.usage["one"] == Usage(Counter(query=1, put_events=1), read_units=0.5, entries=2)
    assert meter.usage["other"] == Usage(Counter(transact_write_items=1), write_units=6.0)
    assert aws.call is between
