"""The writes of people and machines to the region that will be lost, by the dice."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from andon.runtime import clock, times
from contract.levels import FIELDS
from demo.people import LIZ, OLGA, SUE, TOM

MACHINES: Final = tuple(f"press-{number}" for number in range(40))
FACTORY: Final = "gdl-1"
STATES: Final = ("NORMAL", "WARNING1", "ERROR")
PEOPLE: Final = (LIZ, SUE, TOM)
PLACE: Final = dict.fromkeys(FIELDS, "x")
LEVELS: Final = [{"level": level, "name": name} for level, name in PLACE.items()]


class WriteAnswer(Protocol):
    """An answer of the API."""

    @property
    def status(self) -> int:
        """Its status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Its headers, by names in lower case."""


class Writable(Protocol):
    """An API that is written to."""

    def write(self, route: str, logs: Iterable[tuple[str, str]] = (), **parts: Any) -> WriteAnswer:  # noqa: ANN401
        """Send a command; logs: machine, and `state#timestamp` of each report in it that has no path."""

    def request(self, route: str, **parts: Any) -> WriteAnswer:  # noqa: ANN401
        """Read."""


class Writers:
    """People and machines; each knows the versions that it was answered with. prefix: of the names of all things."""

    def __init__(
        self, region: Writable, dice: random.Random, *, machines: Sequence[str] = MACHINES, prefix: str = ""
    ) -> None:
        self._region, self._dice = region, dice
        self._machines, self._factory = [prefix + machine for machine in machines], prefix + FACTORY
        self._tags: dict[tuple[str, ...], str] = {}
        self._logs: list[dict[str, str]] = []

    def write(self) -> WriteAnswer:
        """Make one write, of a kind that the dice choose."""
        kinds = [
            self._report, self._report, self._report, self._report_at_once, self._register, self._register,
            self._register_again, self._roll_back, self._delete, self._audit, self._staff, self._assign,
            self._assign_crew, self._escalate, self._acknowledge,
        ]  # fmt: skip
        return self._dice.choice(kinds)(self._dice.choice(self._machines))

    def _report(self, machine: str) -> WriteAnswer:
        state, at = self._dice.choice(STATES), times.to_utc(clock.now_ms())
        self._logs.append({"id": machine, "state": state, "timestamp": at})
        path = {"id": machine, "timestamp": at}
        return self._region.write("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": state})

    def _report_at_once(self, _: str) -> WriteAnswer:
        at = times.to_utc(clock.now_ms())
        some = self._dice.sample(self._machines, 3)
        reports = [{"equipmentId": one, "state": self._dice.choice(STATES), "timestamp": at} for one in some]
        self._logs += [{"id": one["equipmentId"], "state": one["state"], "timestamp": at} for one in reports]
        logs = [(one["equipmentId"], f"{one['state']}#{at}") for one in reports]
        return self._region.write("POST /states", logs, body=reports)

    def _register(self, machine: str) -> WriteAnswer:
        return self._change("PUT /equipment/{id}", {"id": machine}, self._machine(location=PLACE))

    def _register_again(self, machine: str) -> WriteAnswer:
        return self._change("PUT /v2/equipment/{id}", {"id": machine}, self._machine(levels=LEVELS))

    def _machine(self, **place: object) -> dict[str, object]:
        return {"name": f"press {self._dice.random():.4f}", "factoryId": self._factory, "lineId": "l", **place}

    def _roll_back(self, machine: str) -> WriteAnswer:
        return self._change("POST /equipment/{id}/rollback", {"id": machine}, {"toVersion": 1})

    def _delete(self, machine: str) -> WriteAnswer:
        return self._change("DELETE /equipment/{id}", {"id": machine}, None)

    def _audit(self, machine: str) -> WriteAnswer:
        body = {"result": self._dice.choice(["passed", "failed"]), "auditor": OLGA}
        return self._change("PUT /equipment/{id}/audits/{part}", {"id": machine, "part": "door"}, body)

    def _staff(self, _: str) -> WriteAnswer:
        body = {"operators": self._dice.sample(PEOPLE, 2), "supervisor": self._dice.choice(PEOPLE)}
        return self._change("PUT /factories/{factoryId}/roster", {"factoryId": self._factory}, body)

    def _assign(self, machine: str) -> WriteAnswer:
        body = {"operator": self._dice.choice(PEOPLE)}
        return self._change("PUT /equipment/{id}/logs/{state}/{timestamp}/assignment", self._log(machine), body)

    def _assign_crew(self, machine: str) -> WriteAnswer:
        body = {"crew": {"lead": self._dice.choice(PEOPLE), "members": list[str]()}}
        return self._change("PUT /v2/equipment/{id}/logs/{state}/{timestamp}/assignment", self._log(machine), body)

    def _escalate(self, machine: str) -> WriteAnswer:
        body = {"supervisor": self._dice.choice(PEOPLE)}
        return self._change("PUT /equipment/{id}/logs/{state}/{timestamp}/escalation", self._log(machine), body)

    def _acknowledge(self, machine: str) -> WriteAnswer:
        route = "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement"
        return self._region.write(route, path=self._log(machine))

    def _log(self, machine: str) -> dict[str, str]:
        """Return the path of a log that was reported, or of one that was not."""
        unknown = {"id": machine, "state": "ERROR", "timestamp": times.to_utc(clock.now_ms())}
        return self._dice.choice(self._logs) if self._logs else unknown

    def _change(self, route: str, path: dict[str, str], body: Any) -> WriteAnswer:  # noqa: ANN401  JSON
        """Change what has versions; whoever was refused reads first, and tries again."""
        thing = (route.split("/")[1] if "v2" in route else "", "assignment" * ("assignment" in route), *path.values())
        for _ in range(2):
            tag = self._tags.get(thing)
            answer = self._region.write(route, path=path, body=body, headers={"if-match": tag} if tag else {})
            if "etag" in answer.headers:
                self._tags[thing] = answer.headers["etag"]
            if answer.status not in {412, 428}:
                break
            read = self._region.request(_read_of(route), path=path)
            self._tags[thing] = read.headers.get("etag", "")
        return answer


def _read_of(route: str) -> str:
    return f"GET {route.partition(' ')[2].removesuffix('/rollback')}"
