"""`make load`: many state reports at once, to the running stack; how fast it is, and whether each arrived once."""

import argparse
import http.client
import math
import secrets
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from contract import groups, times
from local.bench.figures import Arrivals, Figures, Log, arrivals, report
from local.stack import outputs
from local.stack.api import Answer, Api, Connection, path_of
from local.stack.errors import Failed
from local.stack.progress import step
from local.stack.stack import Stack

COMMANDS: Final = 2000
CLIENTS: Final = 8
# Reports of one piece of equipment. All of the first piece are watched: one query shows which have arrived.
EACH: Final = 100
PAGE: Final = 40  # small, so that reading the view means going from page to page
LOOK_EVERY_S: Final = 0.05
# After the last answer, and as long again as sending took: views, rules and clients share this machine's processors.
ARRIVE_WITHIN_S: Final = 180
STATES: Final = ("NORMAL", "WARNING1", "WARNING2", "ERROR")
OK: Final = 200
ACCEPTED: Final = "201"


@dataclass(frozen=True, slots=True)
class Sent:
    """A report that a client sent: when (of `time.perf_counter`), what was answered, and what that took."""

    log: Log
    at_s: float
    answer: str
    took_s: float


def run(stack: Stack, *, commands: int, clients: int) -> Figures:
    """Send the reports, watch some of them arrive, then compare the whole view with what was sent."""
    logs = made_up(secrets.token_hex(4), commands, newest_ms=int(time.time() * 1000))
    device, reader = stack.api(groups.DEVICE), stack.api(groups.OPERATOR)
    waiting, give_up = deque(logs), threading.Event()
    with ThreadPoolExecutor(clients + 1) as pool:
        try:
            watching = pool.submit(_watch, reader, [log for log in logs if log.equipment == logs[0].equipment], give_up)
            began = time.perf_counter()
            with step(f"sending {commands} state reports", lambda: f": {commands - len(waiting)} sent"):
                sent = _all([pool.submit(_send, device, waiting) for _ in range(clients)])
            ended = time.perf_counter()
            with step("waiting until the view knows those that are watched"):
                wait([watching], timeout=ARRIVE_WITHIN_S + ended - began)
        finally:  # Ctrl-C too is to end the threads
            waiting.clear()
            give_up.set()
    accepted = [one for one in sent if one.answer == ACCEPTED]
    with step("reading the view"):
        arrived = _arrivals(reader, [one.log for one in accepted], within_s=ARRIVE_WITHIN_S + ended - began)
    seen = watching.result()
    watched = [one for one in accepted if one.log.equipment == logs[0].equipment]
    return Figures(
        clients=clients,
        sending_s=ended - began,
        answers=Counter(one.answer for one in sent),
        put_s=[one.took_s for one in sent],
        seen_s=[seen[one.log] - one.at_s for one in watched if one.log in seen],
        not_seen=sum(one.log not in seen for one in watched),
        look_every_s=LOOK_EVERY_S,
        complete_s=time.perf_counter() - ended,
        arrivals=arrived,
    )


def made_up(name: str, count: int, *, newest_ms: int) -> list[Log]:
    """Make up `count` distinct reports, of equipment that nothing else speaks of, in turn."""
    pieces = math.ceil(count / EACH)
    return [
        Log(f"load-{name}-{number % pieces}", STATES[number % len(STATES)], times.to_utc(newest_ms - number))
        for number in range(count)
    ]


def _send(api: Api, waiting: deque[Log]) -> list[Sent]:
    """Be one client: send what is waiting, one after the other, until nothing is."""
    sent: list[Sent] = []
    with api.connect() as connection:
        while True:
            try:
                log = waiting.popleft()
            except IndexError:
                return sent
            at_s = time.perf_counter()
            answer = _put(connection, log)
            sent.append(Sent(log, at_s, answer, time.perf_counter() - at_s))


def _put(connection: Connection, log: Log) -> str:
    try:
        path = path_of("equipment", log.equipment, "states", log.timestamp)
        return str(connection.request("PUT", path, {"state": log.state}).status)
    except (OSError, http.client.HTTPException) as broken:
        return type(broken).__name__


def _watch(api: Api, logs: Sequence[Log], give_up: threading.Event) -> dict[Log, float]:
    """Tell when a query of the view first showed each of the logs, which are all of one piece of equipment."""
    seen: dict[Log, float] = {}
    with api.connect() as connection:
        while len(seen) < len(logs) and not give_up.wait(LOOK_EVERY_S):
            answer = _logs(connection, logs[0].equipment, limit=EACH)
            now = time.perf_counter()
            for log in _items(answer):
                seen.setdefault(log, now)
    return seen


def _arrivals(api: Api, sent: Sequence[Log], *, within_s: float) -> Arrivals:
    """Read the view until it has everything or the time is up; then compare."""
    deadline = time.monotonic() + within_s
    found: list[Log] = []
    with api.connect() as connection:
        for equipment, count in Counter(log.equipment for log in sent).items():
            there = list(_pages(connection, equipment))
            while len(there) < count and time.monotonic() < deadline:
                time.sleep(LOOK_EVERY_S)
                there = list(_pages(connection, equipment))
            found += there
    return arrivals(sent, found)


def _pages(connection: Connection, equipment: str) -> Iterator[Log]:
    cursor: dict[str, str] = {}
    while True:
        answer = _logs(connection, equipment, limit=PAGE, **cursor)
        yield from _items(answer)
        if "cursor" not in answer.json:
            return
        cursor = {"cursor": answer.json["cursor"]}


def _logs(connection: Connection, equipment: str, **query: str | int) -> Answer:
    answer = connection.request("GET", f"{path_of('equipment', equipment, 'logs')}?{urlencode(query)}")
    if answer.status != OK:
        raise Failed(f"the view answered {answer.status}: {answer.body.decode(errors='replace')}")
    return answer


def _items(answer: Answer) -> list[Log]:
    return [Log(item["equipmentId"], item["state"], item["timestamp"]) for item in answer.json["items"]]


def _all(clients: Sequence[Future[list[Sent]]]) -> list[Sent]:
    return [sent for client in clients for sent in client.result()]


def main() -> int:
    """Load the running stack; 1 if anything was refused, lost or doubled."""
    parser = argparse.ArgumentParser(prog="make load", usage="make load N=2000 C=8", description=__doc__)
    parser.add_argument("--commands", type=int, default=COMMANDS, help=f"how many (default: {COMMANDS})")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"how many at a time (default: {CLIENTS})")
    given = parser.parse_args()
    if min(given.commands, given.clients) < 1:
        parser.error("N and C are at least 1")
    try:
        figures = run(Stack(outputs.of_running_stack()), commands=given.commands, clients=given.clients)
    except Failed as reason:
        print(f"make load: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report(figures))
    return 0 if figures.good else 1


if __name__ == "__main__":
    sys.exit(main())
