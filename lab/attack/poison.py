"""Harm on the bus, in queues and buckets: it is a fault or is kept, nobody believes it, and it stops nobody."""

import gzip
import json
from contextlib import suppress
from http import HTTPStatus
from random import Random
from typing import Any, Final

from andon.packages.discovery import readers, stores
from andon.packages.package import Package
from andon.recorded import archive, lake
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.proving.memory import InMemory
from andon.wire.queue import name_of
from lab.attack import events
from lab.attack.events import HostileGroup, PoisonMessage
from lab.attack.operations import OURS, Operation
from lab.attack.target import LONE, Target
from services.anomalies.current_model import CURRENT, EVERY_MS, key_of

BOARD: Final = "GET /equipment/{id}/board"
STATE: Final = "ERROR"
SHOWN: Final = 300  # characters of a message
WHOLE: Final = 1_000  # so long a message is in its fault as it is

NEIGHBOUR: Final = "neighbour"
MEMBERS: Final = 8_000
AHEAD: Final = [f"{year}-01-01T00:00:00.000Z" for year in (2030, 2100, 2285)]
UNTIL_S: Final = 9_999_999_999
SAID_OFTEN: Final = 100  # of the lake's bytes: each event of an actor, in members of its own
BOMB: Final = "hour=00/000000-bomb.ndjson.gz"
BOMB_BYTES: Final = 4 * lake.MOST_LINE_BYTES
FAULTY: Final = f"{OURS}faulty"
MODELS: Final = (
    '{"version": "bad"}', '{"version": "bad", "trainedUntil": 1e400}', "[" * 100_000, "null", "", "\x00",
    '{"version": "bad", "machines": ' + '{"a":' * 900 + "1" + "}" * 901,
)  # fmt: skip


def poison(target: Target, dice: Random, *, count: int) -> None:
    """Put messages on the bus and straight into queues, then look at what is there, and let each machine report."""
    poisons, record = events.chosen(count, dice), target.record
    queues = [name_of(package.name) for package in readers()]
    for number, one in enumerate(poisons):
        target.door.enqueue(queues[number % len(queues)], [one.message])
        if one.envelope is not None:
            target.door.announce(one.envelope, json.dumps(one.envelope["detail"]))
    target.settle()
    dead, kept = target.dead_letters(), target.faults()
    for one in poisons:
        is_dead, is_fault = (any(one.machine in body for body in bodies) for bodies in (dead, kept))
        record.expect("what nobody can read is a fault, not a dead letter", not is_dead, _shown(one))
        if one.envelope is None and len(one.message) < WHOLE and not LONE.search(one.message):
            record.expect("what is no event is a fault", is_fault, _shown(one))
        for query in (query for query in target.operations if _is_of_a_machine(query)):
            target.judged("what is kept can be read by every query", query, query.request({"id": one.machine}))
    alive, now = [one for one in poisons if "deleted" not in one.sample], times.to_utc(target.world.now_ms)
    for one in alive:
        target.report(one.machine, STATE, now)
    target.settle()
    for one in alive:
        held = target.until(lambda one=one: _state(target, one.machine) == STATE, within_s=1)  # type: ignore[misc]
        record.expect("the board shows what the machine says now", held, _shown(one))


def _is_of_a_machine(one: Operation) -> bool:
    is_read = one.method == "GET" and one.path.startswith("/equipment/")
    return is_read and [parameter.name for parameter in one.of("path")] == ["id"]


def _state(target: Target, machine: str) -> str | None:
    answer = target.ask(BOARD, {"id": machine})
    return str(answer.json.get("state")) if answer.status == HTTPStatus.OK else None


def _shown(poison: PoisonMessage) -> str:
    return f"{poison.kind}, {poison.sample}: {poison.message[:SHOWN]}… {len(poison.message)} characters"


def groups(target: Target, _: Random) -> None:
    """Put each group on the bus and into the board's queue, then look for its facts."""
    every = [*events.hostile_groups()]
    for group in every:
        envelope = events.about(OURS) | {"detail": "@"}
        target.door.enqueue(name_of("board"), [json.dumps(envelope).replace('"@"', group.detail)])
        target.door.announce(envelope, group.detail)
    target.settle()
    faults, dead = target.faults(), target.dead_letters()
    for group in every:
        _check(target, group, faults, dead)


def _check(target: Target, group: HostileGroup, faults: list[str], dead: list[str]) -> None:
    """Look for each machine of a group: on the board if its fact is good, among the faults if it is bad."""
    machines = {*group.good, *group.bad}
    shown = {one for one in machines if _state(target, one)}
    alone = {
        one
        for one in group.good
        if any(one in fault and not any(other in fault for other in group.bad) for fault in faults)
    }
    wrong = {
        "a good fact is kept": {*group.good} - shown,
        "a bad fact is not believed": {*group.bad} & shown,
        "a bad fact is a fault": {one for one in group.bad if not any(one in fault for fault in faults)},
        "a good fact is no fault": alone,
        "a fact is no dead letter": {one for one in machines if any(one in body for body in dead)},
    }
    for sentence, found in wrong.items():
        target.record.expect(sentence, not found, f"{group.kind}: {found}: {group.detail[:SHOWN]}…")


