import json
import socket
from pathlib import Path

import pytest

from andon.runtime import times
from andon.testing.proving.prover import Record
from andon.testing.scripted_server import ScriptedServer, in_turn, whole
from andon_gateway.clock import to_utc
from andon_gateway.store import Store
from lab.gateway import LIES, in_memory, over_http, over_mqtt
from lab.gateway_process import POISON, STORE, judged, workload
from lab.opcua import Backlog, judge_backlog, judge_outage

SMALL = Backlog(memory_mb=60, disk_mib=100, batch_ms=(5, 20))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_whichever_call_it_dies_and_the_disk_is_full_each_report_is_one_fact(tmp_path: Path, seed: int) -> None:
    outcome = in_memory(tmp_path, seed)

    assert outcome.is_clean, outcome
    assert outcome.kills >= 5
    assert outcome.mischief["full"] >= 5
    assert len(outcome.mischief) > LIES


def test_a_gateway_that_is_killed_before_a_hostile_api_loses_doubles_and_alters_nothing(tmp_path: Path) -> None:
    outcome = over_http(tmp_path, 1, count=600, kills=3)

    assert outcome.is_clean, outcome
    assert outcome.kills == 3
    assert len(outcome.mischief) >= LIES


def test_over_mqtt_a_report_goes_only_when_its_message_was_acknowledged(tmp_path: Path) -> None:
    outcome = over_mqtt(tmp_path, 1, count=1200, kills=2)

    assert outcome.is_clean, outcome
    assert outcome.kills == 2
    assert len(outcome.mischief) >= LIES


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


@pytest.mark.parametrize(
    ("without_s", "found", "broken"),
    [
        (5.0, SMALL, 0),
        (5.1, SMALL, 1),
        (None, SMALL, 1),
        (5.0, SMALL._replace(memory_mb=61), 1),
        (5.0, SMALL._replace(disk_mib=101), 1),
        (5.0, SMALL._replace(batch_ms=(6, 6)), 1),
    ],
)
def test_a_value_that_comes_late_or_never_and_a_backlog_beyond_a_bound_are_findings(
    without_s: float | None, found: Backlog, broken: int
) -> None:
    record = Record()

    judge_outage("killed", 0.1, record)
    judge_outage("frozen", without_s, record)
    judge_backlog(found, record)

    assert record.broken.total() == broken


def test_a_client_that_dies_in_the_middle_of_a_request_ends_only_its_connection() -> None:
    with ScriptedServer(in_turn(whole({}))) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as dying:
            dying.sendall(b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf")
        with socket.create_connection(("127.0.0.1", server.port)) as other:
            other.sendall(b"POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}")
            assert other.recv(12) == b"HTTP/1.1 200"

    assert [json.loads(one.body) for one in server.requests] == [{}]
