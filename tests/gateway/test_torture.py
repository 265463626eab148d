from pathlib import Path

import pytest

from andon.runtime import times
from andon_gateway.clock import to_utc
from andon_gateway.store import Store
from lab.gateway import over_http, over_mqtt
from lab.gateway_process import POISON, STORE, judged, workload


def test_a_gateway_that_is_killed_before_a_hostile_api_loses_doubles_and_alters_nothing(tmp_path: Path) -> None:
    outcome = over_http(tmp_path, 1, count=600, kills=3)

    assert outcome.is_clean, outcome
    assert outcome.kills == 3
    assert len(outcome.mischief) > 3


def test_over_mqtt_a_report_goes_only_when_its_message_was_acknowledged(tmp_path: Path) -> None:
    outcome = over_mqtt(tmp_path, 1, count=1200, kills=2)

    assert outcome.is_clean, outcome
    assert outcome.kills == 2
    assert len(outcome.mischief) > 3


@pytest.mark.parametrize("change", ["none", "lost", "doubled", "altered", "refused"])
def test_the_judge_sees_each_kind_of_harm(tmp_path: Path, change: str) -> None:
    made = workload(300, 4)
    store = Store(tmp_path / STORE)
    store.add([one for one in made if one.is_poison])
    store.settle([], {} if change == "refused" else {one.number: "poison" for one in store.oldest(999)})
    store.close()
    facts = [
        {"equipmentId": one.machine, "state": one.report.state, "timestamp": to_utc(one.report.at_ms)}
        | ({} if one.report.detail is None else {"detail": one.report.detail})
        for one in made
        if not one.is_poison
    ]
    first = facts[0]
    match change:
        case "lost":
            del facts[0]
        case "doubled":
            late = to_utc(times.to_ms(first["timestamp"]) + 1)
            facts.append({**first, "timestamp": late})
        case "altered":
            facts[0] = {**first, "detail": POISON}
        case _:
            pass

    outcome = judged(made, facts, tmp_path)

    assert outcome.is_clean is (change == "none")