def others(target: Target, _: Random, *, count: int) -> None:
    """Let a neighbour write what is well-formed and does harm: events, faults, models, an object of the lake.

    A page on a wall that gets such events is tried in `tests/pages/board/items.mjs`.
    """
    wide = events.about(f"{OURS}wide", "crew-assigned")
    wide["detail"]["crew"]["members"] = [f"{OURS}member-{number}" for number in range(MEMBERS)] + ["x" * 100_000]
    _put(target, wide | {"source": NEIGHBOUR})
    for number in range(count):
        at = AHEAD[number % len(AHEAD)].replace("-01-01", f"-01-{1 + number % 28:02}")
        event = events.about(f"{OURS}ahead-{number}")
        event["detail"]["timestamp"] = times.to_ms(at)
        taken = event | {"source": NEIGHBOUR, "id": event["detail"]["id"], "time": at}
        target.door.enqueue(name_of("lake"), [json.dumps(taken)])
        for source in (NEIGHBOUR, "state_log"):
            _put(target, _fault(f"{FAULTY}-{number}", source, times.to_ms(at)))
    target.settle()
    _faults(target)
    world = target.world
    if isinstance(world, InMemory):
        _models(target, world)
        _archive(target, world)


def _put(target: Target, envelope: dict[str, Any]) -> None:
    target.door.announce(envelope, json.dumps(envelope["detail"]))


def _fault(machine: str, source: str, at_ms: int) -> dict[str, Any]:
    """Return a fault whose message would be a row until 2286, if it were put back and believed."""
    message = {**events.about(machine), "replay-name": "x", "lake": True, "until": UNTIL_S}
    fault = events.about(machine, "fault")
    fault["detail"]["fault"] |= {"consumer": "state_log.listener", "message": json.dumps(message)}
    fault["detail"] |= {"id": f"{machine}-{source}", "timestamp": at_ms}
    return fault | {"source": source}


def _faults(target: Target) -> None:
    """Put back every forged fault: nothing comes of it, and none of the list is of a time to come."""
    listed = target.items("GET /faults")
    newest = max((one["timestamp"] for one in listed), default="")
    target.record.expect("no fault is of a time to come", newest <= times.to_utc(target.world.now_ms), newest)
    forged = [one["id"] for one in listed if one["id"].startswith(FAULTY)]
    target.record.expect("a forged fault was kept, to be tried", forged)
    for one in forged:
        status = target.ask("POST /faults/{id}/resubmit", {"id": one}).status
        held = status == HTTPStatus.CONFLICT and not one.endswith(NEIGHBOUR)
        target.record.expect("a forged fault is not put back", held, f"{one} -> {status}")


def _models(target: Target, world: InMemory) -> None:
    """Let the sweep of anomalies run with what is no model: it goes on without, and says so."""
    bodies, before = world.store[world.buckets["MODELS_BUCKET"]].bodies, _unreadable(world)
    for number, model in enumerate(MODELS):
        bodies[key_of(f"bad-{number}")] = model.encode()
        bodies[CURRENT] = json.dumps({"version": f"bad-{number}"}).encode()
        world.wait(2 * EVERY_MS / 1_000)
        counted = _unreadable(world)
        target.record.expect("a bad model is counted, and ends no sweep", counted > before, model[:SHOWN])
        before = counted
    bodies.clear()


def _unreadable(world: InMemory) -> int:
    return sum("model_unreadable" in line for line in world.lines)


def _archive(target: Target, world: InMemory) -> None:
    """Let the archive's sweep run beside a bomb: today is whole, nothing of later is there, and it is not large."""
    objects, archived = (world.store[world.buckets[name]].bodies for name in (lake.BUCKET, archive.BUCKET))
    today, tomorrow = (times.to_utc(world.now_ms + ahead * DAY_MS)[:10] for ahead in (0, 1))
    days = {lake.day_in(key.rsplit("/", 2)[0] + "/") for key in objects}
    target.record.expect("no day to come is in the lake", max(days) <= tomorrow, days)
    of_today = {key for key in objects if key.startswith(lake.folder_of(today))}
    objects[f"{lake.folder_of(tomorrow)}{BOMB}"] = gzip.compress(b" " * BOMB_BYTES)  # of the day that comes first
    with suppress(ValueError):  # of the bomb
        world.invoke(Package("stores", "archive"), "sweep", {})
    target.settle()

    def manifest(day: str) -> set[str]:
        return set(json.loads(archived.get(archive.manifest_key(archive.SUBJECTS, day), b'{"lake": []}'))["lake"])

    target.record.expect("an endless line stops no archive", of_today and of_today <= manifest(today), manifest(today))
    target.record.expect("an endless line is not archived", not manifest(tomorrow), manifest(tomorrow))
    [package] = [package for package in stores() if package.name == "archive"]
    folders = tuple(archive.data_folder(kind.name, today) for kind in package.load("store").KINDS)
    read = sum(len(objects[key]) for key in of_today)
    written = sum(len(body) for key, body in archived.items() if key.startswith(folders))
    seen = f"{read:,} bytes of the lake -> {written:,} of the archive"
    target.record.expect("an event of thousands is not copied for each", written < SAID_OFTEN * read, seen)
    target.record.note(seen)
