"""Commands, triggers, listeners and sweeps while AWS fails.

Afterwards the views are what was promised and what was told; dispatch has heard each report once and decided upon all.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from andon.events import bus_entry, publish, put_back
from andon.packages.discovery import views
from andon.packages.package import Package
from andon.rules.control_service import Verdict
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.runtime import clock
from andon.testing.either_wire import over
from andon.testing.emulated import EmulatedLoop, empty_emulator
from andon.testing.environment import frozen_clock
from andon.testing.loop import BATCH, Loop
from andon.testing.memory.aws import OneTable
from andon.views.outcome import Outcome
from andon.wire import aws, retries
from tests.support.deployed.chaotic_loop import ChaoticLoop
from tests.support.deployed.fault_proxy import FaultProxy
from tests.support.deployed.persistent_client import Log, PersistentClient
from tests.support.lake import Lake, lake_of, lines_of_messages

COMMANDS: Final = int(os.environ.get("CHAOS_COMMANDS", "300"))
BURST: Final = 20
HOUR_MS: Final = 3_600_000
SWEEPS: Final = 50
REFUSED: Final = 0.1
"""Of the entries that the bus takes, so many it does not."""
IN_TABLES: Final = [view for view in views() if view.tables]  # of what is in objects, no client says anything
CODES: Final = ("InternalFailure", "ThrottlingException")


@pytest.fixture
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultProxy]:
    """In front of an empty emulator."""
    home = tmp_path_factory.mktemp("chaos")
    with empty_emulator(home) as url, FaultProxy(url) as proxy:
        yield proxy


@pytest.fixture
def loop(proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loop]:
    """Everything, behind the proxy; asked for again once only, and soon: else hardly anything would ever fail."""
    monkeypatch.setattr(retries, "ATTEMPTS", 2)
    for name in ("AFTER_FAILURE", "AFTER_THROTTLING"):
        monkeypatch.setattr(retries, name, retries.Again(0.01, 0))
    # The last sweeps run an hour ahead of the emulator's bus.
    monkeypatch.setattr(bus_entry, "MAX_AHEAD_MS", 2 * HOUR_MS)
    monkeypatch.setattr(publish, "ATTEMPTS", 2)
    monkeypatch.setattr(publish, "PAUSE_SECONDS", 0.005)
    monkeypatch.setattr(put_back, "PAUSE_SECONDS", 0)  # the loop waits for no queue
    monkeypatch.setenv("AWS_RETRY_MODE", "standard")  # of clients without our configuration
    with EmulatedLoop(proxy.upstream, through=proxy.url) as loop, over(aws.LIBCURL):
        yield loop


def _refuse_some(monkeypatch: pytest.MonkeyPatch, chance: random.Random) -> Counter[str]:
    """Make the bus refuse some of the entries of a request, and all of the first."""
    real, refused = aws.call, Counter[str]()

    def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401  requests are any JSON
        if operation != "put_events":
            return real(service, operation, **request)
        codes = [chance.choice(CODES) if not refused or chance.random() < REFUSED else None for _ in request["Entries"]]
        taken = [entry for entry, code in zip(request["Entries"], codes, strict=True) if code is None]
        results = iter(real(service, operation, Entries=taken)["Entries"] if taken else ())
        refused.update(filter(None, codes))
        return {"Entries": [{"ErrorCode": code} if code else next(results) for code in codes]}

    monkeypatch.setattr(aws, "call", call)
    return refused


def _sums(lines: list[dict[str, Any]]) -> Counter[str]:
    """Add up what became of the messages that listeners received."""
    sums: Counter[str] = Counter()
    for line in lines:
        if line["message"] == "materialized":
            sums.update({name: line[name] for name in ("received", *Outcome)})
            sums["lines that do not add up"] += line["received"] != sum(line[outcome] for outcome in Outcome)
    return sums


def _swept(lines: list[dict[str, Any]]) -> Counter[str]:
    """Add up what became of what was due."""
    names = ("due", "failed", "unknown", *Verdict)
    return sum((Counter({n: line[n] for n in names}) for line in lines if line["message"] == "swept"), Counter())


def _sweep_all(loop: Loop, chaos: ChaoticLoop) -> None:
    """Sweep until nothing is due that the clock knows of, and let everybody hear of what was decided."""
    for _ in range(SWEEPS):
        chaos.sweep()
        chaos.drain()
        due = [row["at"] for row in loop.rows("DISPATCH_TABLE") if row.get("discriminator") == "due"]
        if not [at for at in due if at < clock.now_ms() - STORED_WITHIN_MS]:
            return
    raise AssertionError("something stays due for ever")


def _log_of(report: Mapping[str, str]) -> Log:
    return report["equipmentId"], report["state"], report["timestamp"]


def _rebuilt(loop: Loop, view: Package, bodies: list[str]) -> list[dict[str, Any]]:
    """Deliver events, each once and the last one first, to the view's listener on an empty table that never fails."""
    (table,) = view.tables
    told = {json.loads(body)["detail"]["id"]: body for body in reversed(bodies)}
    mine = [
        body
        for body in told.values()
        if view.subscribes_to(json.loads(body)["source"], json.loads(body)["detail-type"])
    ]
    with over(aws.BOTOCORE), OneTable(table, view.load("view").KEYS) as fresh:
        for start in range(0, len(mine), BATCH):
            assert loop.deliver(view, mine[start : start + BATCH]) == []
    return fresh.rows()


