"""dispatch and dispatch2 on the deployed stack: many edits at once, half of them on each side."""

import json
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from andon.runtime import times
from andon.tools.stack.api import ApiConnection, HttpResponse, path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.sync.in_step import out_of_step
from andon.tools.views.deployed import Deployed
from contract import groups
from demo.people import ANN
from tests.e2e.test_read_your_writes import stopped

EDITS: Final = 60  # on each side: twelve of each log
WORKERS: Final = 2  # on each side
LOGS: Final = 5

MACHINES: Final = "synced"

LISTENERS: Final = {"dispatch": "crew-assigned", "dispatch2": "operator-assigned"}
"""Service -> the type of the edits that cross to it."""
CROSSED, OVERTAKEN = ("applied",), ("stale", "compacted")


@dataclass(slots=True)
class Side:
    """One version of the service, and who edits there: each knows the version that was answered last."""

    name: str
    prefix: str
    logs: list[str]
    numbers: deque[int] = field(default_factory=lambda: deque(range(EDITS)))
    statuses: Counter[int] = field(default_factory=Counter)

    def path(self, log: str) -> str:
        """Return the path of a log's assignment."""
        return f"{self.prefix}{log}/assignment"

    def body(self, number: int) -> dict[str, Any]:
        """Return the body of an edit; no two are the same."""
        person = f"{'cr' if self.prefix else 'op'}-{number:03}"
        return {"crew": {"lead": person, "members": [ANN]}} if self.prefix else {"operator": person}

    def edit(self, stack: Stack) -> None:
        """Edit until nothing is left to do; what is refused is read again and sent again."""
        etags: dict[str, str] = {}
        with stack.api(groups.SUPERVISOR).connect() as connection:
            while (number := self._next()) is not None:
                path = self.path(self.logs[number % LOGS])
                while (answer := self._put(connection, path, self.body(number), etags)).status not in {200, 201}:
                    assert answer.status in {412, 428, 503}, answer
                    etags[path] = connection.request("GET", path).headers["etag"]
                etags[path] = answer.headers["etag"]

    def _next(self) -> int | None:
        try:
            return self.numbers.popleft()
        except IndexError:
            return None

    def _put(self, connection: ApiConnection, path: str, body: object, etags: dict[str, str]) -> HttpResponse:
        answer = connection.request("PUT", path, body, {"if-match": etags[path]} if path in etags else {})
        self.statuses[answer.status] += 1
        return answer


def lines_of(stack: Stack, service: str) -> Iterator[dict[str, Any]]:
    """Yield what a service's listener logged of its batches."""
    logs = stack.client("logs")
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in (found["logGroupName"] for found in page["logGroups"]):
            if "Listener" not in group:
                continue
            for events in logs.get_paginator("filter_log_events").paginate(logGroupName=group):
                lines = (event["message"] for event in events["events"] if f'"view":"{service}"' in event["message"])
                yield from map(json.loads, lines)


def became(stack: Stack, service: str) -> Counter[str]:
    """Return the number of the other side's edits, by outcome."""
    counts: Counter[str] = Counter()
    for line in lines_of(stack, service):
        for name, count in line.items():
            kind, _, outcome = name.partition(".")
            counts.update({outcome: count} if kind == LISTENERS[service] else {})
    return counts


def total(counts: Counter[str], outcomes: tuple[str, ...]) -> int:
    return sum(counts[outcome] for outcome in outcomes)


def shown(stack: Stack, side: Side) -> list[tuple[str, int]]:
    """Return the people of each log, and the version."""
    with stack.api(groups.OPERATOR).connect() as connection:
        answers = [connection.request("GET", side.path(log)) for log in side.logs]
    bodies = [answer.json.get("crew", {}).get("lead") or answer.json["operator"] for answer in answers]
    return [(body, int(answer.headers["etag"].strip('"'))) for body, answer in zip(bodies, answers, strict=True)]


def test_edits_on_each_side_at_once_end_in_the_same_and_the_counts_add_up(stack: Stack) -> None:
    at = times.to_utc(int(time.time() * 1000) - 60_000)
    logs = [path_of("equipment", f"{MACHINES}-{number}", "logs", "ERROR", at) for number in range(LOGS)]
    old, new = Side("dispatch", "", logs), Side("dispatch2", "/v2", logs)
    before = {side.name: became(stack, side.name) for side in (old, new)}

    with stopped(stack, new.name):  # what the old side edits first arrives behind a newer edit, for sure
        for side in (old, new):
            Side(side.name, side.prefix, logs, deque([side.numbers.popleft()]), side.statuses).edit(stack)
    began = time.perf_counter()
    with ThreadPoolExecutor(2 * WORKERS) as pool:
        ready = threading.Barrier(2 * WORKERS)

        def work(side: Side) -> None:
            ready.wait()
            side.edit(stack)

        for done in [pool.submit(work, side) for side in (old, new) for _ in range(WORKERS)]:
            done.result()
    edited_s = time.perf_counter() - began

    def arrived() -> bool:
        return all(
            total(became(stack, name) - before[name], CROSSED + OVERTAKEN) >= EDITS for name in (old.name, new.name)
        )

    assert eventually(arrived), {name: became(stack, name) for name in LISTENERS}
    at_the_end = {side.name: shown(stack, side) for side in (old, new)}
    counts = {name: became(stack, name) - before[name] for name in LISTENERS}
    print(  # noqa: T201  the figures
        f"edited in {edited_s:.1f} s, all arrived after {time.perf_counter() - began:.1f} s;",
        {side.name: dict(side.statuses) for side in (old, new)},
        {name: dict(count) for name, count in counts.items()},
    )

    tables = Deployed(None, stack.outputs, stack.client, settles_s=0)
    assert [str(one) for one in out_of_step(tables) if MACHINES in str(one.key)] == []
    people = {name: [person for person, _ in found] for name, found in at_the_end.items()}
    assert people["dispatch"] == people["dispatch2"]
    assert total(counts[new.name], OVERTAKEN)
    for side in (old, new):
        assert side.statuses[200] + side.statuses[201] == EDITS
        assert not counts[side.name]["fault"]
        # Every edit made here, and every one that crossed to here, is one version; sent = crossed + overtaken.
        versions = sum(version for _, version in at_the_end[side.name])
        assert versions == EDITS + total(counts[side.name], CROSSED)
        assert total(counts[side.name], CROSSED + OVERTAKEN) == EDITS
