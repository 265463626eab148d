"""Many who write at once, write much, or die over it: nobody's writes are lost, and nobody else waits for long."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from random import Random
from typing import Any, Final

from andon.dynamodb.attribute_values import Item
from andon.events.fault import id_of
from andon.packages.discovery import readers, views
from andon.runtime import times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.stores.replays.job import DONE_STATE
from andon.testing.proving.prover import Record
from andon.tools.stack.api import HttpResponse
from andon.tools.sync.in_step import PublishedRows, differences, ways
from andon.versions.bitemporal import MOST_CORRECTIONS
from andon.wire.queue import name_of
from lab import load
from lab.attack import events, operations
from lab.attack.operations import OURS, Operation, RawRequest, another, members, put
from lab.attack.target import BROKEN, REPORT, Target
from lab.region.writes import Writers

WRITERS: Final = 4  # each may cost the emulator a new worker
STATES: Final = ("NORMAL", "WARNING1", "WARNING2", "ERROR")
ONE_WINS: Final = {HTTPStatus.OK: 1, HTTPStatus.PRECONDITION_FAILED: WRITERS - 1}
ONE_IS_FIRST: Final = {HTTPStatus.CREATED: 1, HTTPStatus.CONFLICT: WRITERS - 1}
NAMES: Final = ("id", "factoryId")

BATCH: Final = 100
NEIGHBOUR_S: Final = 60
BEFORE, AS_OF, AFTER = "2001-01-01T00:00:00Z", "2010-01-01T00:00:00Z", "2015-01-01T00:00:00Z"
MANY_STATES: Final = 2_700  # names of 32 characters fill a row of 400 KB
ASSIGNMENT: Final = "GET /equipment/{id}/logs/{state}/{timestamp}/assignment"


def races(target: Target, _: Random, *, rounds: int) -> None:
    """Let writers race for everything that has a version, and for the same moment of a machine: one wins."""
    for number in range(rounds):
        name = f"raced-90{number}"
        machine = f"{OURS}{name}"
        target.ask("PUT /factories/{factoryId}/catalog")
        target.ask("PUT /equipment/{id}", {"id": machine})
        target.settle()  # who makes other things hears of it
        for operation in with_versions(target.operations):
            _for_a_version(target, operation, name)
        moment = f"{machine}-at-once"  # another machine: a log that somebody was assigned to is shown in any case
        reports = [
            target.operation(REPORT).request({"id": moment, "timestamp": operations.now()}, content={"state": state})
            for state in STATES
        ]
        _expect(target.record, "of many states of a moment one is first", ONE_IS_FIRST, target.door.at_once(reports))


def with_versions(operations: Iterable[Operation]) -> list[Operation]:
    """Return those that write what has versions; what is read under another path is a deed, and done once."""
    every = [*operations]
    read = {one.path for one in every if one.method == "GET"}
    return [one for one in every if one.method == "PUT" and one.of("header") and one.path in read]


def _for_a_version(target: Target, operation: Operation, name: str) -> None:
    path = {one.name: operations.of_ours(one.schema, name) for one in operation.of("path") if one.name in NAMES}
    first = operation.request(path)
    made = target.send(first)
    tag = made.headers.get("etag") or target.send(RawRequest("GET", first.target)).headers.get("etag", '"1"')
    changes = [changed(operation, path, number).with_header("if-match", tag) for number in range(WRITERS)]
    answers = target.door.at_once(changes)
    _expect(target.record, "of those who name a version at once one wins", ONE_WINS, answers, operation.name)
    won = [change for change, answer in zip(changes, answers, strict=True) if answer.status == HTTPStatus.OK]
    after = target.send(RawRequest("GET", first.target)).headers.get("etag")
    is_next = after is None or int(after.strip('"')) == int(tag.strip('"')) + len(won)
    target.record.expect("each change that is taken is a version", is_next, f"{operation.name}: {tag} -> {after}")


def _expect(
    record: Record, sentence: str, wanted: Mapping[HTTPStatus, int], answers: Sequence[HttpResponse], about: str = ""
) -> None:
    statuses = Counter(answer.status for answer in answers)
    record.expect(sentence, statuses == wanted, f"{about} {dict(statuses)}")


def changed(operation: Operation, path: dict[str, str], number: int) -> RawRequest:
    """Return a change of the first member of a body for which there is another value, by number."""
    content = operation.content()
    others = ((place, another(schema, number)) for place, schema in members(operation.body or {}, content))
    place, value = next((place, value) for place, value in others if value is not None)
    return operation.request(path, content=put(content, place, value))


def storms(target: Target, _: Random, *, count: int) -> None:
    """Send so many events of one machine, and as many faults; so many states only if there are enough to fill a row."""
    for name in ("PUT /factories/{factoryId}/roster", "PUT /equipment/{id}"):
        target.ask(name)
    machine, now_ms = f"{OURS}flooded", target.world.now_ms
    _publish(target, [_report(machine, STATES[n % len(STATES)], now_ms - n * 10) for n in range(count)])
    _neighbour(target, "flooded")
    target.report(machine, "ERROR", times.to_utc(now_ms - 26 * 60 * MINUTE_MS))
    _neighbour(target, "late")
    target.settle()
    if count >= MANY_STATES:
        _states(target)
    _faults(target, count)
    _corrections(target, count * 12 // 100)
    target.compare()


def _neighbour(target: Target, name: str) -> None:
    """Let a machine that has an operator report an error: somebody is put on it within a minute."""
    machine = f"{OURS}neighbour-{name}"
    target.ask("PUT /equipment/{id}", {"id": machine})
    target.until(lambda: False, within_s=2)  # dispatch has to know where it stands
    timestamp = times.to_utc(target.world.now_ms)
    target.report(machine, "ERROR", timestamp)
    path = {"id": machine, "timestamp": timestamp, "state": "ERROR"}
    held = target.until(lambda: target.ask(ASSIGNMENT, path).status == HTTPStatus.OK, within_s=NEIGHBOUR_S)
    took_s = (target.world.now_ms - times.to_ms(timestamp)) / 1_000
    target.record.expect("a neighbour's decision takes a minute at most", held, f"{name}: {took_s:.0f} s")
    target.record.note(f"a neighbour's decision, {name}: {took_s:.0f} s")


def _states(target: Target) -> None:
    """Report so many different states of one machine that each would no longer fit into its row."""
    machine, now_ms = f"{OURS}moody", target.world.now_ms
    _publish(target, [_report(machine, f"S{n:031}", now_ms - MINUTE_MS - n) for n in range(MANY_STATES)])
    target.settle()
    target.report(machine, "ERROR", times.to_utc(target.world.now_ms))
    target.settle()
    shown = target.ask("GET /equipment/{id}/board", {"id": machine}).json.get("state")
    target.record.expect("a row of many states shows what the machine says now", shown == "ERROR", shown)


def _faults(target: Target, count: int) -> None:
    """Put so many messages that are no JSON into the queues: each has to become a fault, once."""
    queues, messages = [name_of(one.name) for one in readers()], [f"{OURS}storm {number}" for number in range(count)]
    for number, queue in enumerate(queues):
        target.door.enqueue(queue, messages[number :: len(queues)])
    target.settle()
    listed = target.items("GET /faults")
    wanted = {id_of(consumer, one) for consumer in {fault["consumer"] for fault in listed} for one in messages}
    found = Counter(fault["id"] for fault in listed if fault["id"] in wanted)
    held = len(found) == count == found.total()
    target.record.expect("each of many bad messages is a fault, once", held, f"{count} -> {found.total()}")
    target.record.expect("nothing else is a fault", len(listed) == found.total(), len(listed) - found.total())


def _corrections(target: Target, count: int) -> None:
    """Correct the past of a machine so often: beyond a bound it is not read, and says why."""
    path = {"id": f"{OURS}corrected"}
    register, read = (target.operation(f"{method} /equipment/{{id}}") for method in ("PUT", "GET"))
    answer, content = target.send(register.request(path)), register.content()
    for number in range(count):
        valid = BEFORE if number % 6 else AFTER
        change = register.request(path, content={**content, "name": f"{number}", "validFrom": valid})
        answer = target.send(change.with_header("if-match", answer.headers.get("etag", "")))
        target.record.expect("a correction is taken", answer.status == HTTPStatus.OK, answer.status)
    status = target.send(read.request(path).asking([("asOf", AS_OF)])).status
    wanted = HTTPStatus.CONFLICT if count > MOST_CORRECTIONS * 6 // 5 else HTTPStatus.OK
    target.record.expect("the past is read up to a bound", status == wanted, f"{count} corrections: {status}")


def _publish(target: Target, reports: Sequence[dict[str, str]]) -> None:
    operation = target.operation("POST /states")
    for first in range(0, len(reports), BATCH):
        batch = reports[first : first + BATCH]
        answer = target.judged("many reports are taken", operation, operation.request(content=batch))
        if answer.status == HTTPStatus.ACCEPTED:
            for one in batch:
                target.acknowledged[one["equipmentId"]][one["timestamp"]] = one["state"]


def _report(machine: str, state: str, at_ms: int) -> dict[str, str]:
    return {"equipmentId": machine, "state": state, "timestamp": times.to_utc(at_ms)}


SYNCED, PAST, DRIFTED, REPORTED = (f"{OURS}{name}" for name in ("synced-", "past", "drifted", "reported"))
UNTOLD: Final = f"{OURS}poison-"
"""Begins the names of machines whose messages went to queues, past the lake: what they made is unknown to it."""

MACHINES: Final = [f"press-{number}" for number in range(6)]
DEVICES: Final = 3
REPORTS: Final = 3
LONG_AGO_MS: Final = 40 * DAY_MS  # more than rows live
TAKEN: Final = {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED}
PAUSE_S: Final = 0.2
RATE: Final = 1_000
MOST_AT_ONCE: Final = 2  # of that rate
WITHIN_S: Final = 300
LOGS: Final = "STATE_LOG_TABLE"
REHYDRATE: Final = "POST /archive/equipment/{id}/rehydrations"


def dying(target: Target, dice: Random, *, reports: int) -> None:
    """Report, edit both versions of services, replay, look for drift and bring back, while workers die.

    Afterwards jobs are done, sides in step, rows what their events make of them, and what was acknowledged is there.
    """
    work = _Work(target, dice)
    work.prepare()
    work.begin()
    for number in range(reports):
        target.report(f"{REPORTED}-{number % WRITERS}", "WARNING1", times.to_utc(target.world.now_ms))
        work.writers.write()
        target.world.wait(PAUSE_S)
    target.world.calm()
    target.settle()
    # A message whose workers died as often as it may be tried is a dead letter, which an operator puts back.
    dead = target.door.dead_letters()
    for queue, body in dead:
        target.door.enqueue(queue, [body])
    target.record.note(f"{sum(map(len, target.acknowledged.values()))} acknowledged; {len(dead)} dead letters put back")
    work.check()
    target.compare()
    if target.stack:
        lacking = load.compare_with_lake(target.stack, within_s=NEIGHBOUR_S)
        target.record.expect("the lake has what triggers published", lacking.complete, lacking)
    left = target.dead_letters()
    target.record.expect("no dead letter is left", not left, left[:3])


class _Work:
    """Jobs and edits that go on while workers die, and how they have to end; `Writable` for `Writers`."""

    def __init__(self, target: Target, dice: Random) -> None:
        self.writers = Writers(self, dice, machines=MACHINES, prefix=SYNCED)
        self._target, self._jobs, self._sound = target, dict[str, str](), list[Item]()

    def prepare(self) -> None:
        """Let some machines have reported what expired long ago, and one what will be corrupted."""
        target, now_ms = self._target, self._target.world.now_ms
        for machine in (f"{PAST}-{number}" for number in range(DEVICES)):
            for number in range(REPORTS):
                self._announce(machine, now_ms - LONG_AGO_MS + number * MINUTE_MS)
        for number in range(REPORTS):
            self._announce(DRIFTED, now_ms - number * MINUTE_MS)
        target.until(lambda: len(self._rows()) == REPORTS, within_s=WITHIN_S)
        self._sound = self._rows()
        target.settle()
        target.door.archive()

    def begin(self) -> None:
        """Corrupt a row, ask for more replays at once than may run together, and for one job of each other kind."""
        target = self._target
        target.world.put(LOGS, [{**self._sound[0], "Detail": "corrupt", "State": "CORRUPT"}])
        names = [view.name for view in views()]
        replay = target.operation("POST /replays")
        asked = [replay.request(content={"view": names[n % len(names)], "rate": RATE}) for n in range(WRITERS)]
        begun = [answer.json["id"] for answer in target.door.at_once(asked) if self._begun("/replays", answer)]
        states = [self._state(f"/replays/{job}") for job in begun]  # a short one may have made room for another
        held = len(states) - states.count(DONE_STATE) <= MOST_AT_ONCE
        target.record.expect("replays run together at no higher rate than may be", held, states)
        for view in names:
            target.ask("POST /drift/{view}", {"view": view})
        self._bring_back()

    def write(self, route: str, logs: Iterable[tuple[str, str]] = (), **parts: Any) -> HttpResponse:  # noqa: ANN401
        """Send a command of `Writers`, and note the logs that the view has to show, or may show."""
        answer, path = self.request(route, **parts), parts.get("path", {})
        said = [(machine, *log.split("#")) for machine, log in logs]
        if route.endswith("/states/{timestamp}"):
            said.append((path["id"], parts["body"]["state"], path["timestamp"]))
        made = self._target.acknowledged if answer.status in TAKEN else self._target.unanswered
        for machine, state, at in said:
            made[machine][at] = state
        if "/logs/{state}/" in route:  # the view shows a log that somebody was assigned to, reported or not
            self._target.unanswered[path["id"]][path["timestamp"]] = path["state"]
        return answer

    def request(self, route: str, **parts: Any) -> HttpResponse:  # noqa: ANN401
        """Send a request, with the `path`, `body` and `headers` that are given."""
        request = self._target.operation(route).request(parts.get("path"), content=parts.get("body"))
        for name, value in parts.get("headers", {}).items():
            request = request.with_header(name, value)
        return self._target.send(request)

    def check(self) -> None:
        """Wait until all that was begun has ended, and look at it."""
        target = self._target
        target.settle()
        target.door.archive()
        target.settle()
        self._bring_back()  # whoever archived or began before may have died
        for path, kind in self._jobs.items():
            held = target.until(lambda path=path: self._state(path) == DONE_STATE, within_s=WITHIN_S)  # type: ignore[misc]
            target.record.expect(f"{kind} is done", held, f"{path}: {self._state(path)}")
        if self._rows() != self._sound:
            target.ask("POST /drift/{view}", {"view": "state_log"})
        held = target.until(lambda: self._rows() == self._sound, within_s=WITHIN_S)
        target.record.expect("a corrupted row is repaired", held, self._rows())
        found = [one for one in target.items("GET /drift") if any(OURS in str(key) for key in one["key"].values())]
        of_it = [one for one in found if DRIFTED in one["key"].values()]
        target.record.expect("a corrupted row is told", of_it)
        told = [one for one in found if one not in of_it and UNTOLD not in str(one["key"])]
        target.record.expect("rows are what their events make of them", not told, told[:3])
        in_step = target.until(lambda: not self._out_of_step(), within_s=WITHIN_S)
        target.record.expect("both versions of a service are in step", in_step, self._out_of_step()[:3])

    def _bring_back(self) -> None:
        now = times.to_utc(self._target.world.now_ms)
        for machine in (f"{PAST}-{number}" for number in range(DEVICES)):
            answer = self._target.ask(REHYDRATE, {"id": machine}, content={"from": now[:10], "to": now})
            self._begun(f"/archive/equipment/{machine}/rehydrations", answer)

    def _begun(self, folder: str, answer: HttpResponse) -> bool:
        """Keep a job that was begun; True if it was."""
        if answer.status == HTTPStatus.ACCEPTED:
            self._jobs[f"{folder}/{answer.json['id']}"] = folder.rpartition("/")[2]
        died = answer.status == BROKEN or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        held = died or answer.status in {HTTPStatus.ACCEPTED, HTTPStatus.CONFLICT}
        self._target.record.expect("a job can be begun", held, f"{folder} -> {answer.status}")
        return answer.status == HTTPStatus.ACCEPTED

    def _state(self, path: str) -> str:
        answer = self._target.send(RawRequest("GET", path))
        return str(answer.json["state"]) if answer.status == HTTPStatus.OK else str(answer.status)

    def _rows(self) -> list[Item]:
        return [row for row in self._target.world.rows(LOGS) if row["DeviceID"] == DRIFTED]

    def _out_of_step(self) -> list[str]:
        rows, found = self._target.world.rows, list[str]()
        for way in ways():
            ours, theirs = (
                {name: rows(name) for name, schema in one.tables.items() if schema.stream}
                for one in (way.source, way.into)
            )
            published = PublishedRows(way.source.facts, [row for some in ours.values() for row in some])
            between = differences(published, theirs, way.crossings, now_ms=self._target.world.now_ms)
            found += [str(one) for one in between if SYNCED in str(one.key)]
        return found

    def _announce(self, machine: str, at_ms: int) -> None:
        """Put a report on the bus."""
        at, envelope = times.to_utc(at_ms), events.about(machine)
        envelope["detail"] |= {"id": f"{machine}-{at_ms}", "timestamp": at_ms}
        envelope["detail"]["state"] |= {"timestamp": at, "state": "WARNING1"}
        self._target.world.publish(envelope["source"], [envelope["detail"]])
        self._target.acknowledged[machine][at] = "WARNING1"
