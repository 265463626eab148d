"""Many commands at once, to the running stack: how fast it is, and whether each arrived once, in view and lake.

It knows no domain: what is sent, and how a view is asked for it, is a `LoadProfile`. The lake is compared with all that
triggers published, which is read from the streams of the tables.
"""

import argparse
import http.client
import json
import math
import secrets
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from andon.cdk.names import pascal
from andon.events.change_data_capture import event_of
from andon.packages.discovery import services
from andon.recorded.lake import EVENTS, lines_of
from andon.tools.listings import keys_in
from andon.tools.percentile import percentile
from andon.tools.stack import outputs
from andon.tools.stack.api import ApiClient, ApiConnection
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack

MEASURED: Final = Path(".local/load.json")
"""The file with the figures of the last load test."""

ACCEPTED: Final = "201"
SHARES: Final = (0.50, 0.95, 0.99)
SHOWN: Final = 5  # of the reports that did not arrive as they should

LOOK_EVERY_S: Final = 0.05
# After the last answer, and as long again as sending took: views, rules and clients share this machine's processors.
ARRIVE_WITHIN_S: Final = 180


class Item(NamedTuple):
    """An item that one command writes and a view shows: one query shows the newest of a group."""

    group: str
    name: str


class Discrepancies(NamedTuple):
    """Items that a view lacks, has more than once, or has although no command for them was accepted."""

    missing: tuple[Item, ...]
    repeated: tuple[Item, ...]
    extra: tuple[Item, ...]

    @property
    def exact(self) -> bool:
        """True if every item arrived once and nothing else did."""
        return not any(self)


SourceAndId = tuple[str, str]
"""Source and id: what a reader of the lake counts once."""


class InLake(NamedTuple):
    """Events that triggers published since the stack is up: those that the lake lacks, or has without images."""

    published: int
    missing: tuple[SourceAndId, ...] = ()
    without_images: tuple[SourceAndId, ...] = ()

    @property
    def complete(self) -> bool:
        """True if everything is there, with both images."""
        return not (self.missing or self.without_images)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """A load test.

    what: what the commands are, in the plural; answers: how often each status (or error) was the answer to one.
    put_s: what each took; seen_s: from sending one until a query of the view showed its item, of those that were
    watched; not_seen: how many of these no query showed.
    complete_s: from the last answer until all of it was read from the view.
    """

    what: str
    clients: int
    sending_s: float
    answers: Counter[str]
    put_s: Sequence[float]
    seen_s: Sequence[float]
    not_seen: int
    look_every_s: float
    complete_s: float
    arrivals: Discrepancies
    lake: InLake

    @property
    def good(self) -> bool:
        """True if every command was answered 201, its item is in the view once, and all facts are in the lake."""
        return {*self.answers} == {ACCEPTED} and self.arrivals.exact and not self.not_seen and self.lake.complete


def arrivals(sent: Sequence[Item], found: Sequence[Item]) -> Discrepancies:
    """Compare what was sent with what a view answered, page after page."""
    times_found, wanted = Counter(found), set(sent)
    return Discrepancies(
        missing=tuple(item for item in sent if item not in times_found),
        repeated=tuple(item for item, times in times_found.items() if times > 1),
        extra=tuple(item for item in times_found if item not in wanted),
    )


def report(figures: LoadFigures) -> str:
    """Return the figures as text; every line says what was measured."""
    count, lake = figures.answers.total(), figures.lake
    late = f"; {figures.not_seen} NEVER SEEN" if figures.not_seen else ""
    every = f"by a query every {figures.look_every_s * 1000:.0f} ms"
    watched = f"{len(figures.seen_s) + figures.not_seen} watched, {every}{late}"
    refused = [f"{times} x {answer}" for answer, times in sorted(figures.answers.items()) if answer != ACCEPTED]
    bare = f"; WITHOUT BOTH IMAGES: {len(lake.without_images)}" if lake.without_images else ""
    lines = [
        f"{count} {figures.what} from {figures.clients} clients, each sending when its last one was answered",
        f"{figures.sending_s:.1f} s, {count / figures.sending_s:.0f} a second",
        f"{'':20}{''.join(f'p{share * 100:.0f}'.rjust(10) for share in SHARES)}",
        _row("PUT answered", figures.put_s, f"all {len(figures.put_s)}"),
        _row("PUT -> readable", figures.seen_s, watched),
        f"the view had all of it at most {figures.complete_s:.1f} s after the last answer",
        *([f"NOT ACCEPTED: {', '.join(refused)}"] if refused else ()),
        *_verdict(figures.arrivals, figures.answers[ACCEPTED]),
        f"of {lake.published} facts that triggers published, missing in the lake: {len(lake.missing)}{bare}",
    ]
    return "\n".join(lines)


