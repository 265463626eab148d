"""Many commands at once, to the running stack: how fast it is, and whether each arrived once.

It knows no domain: what is sent, and how a view is asked for it, is a `LoadProfile`.
"""

import argparse
import http.client
import json
import secrets
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from andon.tools.percentile import percentile
from andon.tools.stack import outputs
from andon.tools.stack.api import ApiClient, ApiConnection
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack
from lab import in_lake
from lab.figures import ACCEPTED, MEASURED, Discrepancies, Figures, Item, arrivals, report

COMMANDS: Final = 2000
CLIENTS: Final = 8
LOOK_EVERY_S: Final = 0.05
# After the last answer, and as long again as sending took: views, rules and clients share this machine's processors.
ARRIVE_WITHIN_S: Final = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadProfile:
    """A load for the system.

    what: what the commands are, in the plural; writer, reader: the roles that send them and that read the view.
    made_up: distinct items, given a name of this run, how many, and the time of the newest.
    send: the status of the answer; shown: items of a group -> those that one query of the view shows; pages: all of it.
    """

    what: str
    writer: str
    reader: str
    made_up: Callable[[str, int, int], list[Item]]
    send: Callable[[ApiConnection, Item], int]
    shown: Callable[[ApiConnection, Sequence[Item]], list[Item]]
    pages: Callable[[ApiConnection, str], Iterator[Item]]


class SentCommand(NamedTuple):
    """A command that a client sent: when (of `time.perf_counter`), what was answered, and what that took."""

    item: Item
    at_s: float
    answer: str
    took_s: float


def run(stack: Stack, workload: LoadProfile, *, commands: int, clients: int) -> Figures:
    """Send the commands, watch the items of the first group arrive, then compare the whole view with what was sent."""
    items = workload.made_up(secrets.token_hex(4), commands, int(time.time() * 1000))
    writer, reader = stack.api(workload.writer), stack.api(workload.reader)
    waiting, give_up = deque(items), threading.Event()
    first = [item for item in items if item.group == items[0].group]
    with ThreadPoolExecutor(clients + 1) as pool:
        try:
            watching = pool.submit(_watch, workload, reader, first, give_up)
            began = time.perf_counter()
            with step(f"sending {commands} {workload.what}", lambda: f": {commands - len(waiting)} sent"):
                sending = [pool.submit(_send, workload, writer, waiting) for _ in range(clients)]
                sent = [one for client in sending for one in client.result()]
            ended = time.perf_counter()
            with step("waiting until the view knows those that are watched"):
                wait([watching], timeout=ARRIVE_WITHIN_S + ended - began)
        finally:  # also after Ctrl-C: the threads have to end
            waiting.clear()
            give_up.set()
    within_s, seen = ARRIVE_WITHIN_S + ended - began, watching.result()
    accepted = [one for one in sent if one.answer == ACCEPTED]
    watched = [one for one in accepted if one.item.group == items[0].group]
    with step("reading the view"):
        arrived = _arrivals(workload, reader, [one.item for one in accepted], within_s=within_s)
    complete_s = time.perf_counter() - ended
    with step("waiting until everything is in the lake"):
        lake = in_lake.compare(stack, within_s=within_s)
    return Figures(
        what=workload.what,
        clients=clients,
        sending_s=ended - began,
        answers=Counter(one.answer for one in sent),
        put_s=[one.took_s for one in sent],
        seen_s=[seen[one.item] - one.at_s for one in watched if one.item in seen],
        not_seen=sum(one.item not in seen for one in watched),
        look_every_s=LOOK_EVERY_S,
        complete_s=complete_s,
        arrivals=arrived,
        lake=lake,
    )


def _send(workload: LoadProfile, api: ApiClient, waiting: deque[Item]) -> list[SentCommand]:
    """Run one client: it sends what is waiting, one after the other, until nothing is."""
    sent: list[SentCommand] = []
    with api.connect() as connection, suppress(IndexError):
        while True:
            item, at_s = waiting.popleft(), time.perf_counter()
            try:
                answer = str(workload.send(connection, item))
            except (OSError, http.client.HTTPException) as broken:
                answer = type(broken).__name__
            sent.append(SentCommand(item, at_s, answer, time.perf_counter() - at_s))
    return sent


def _watch(workload: LoadProfile, api: ApiClient, items: Sequence[Item], give_up: threading.Event) -> dict[Item, float]:
    """Return when a query of the view first showed each of the items, which are all of one group."""
    seen: dict[Item, float] = {}
    with api.connect() as connection:
        while len(seen) < len(items) and not give_up.wait(LOOK_EVERY_S):
            missing = [item for item in items if item not in seen]  # asking for all would load the system, too
            shown = workload.shown(connection, missing)
            seen |= dict.fromkeys(set(shown) & set(missing), time.perf_counter())
    return seen


def _arrivals(workload: LoadProfile, api: ApiClient, sent: Sequence[Item], *, within_s: float) -> Discrepancies:
    """Read the view until it has everything or the time is up; then compare."""
    deadline = time.monotonic() + within_s
    found: list[Item] = []
    with api.connect() as connection:
        for group, count in Counter(item.group for item in sent).items():
            there = list(workload.pages(connection, group))
            while len(there) < count and time.monotonic() < deadline:
                time.sleep(LOOK_EVERY_S)
                there = list(workload.pages(connection, group))
            found += there
    return arrivals(sent, found)


def main(workload: LoadProfile) -> int:
    """Load the running stack; 1 if anything was refused, lost or doubled."""
    about = f"{workload.what} at once, to the running stack"
    parser = argparse.ArgumentParser(prog="make load", usage="make load N=2000 C=8", description=about)
    parser.add_argument("--commands", type=int, default=COMMANDS, help=f"how many (default: {COMMANDS})")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"how many at a time (default: {CLIENTS})")
    options = parser.parse_args()
    if min(options.commands, options.clients) < 1:
        parser.error("N and C are at least 1")
    try:
        stack = Stack(outputs.of_running_stack())
        figures = run(stack, workload, commands=options.commands, clients=options.clients)
    except ToolFailed as reason:
        print(f"make load: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report(figures))
    kept = {
        "commands": options.commands,
        "clients": options.clients,
        "per_s": options.commands / figures.sending_s,
        "readable_p50_s": percentile(figures.seen_s, 0.50),
        "readable_p99_s": percentile(figures.seen_s, 0.99),
    }
    MEASURED.write_text(json.dumps(kept))  # for `make simulate ARGS="--target local"` to compare with
    return 0 if figures.good else 1
