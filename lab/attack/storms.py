"""Many events of one machine, many states, many faults: nothing is lost, and no neighbour waits for long."""

import statistics
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from andon.events.fault import id_of
from andon.runtime import clock, times
from andon.runtime.clock import MINUTE_MS
from andon.tools.stack.processes import eventually
from lab.attack import queues
from lab.attack.operations import OURS
from lab.attack.target import AttackTarget
from lab.attack.wire import side_by_side

PART: Final = "storms"
BATCH: Final = 100
NEIGHBOUR_S: Final = 60
DRAIN_S: Final = 1_800
TIMED: Final = 9
SLOWER_S: Final = 0.25
STANDING: Final = 0.15
BEFORE, AS_OF, AFTER = "2001-01-01T00:00:00Z", "2010-01-01T00:00:00Z", "2015-01-01T00:00:00Z"
FAULT_SHOWN: Final = 300  # characters
MANY_STATES: Final = 2_700  # names of 32 characters fill a row of 400 KB
ASSIGNMENT: Final = "GET /equipment/{id}/logs/{state}/{timestamp}/assignment"


def attack(target: AttackTarget, *, count: int) -> None:
    """Send so many events of one machine, and as many faults; so many states only if there are enough to fill a row."""
    for name in ("PUT /factories/{factoryId}/roster", "PUT /equipment/{id}"):
        target.ask(name)
    _events(target, count)
    if count >= MANY_STATES:
        _states(target)
    _faults(target, count)
    _corrections(target, count * 12 // 100)


def _events(target: AttackTarget, count: int) -> None:
    machine, now_ms = f"{OURS}flooded", clock.now_ms()
    states = ("NORMAL", "WARNING1", "WARNING2", "ERROR")
    reports = [_report(machine, states[n % len(states)], now_ms - n * 10) for n in range(count)]
    _publish(target, reports, "many events of a machine")
    _neighbour(target, "many events of a machine", "flooded")
    old = times.to_utc(now_ms - 26 * 60 * MINUTE_MS)
    if target.send(target.report(machine, "ERROR", old)).status == HTTPStatus.CREATED:
        target.acknowledged[machine][old] = "ERROR"
    _neighbour(target, "an old report behind many events", "late")
    target.drained(within_s=DRAIN_S)


def _states(target: AttackTarget) -> None:
    """Report so many different states of one machine that each would no longer fit into its row."""
    machine, now_ms = f"{OURS}moody", clock.now_ms()
    reports = [_report(machine, f"S{n:031}", now_ms - MINUTE_MS - n) for n in range(MANY_STATES)]
    _publish(target, reports, "many states of a machine")
    target.drained(within_s=DRAIN_S)
    last = _report(machine, "ERROR", clock.now_ms())
    _publish(target, [last], "many states of a machine")
    board = target.operation("GET /equipment/{id}/board").request({"id": machine})

    def shows() -> bool:
        answer = target.send(board)
        return answer.status == HTTPStatus.OK and answer.json.get("state") == last["state"]

    held = eventually(shows, within_s=NEIGHBOUR_S)
    effect = "the board does not show what the machine says now"
    target.record.expect(PART, "many states of a machine", effect, held=held, seen=board.curl)


def _faults(target: AttackTarget, count: int) -> None:
    """Put so many messages that are no JSON into the queues: each has to become a fault, once.

    What the storms before left may become others meanwhile: they are told apart, and named.
    """
    before = {fault["id"] for fault in target.items("GET /faults")}
    urls, messages = queues.of_listeners(target.stack), [f"{OURS}storm {number}" for number in range(count)]
    for number, url in enumerate(urls):
        queues.send(target.stack, url, messages[number :: len(urls)])

    def ours_and_others() -> tuple[int, list[Any]]:
        more = [fault for fault in target.items("GET /faults") if fault["id"] not in before]
        ours = {id_of(consumer, one) for consumer in {fault["consumer"] for fault in more} for one in messages}
        others = [fault for fault in more if fault["id"] not in ours]
        return len(more) - len(others), others

    target.drained(within_s=DRAIN_S)
    eventually(lambda: ours_and_others()[0] >= count, within_s=NEIGHBOUR_S)
    found, others = ours_and_others()
    seen = f"{count} messages that are no JSON -> {found} faults"
    target.record.expect(PART, "many faults", "not each is a fault, once", held=found == count, seen=seen)
    target.record.notes.append(f"storms: {seen}")
    for fault in others:
        whole = target.ask("GET /faults/{id}", {"id": fault["id"]}).body.decode()
        target.record.notes.append(f"storms: another fault meanwhile: {whole[:FAULT_SHOWN]}")


def _corrections(target: AttackTarget, count: int) -> None:
    """Correct the past of a machine so often, lately not before it is asked for: the question costs what it did."""
    path, asked = {"id": f"{OURS}corrected"}, [("asOf", AS_OF)]
    register, read = (target.operation(f"{method} /equipment/{{id}}") for method in ("PUT", "GET"))
    answer, content = target.send(register.request(path)), register.content()
    before_s = _median_s(lambda: target.send(read.request(path).asking(asked)))
    for number in range(count):
        valid = BEFORE if number < count - STANDING * count else AFTER
        change = register.request(path, content={**content, "name": f"{number}", "validFrom": valid})
        answer = target.send(change.with_header("if-match", answer.headers.get("etag", "")))
        target.note(PART, "many corrections", change, answer, [] if answer.status == HTTPStatus.OK else ["refused"])
    after_s = _median_s(lambda: target.send(read.request(path).asking(asked)))
    status = target.send(read.request(path).asking(asked)).status
    seen = f"{count} corrections: asOf took {before_s * 1000:.0f} ms, then {after_s * 1000:.0f} ms ({status})"
    # What is refused was read up to a bound (library/tests/versions/test_bitemporal.py). It takes the emulator longer
    # all the same: each of its queries looks at the whole partition.
    held = status == HTTPStatus.CONFLICT or (status == HTTPStatus.OK and after_s < 3 * before_s + SLOWER_S)
    target.record.expect(PART, "many corrections", "make asOf slow", held=held, seen=seen)
    target.record.notes.append(f"storms: {seen}")


def _median_s(do: Callable[[], object]) -> float:
    def took_s() -> float:
        began_s = time.monotonic()
        do()
        return time.monotonic() - began_s

    return statistics.median(took_s() for _ in range(TIMED))


def _neighbour(target: AttackTarget, kind: str, name: str) -> None:
    """Let a machine that has an operator report an error: somebody is put on it within a minute."""
    machine, timestamp = f"{OURS}neighbour-{name}", times.to_utc(clock.now_ms())
    target.ask("PUT /equipment/{id}", {"id": machine})
    target.drained(within_s=1)  # dispatch has to know where it stands
    began_s = time.monotonic()
    target.send(target.report(machine, "ERROR", timestamp))
    target.acknowledged[machine][timestamp] = "ERROR"
    asked = target.operation(ASSIGNMENT).request({"id": machine, "timestamp": timestamp, "state": "ERROR"})
    # The emulator hands over the events of all machines one batch after the other: what stands behind the flood in the
    # queue waits for it, as it would not on AWS. The minute counts from when the queues are empty.
    is_decided = eventually(lambda: target.send(asked).status == HTTPStatus.OK, within_s=NEIGHBOUR_S)
    if not is_decided:
        target.drained(within_s=DRAIN_S)
        is_decided = eventually(lambda: target.send(asked).status == HTTPStatus.OK, within_s=NEIGHBOUR_S)
    took_s = time.monotonic() - began_s
    effect = "a neighbour's decision takes more than a minute after its turn"
    target.record.expect(PART, kind, effect, held=is_decided, seen=asked.curl)
    target.record.notes.append(
        f"storms: {kind}: a neighbour's decision took {took_s:.1f} s, with its wait in the queue"
    )


def _publish(target: AttackTarget, reports: list[dict[str, Any]], kind: str) -> None:
    operation = target.operation("POST /states")
    batches = [reports[first : first + BATCH] for first in range(0, len(reports), BATCH)]
    requests = [operation.request(content=batch) for batch in batches]
    for batch, request, answer in zip(
        batches, requests, side_by_side(target.send, requests, clients=target.clients), strict=True
    ):
        target.note(PART, kind, request, answer, target.judge.effects(operation, answer))
        if answer.status == HTTPStatus.ACCEPTED:
            for one in batch:
                target.acknowledged[one["equipmentId"]][one["timestamp"]] = one["state"]


def _report(machine: str, state: str, at_ms: int) -> dict[str, Any]:
    return {"equipmentId": machine, "state": state, "timestamp": times.to_utc(at_ms)}