def _by_key(view: Package, rows: list[dict[str, Any]]) -> dict[tuple[str, ...], dict[str, Any]]:
    names = view.load("view").KEYS.names
    return {tuple(row[name] for name in names): row for row in rows}


def _without_ttl_of_writing(view: Package, rows: dict[tuple[str, ...], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows to compare: where a view has an anchor, the ttl of a row counts from when it was written."""
    left_out = {"ttl"} if hasattr(view.load("view"), "ANCHOR") else set()
    return [{name: value for name, value in rows[key].items() if name not in left_out} for key in sorted(rows)]


def _promised_logs(client: PersistentClient) -> dict[tuple[str, ...], tuple[str | None, ...]]:
    return {log: (detail, client.operators.get(log)) for log, detail in client.details.items()}


def _promised_board(client: PersistentClient) -> dict[str, dict[str, str]]:
    board: dict[str, dict[str, str]] = {}
    for equipment, name in client.names.items():
        board.setdefault(equipment, {})["Name"] = name
    for equipment, state, timestamp in client.details:
        row, seen = board.setdefault(equipment, {}), f"seen#{state}"
        row[seen] = max(row.get(seen, ""), timestamp)
    for (equipment, _, timestamp), operator in client.operators.items():
        if timestamp >= board[equipment].get("AssignedTo", ""):  # the board shows who is on the newest log
            board[equipment] |= {"Operator": operator, "AssignedTo": timestamp}
    return board


def _missing_in(lake: Lake, chaos: ChaoticLoop) -> set[tuple[str, str]]:
    """Return the events, by source and id, that were on the bus and are not in the lake."""
    return {(event["source"], event["detail"]["id"]) for event in map(json.loads, chaos.published)} - set(lake.events)


def _require_everything_in(lake: Lake, chaos: ChaoticLoop) -> None:
    """Check that everything is in the lake, with both images of each change, and nothing that was not on the bus."""
    assert _missing_in(lake, chaos) == set()
    assert set(lake.lines) == set(lines_of_messages(chaos.published))
    assert lake.unreadable == []
    raw = {event_id: event["detail"].get("raw") for (_, event_id), event in lake.events.items()}
    assert all(raw[event_id].keys() == {"new", "old"} for event_id in chaos.meant)


def test_while_aws_fails_nothing_is_lost_and_the_views_are_what_the_events_say(
    loop: Loop,
    proxy: FaultProxy,
    log_lines: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of the client alone, so that the commands are the same at every run, however often they are sent.
    client = PersistentClient(loop, random.Random(5))  # noqa: S311
    chance = random.Random(5)  # noqa: S311
    chaos, refused = ChaoticLoop(loop, chance, outage=proxy.outage), _refuse_some(monkeypatch, chance)
    for number in range(COMMANDS):
        client.command(number)
        if number % BURST == 0:
            chaos.step()
    chaos.drain()
    with frozen_clock(clock.now_ms() + HOUR_MS):
        _sweep_all(loop, chaos)
    sums, swept, fired = _sums(log_lines), _swept(log_lines), proxy.fired
    kept = {view.name: _by_key(view, loop.rows(next(iter(view.tables)))) for view in IN_TABLES}
    ids = [json.loads(body)["detail"]["id"] for body in chaos.published]
    lake = lake_of(loop)
    chaos.counts["missing in the lake"] = len(_missing_in(lake, chaos))

    with capsys.disabled():
        print(_table(client, chaos, {"listeners": sums, "sweeps": swept}, fired, refused, ids))  # noqa: T201  it is what one runs this for

    # Nothing is lost: neither between a table and the bus, nor on the way to a view.
    assert chaos.meant | client.stream_first <= set(ids)
    logs = {(r["DeviceID"], r["State"], r["Date"]): r for r in kept["state_log"].values()}
    assert {log: (row.get("Detail"), row.get("Operator")) for log, row in logs.items()} == _promised_logs(client)
    board = {equipment: kept["board"][(equipment,)] for (equipment,) in kept["board"]}
    promised = _promised_board(client)
    assert board.keys() == promised.keys()
    assert {i: {name: row.get(name) for name in promised[i]} for i, row in board.items()} == promised

    _require_everything_in(lake, chaos)

    # Dispatch has each report once, however often and in whatever order it came, and each of its own facts.
    stored = [row for row in loop.rows("DISPATCH_TABLE") if row.get("discriminator") == "event"]
    heard = [row["event"]["state"] for row in stored if row["source"] == "equipment"]
    assert sorted(map(_log_of, heard)) == sorted(client.details)
    own = [event for event in (json.loads(body) for body in chaos.published) if event["source"] == "dispatch"]
    remembered = [row["event"]["id"] for row in stored if row["source"] == "dispatch"]
    assert sorted(remembered) == sorted({event["detail"]["id"] for event in own})

    # Each decision of a rule was told under one id. There is no roster, so that rules decide upon equipment alone.
    decided = [row for row in loop.rows("DISPATCH_TABLE") if row.get("by") == "rule"]
    told = {event["detail"]["id"]: event["detail-type"] for event in own if event["detail-type"] != "operator-assigned"}
    assert Counter(told.values()) == Counter(row["discriminator"] for row in decided)
    assert 0 < swept["decided"] <= len(decided)  # of a row whose acknowledgement was lost it is said that it stands
    assert swept["fault"] == swept["unknown"] == swept["gone"] == 0

    # The counts add up.
    assert sums["lines that do not add up"] == 0
    assert sums["received"] == sum(sums[outcome] for outcome in Outcome) == chaos.counts["deliveries"]
    # What cannot be put back comes again with those of its group that are done.
    assert sums["failed"] <= chaos.counts["deliveries again"]
    assert sums["fault"] == sums["expired"] == 0

    # The views are those that the events alone would give.
    for view in IN_TABLES:
        rebuilt = _by_key(view, _rebuilt(loop, view, chaos.published))
        assert _without_ttl_of_writing(view, rebuilt) == _without_ttl_of_writing(view, kept[view.name])

    # It was as bad as it was to be: each fault happens for sure, at the first occasion.
    assert fired.keys() == {"throttled", "failed", "lost", "slow"}
    assert refused
    assert sums["failed"] > 0
    assert chaos.counts["to the lake again"] > 0
    assert swept["failed"] > 0
    assert chaos.counts["trigger batches again"] > 0


def _table(
    client: PersistentClient,
    chaos: ChaoticLoop,
    sums: Mapping[str, Mapping[str, int]],
    fired: Mapping[str, int],
    refused: Mapping[str, int],
    ids: list[str],
) -> str:
    lines: dict[str, Mapping[Any, int]] = {
        "answers": client.answers,
        "proxy": fired,
        "entries refused": refused,
        "events": {"on the bus": len(ids), "distinct": len(set(ids)), "meant": len(chaos.meant | client.stream_first)},
        "loop": chaos.counts,
        **sums,
    }
    told = (f"  {name:16} " + ", ".join(f"{what} {n}" for what, n in some.items()) for name, some in lines.items())
    return "\n".join(["", f"{COMMANDS} commands:", *told])
