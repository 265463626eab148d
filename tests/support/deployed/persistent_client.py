"""A client that sends a command until it is answered, and remembers what it was promised."""

import time
from collections import Counter
from random import Random
from typing import Any, Final

from andon.runtime import times
from andon.testing.loop import Answer, Loop

EQUIPMENT: Final = 40
TRIES: Final = 20
STATES: Final = ("NORMAL", "WARNING1", "WARNING2", "ERROR")
LEVELS: Final = ("company", "country", "region", "state", "county", "city", "neighborhood")

REGISTRATION: Final = "PUT /equipment/{id}"
REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"
REPORTS: Final = "POST /states"
ASSIGNMENT: Final = "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment"

Log = tuple[str, str, str]
"""Equipment, state, timestamp."""


class PersistentClient:
    """Sends made-up commands, one after the other."""

    def __init__(self, loop: Loop, chance: Random) -> None:
        self.details: dict[Log, str] = {}
        self.operators: dict[Log, str] = {}
        """Of each log, those assigned last at the end."""
        self.names: dict[str, str] = {}
        self.stream_first: set[str] = set()
        """The ids of the events that were promised."""
        self.answers: Counter[int] = Counter()
        self._loop = loop
        self._chance = chance
        self._etags: dict[tuple[str, ...], str] = {}
        self._newest_ms = int(time.time() * 1000)

    def command(self, number: int) -> None:
        """Send a command, the kind by chance."""
        kinds = [self._report, self._report_many, self._register, self._assign if self.details else self._report]
        self._chance.choices(kinds, [45, 10, 15, 30])[0](number)

    def _report(self, number: int) -> None:
        log = self._log(number, 0)
        path = {"id": log[0], "timestamp": log[2]}
        self._send(REPORT, path=path, body={"state": log[1], "detail": f"detail {number}"})
        self.details[log] = f"detail {number}"

    def _report_many(self, number: int) -> None:
        logs = {self._log(number, nth): f"detail {number}, {nth}" for nth in range(3)}
        body = [{"equipmentId": i, "state": s, "timestamp": t, "detail": detail} for (i, s, t), detail in logs.items()]
        self.stream_first |= set(self._send(REPORTS, body=body).body["ids"])
        self.details |= logs

    def _register(self, number: int) -> None:
        equipment = self._equipment()
        name, location = f"name {number}", dict.fromkeys(LEVELS, f"place {number % 7}")
        body = {"name": name, "factoryId": "gdl-1", "lineId": "line-3", "location": location}
        self._save(REGISTRATION, {"id": equipment}, body)
        self.names[equipment] = name

    def _assign(self, number: int) -> None:
        log = self._chance.choice(list(self.details))
        path = {"id": log[0], "state": log[1], "timestamp": log[2]}
        self._save(ASSIGNMENT, path, {"operator": f"op-{number:02}"})
        self.operators.pop(log, None)
        self.operators[log] = f"op-{number:02}"

    def _equipment(self) -> str:
        return f"chaos-{self._chance.randrange(EQUIPMENT)}"

    def _log(self, number: int, nth: int) -> Log:
        at_ms = self._newest_ms - self._chance.randrange(500) * 100_000 - number * 10 - nth  # within half a day
        return self._equipment(), self._chance.choice(STATES), times.to_utc(at_ms)

    def _save(self, route: str, path: dict[str, str], body: dict[str, Any]) -> None:
        what = (route, *path.values())
        headers = {"if-match": self._etags[what]} if what in self._etags else {}
        self._etags[what] = self._send(route, path=path, body=body, headers=headers).headers["etag"]

    def _send(self, route: str, **parts: Any) -> Answer:  # noqa: ANN401  see `http_event`
        for _ in range(TRIES):
            answer = self._loop.request(route, **parts)
            self.answers[answer.status] += 1
            if answer.status in {200, 201, 202}:
                return answer
            assert answer.status >= 500, answer
        raise AssertionError(f"{route} is not answered")