def _row(name: str, seconds: Sequence[float], of: str) -> str:
    measured = (percentile(seconds, share) for share in SHARES)
    columns = (f"{'-':>10}" if math.isnan(one) else f"{one * 1000:>7.0f} ms" for one in measured)
    return f"{name:20}{''.join(columns)}   ({of})"


def _verdict(found: Discrepancies, accepted: int) -> list[str]:
    if found.exact:
        return [f"each of the {accepted} is in the view once, and nothing else is"]
    named = zip(("MISSING", "MORE THAN ONCE", "NEVER ACCEPTED"), found, strict=True)
    return [f"{name}: {len(some)}, as {'; '.join(map(' '.join, some[:SHOWN]))}" for name, some in named if some]


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


def run(stack: Stack, workload: LoadProfile, *, commands: int, clients: int) -> LoadFigures:
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
        lake = compare_with_lake(stack, within_s=within_s)
    return LoadFigures(
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


def compare_with_lake(stack: Stack, *, within_s: float) -> InLake:
    """Compare the lake with the events published by now, once it has all of them or the time is up."""
    published, read = set(_published(stack)), set[str]()
    events: dict[SourceAndId, bool] = {}

    def has_all() -> bool:
        events.update(_new_events(stack, read))
        return published <= events.keys()

    eventually(has_all, within_s=within_s)
    missing = published - events.keys()
    bare = {event for event in published - missing if not events[event]}
    return InLake(len(published), tuple(sorted(missing)), tuple(sorted(bare)))


def _new_events(stack: Stack, read: set[str]) -> Iterator[tuple[SourceAndId, bool]]:
    """Yield the events of objects that were not `read`, and whether each has its images; an object never changes."""
    s3, bucket = stack.client("s3"), stack.outputs["LakeBucket"]
    for key in {*keys_in(s3, bucket, f"{EVENTS}/")} - read:
        read.add(key)
        for envelope in map(json.loads, lines_of(s3.get_object(Bucket=bucket, Key=key)["Body"].read())):
            # Others may put on the bus what no service of ours publishes.
            detail = envelope["detail"] if isinstance(envelope["detail"], dict) else {}
            raw = detail["raw"] if isinstance(detail.get("raw"), dict) else {}
            yield (str(envelope["source"]), str(detail.get("id"))), raw.keys() >= {"new", "old"}


def _published(stack: Stack) -> Iterator[SourceAndId]:
    """Yield the events that the changes of all tables mean."""
    for package in services():
        for variable, schema in package.tables.items():
            for record in _records(stack, stack.outputs[pascal(variable)]) if schema.stream else ():
                if event := event_of(record, facts=package.facts, tags={}):
                    yield package.facts.source, event.id


def _records(stack: Stack, table: str) -> Iterator[Any]:
    streams = stack.client("dynamodbstreams")
    arn = stack.client("dynamodb").describe_table(TableName=table)["Table"]["LatestStreamArn"]
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = streams.get_shard_iterator(**start)["ShardIterator"]
        while iterator:
            page = streams.get_records(ShardIterator=iterator)
            yield from ({**record, "eventSourceARN": arn} for record in page["Records"])
            iterator = page.get("NextShardIterator") if page["Records"] else None


def main(workload: LoadProfile) -> int:
    """Load the running stack; 1 if anything was refused, lost or doubled."""
    about = f"{workload.what} at once, to the running stack"
    parser = argparse.ArgumentParser(prog="make load", usage="make load N=2000 C=8", description=about)
    parser.add_argument("--commands", type=int, default=2000, help="how many (default: %(default)s)")
    parser.add_argument("--clients", type=int, default=8, help="how many at a time (default: %(default)s)")
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
