"""Work beside the attack: replays, drift, rehydration, and edits of both versions of each service.

It ends well whatever was done meanwhile: jobs are done, sides are in step, rows are what their events make of them.
"""

import random
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.packages.discovery import views
from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.runtime.json_types import JsonObject
from andon.stores.replays.replay import DONE_STATE
from andon.tools.stack.api import HttpResponse
from andon.tools.stack.processes import eventually
from andon.tools.sync.in_step import out_of_step
from andon.tools.views.deployed import Deployed
from contract import groups
from lab.attack import events, others
from lab.attack.operations import OURS
from lab.attack.races import WRITERS, at_once
from lab.attack.target import AttackTarget
from lab.attack.wire import BROKEN
from lab.region.writes import Writers

PART: Final = "meanwhile"
SYNCED, PAST, DRIFTED = f"{OURS}synced-", f"{OURS}past", f"{OURS}drifted"
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
WITHIN_S: Final = 120
BY_THE_CLOCK: Final = "eventsPerSecond"  # of a job: it changes though nothing happens
REHYDRATE: Final = "POST /archive/equipment/{id}/rehydrations"


class Meanwhile:
    """Work that is under way while something else is attacked."""

    def __init__(self, target: AttackTarget, dice: random.Random) -> None:
        self._target, self._rounds = target, 0
        self._writers = Writers(self, dice, machines=MACHINES, prefix=SYNCED)
        self._jobs: dict[str, str] = {}  # path -> kind
        self._sound: list[Any] = []

    def prepare(self) -> None:
        """Let some machines report what expired long ago, and one what will be corrupted."""
        now_ms, target = clock.now_ms(), self._target
        for machine in (f"{PAST}-{number}" for number in range(DEVICES)):
            for number in range(REPORTS):
                _publish_of_old(target, machine, now_ms - LONG_AGO_MS + number * MINUTE_MS)
        for number in range(REPORTS):
            at = times.to_utc(now_ms - number * MINUTE_MS)
            target.send(target.report(DRIFTED, "WARNING1", at))
            target.acknowledged[DRIFTED][at] = "WARNING1"
        eventually(lambda: len(self._rows()) >= REPORTS, within_s=WITHIN_S)
        self._sound = self._rows()

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Begin a job of each kind, and go on editing."""
        ended = threading.Event()
        with ThreadPoolExecutor(2) as pool:
            going = [pool.submit(self._begin), pool.submit(self._edit, ended)]
            try:
                yield
            finally:
                ended.set()
        for one in going:
            one.result()

    def write(self, route: str, logs: Iterable[tuple[str, str]] = (), **parts: Any) -> HttpResponse:  # noqa: ANN401
        """Send a command of `Writers`, and note the logs that its view has to show, or may show."""
        answer = self.request(route, **parts)
        path = parts.get("path", {})
        said = [(machine, *log.split("#")) for machine, log in logs]
        said += (
            [(path["id"], parts["body"]["state"], path["timestamp"])] if route.endswith("/states/{timestamp}") else []
        )
        made = self._target.acknowledged if answer.status in TAKEN else self._target.unanswered
        for machine, state, at in said:
            made[machine][at] = state
        if "/logs/{state}/" in route:  # the view shows a log that somebody was assigned to, reported or not
            self._target.unanswered[path["id"]][path["timestamp"]] = path["state"]
        self._target.record.attempt(PART, "an edit", {})  # judged by what is there at the end
        return answer

    def request(self, route: str, **parts: Any) -> HttpResponse:  # noqa: ANN401
        """Send a request, with the `path`, `body` and `headers` that are given."""
        request = self._target.operation(route).request(parts.get("path"), content=parts.get("body"))
        for name, value in parts.get("headers", {}).items():
            request = request.with_header(name, value)
        return self._target.send(request)

    def check(self) -> None:
        """Wait until all that was begun has ended, and look at it."""
        for path, kind in self._jobs.items():
            seen = self._ended(path)
            self._target.record.expect(PART, kind, "is not done", held=seen == DONE_STATE, seen=f"GET {path} -> {seen}")
        self._check_drift()
        self._check_sides()

    def _begin(self) -> None:
        """Corrupt a row, archive, replay to each view, look for drift in each, and bring back what expired."""
        others.put_model(self._target, self._rounds)
        self._rounds += 1
        self._corrupt()
        others.archived(self._target)
        self._replay()
        for view in views():
            self._target.ask("POST /drift/{view}", {"view": view.name})
        now = times.to_utc(clock.now_ms())
        for machine in (f"{PAST}-{number}" for number in range(DEVICES)):
            answer = self._target.ask(REHYDRATE, {"id": machine}, content={"from": now[:10], "to": now})
            self._note("a rehydration", answer, f"/archive/equipment/{machine}/rehydrations")

    def _replay(self) -> None:
        """Ask for more replays at once than may run together."""
        names = [view.name for view in views()]
        asked = [{"view": names[number % len(names)], "rate": RATE} for number in range(WRITERS)]
        answers = at_once(lambda number: self._target.ask("POST /replays", content=asked[number]))
        begun = [answer.json["id"] for answer in answers if self._note("a replay", answer, "/replays")]
        states = [self._job(f"/replays/{job}")["state"] for job in begun]  # a short one may have made room for another
        effect = "run together at a higher rate than may be"
        held = len(states) - states.count(DONE_STATE) <= MOST_AT_ONCE
        seen = f"{[one.status for one in answers]}, then {states}"
        self._target.record.expect(PART, "replays", effect, held=held, seen=seen)

    def _note(self, kind: str, answer: HttpResponse, folder: str) -> bool:
        """Keep a job that was begun; True if it was."""
        begun = answer.status == HTTPStatus.ACCEPTED
        if begun:
            self._jobs[f"{folder}/{answer.json['id']}"] = kind
        died = answer.status == BROKEN or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR  # its worker was killed
        held = begun or died or answer.status == HTTPStatus.CONFLICT
        self._target.record.expect(PART, kind, "cannot be begun", held=held, seen=f"{folder} -> {answer.status}")
        return begun

    def _edit(self, ended: threading.Event) -> None:
        while not ended.wait(PAUSE_S):
            with self._target.turn:
                self._writers.write()

    def _ended(self, path: str) -> str:
        """Return the state in which a job ends, or stands still for `WITHIN_S`."""
        seen = self._job(path)
        while seen["state"] != DONE_STATE and eventually(partial(self._is_further, path, seen), within_s=WITHIN_S):
            seen = self._job(path)
        return str(seen["state"])

    def _is_further(self, path: str, than: JsonObject) -> bool:
        return self._job(path) != than

    def _job(self, path: str) -> JsonObject:
        job = self._target.stack.api(groups.ADMIN).get(path).json
        return {name: value for name, value in job.items() if name != BY_THE_CLOCK}

    def _rows(self) -> list[Any]:
        found = self._target.stack.client("dynamodb").query(
            TableName=self._target.stack.outputs["StateLogTable"],
            KeyConditionExpression="DeviceID = :id",
            ExpressionAttributeValues={":id": {"S": DRIFTED}},
            ConsistentRead=True,
        )
        return [to_plain(row) for row in found["Items"]]

    def _corrupt(self) -> None:
        row = self._sound[self._rounds % len(self._sound)]
        item = to_typed({**row, "Detail": "corrupt", "State": "CORRUPT"})
        self._target.stack.client("dynamodb").put_item(TableName=self._target.stack.outputs["StateLogTable"], Item=item)

    def _check_drift(self) -> None:
        """Look once more: what was corrupted is repaired, and nothing else ever differed."""
        if self._rows() != self._sound:
            self._target.ask("POST /drift/{view}", {"view": "state_log"})
        held = eventually(lambda: self._rows() == self._sound, within_s=WITHIN_S)
        self._target.record.expect(PART, "a corrupted row", "is not repaired", held=held, seen=str(self._rows()))
        found = [one for one in self._target.items("GET /drift") if any(OURS in key for key in one["key"].values())]
        of_it = [one for one in found if DRIFTED in one["key"].values()]
        self._target.record.expect(PART, "a corrupted row", "is not told", held=bool(of_it), seen="GET /drift")
        told = [one for one in found if one not in of_it and UNTOLD not in str(one["key"])]
        self._target.record.expect(PART, "rows and their events", "differ", held=not told, seen=str(told[:3]))

    def _check_sides(self) -> None:
        stack = Deployed(None, self._target.stack.outputs, self._target.stack.client, settles_s=0)
        differences = partial(_of_ours, stack)
        held = eventually(lambda: not differences(), within_s=WITHIN_S)
        seen = str(differences()[:3])
        self._target.record.expect(PART, "two versions of a service", "are not in step", held=held, seen=seen)


def _of_ours(stack: Deployed) -> list[str]:
    return [str(one) for one in out_of_step(stack) if SYNCED in str(one.key)]


def _publish_of_old(target: AttackTarget, machine: str, at_ms: int) -> None:
    """Put a report on the bus that expired before it came; once it is brought back, a list shows it."""
    at, envelope = times.to_utc(at_ms), events.about(machine)
    envelope["detail"] |= {"id": f"{machine}-{at_ms}", "timestamp": at_ms}
    envelope["detail"]["state"] |= {"timestamp": at, "state": "WARNING1"}
    others.put(target, envelope)
    target.acknowledged[machine][at] = "WARNING1"
