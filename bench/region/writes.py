"""The writes of people and machines to the region that will be lost, by the dice."""

import random
from typing import Any, Final

from andon.runtime import clock, times
from andon.testing.loop import Answer
from bench.region.lost import LostRegion

MACHINES: Final = tuple(f"press-{number}" for number in range(40))
STATES: Final = ("NORMAL", "WARNING1", "ERROR")
PEOPLE: Final = ("Liz", "Sue", "Tom")
LEVELS: Final = ("company", "country", "region", "state", "county", "city", "neighborhood")
PLACE: Final = dict.fromkeys(LEVELS, "x")


class Writers:
    """People and machines; each knows the versions that it was answered with."""

    def __init__(self, region: LostRegion, dice: random.Random) -> None:
        self._region, self._dice = region, dice
        self._tags: dict[tuple[str, ...], str] = {}
        self._logs: list[dict[str, str]] = []

    def write(self) -> Answer:
        """Make one write, of a kind that the dice choose."""
        kinds = [
            self._report, self._report, self._report, self._report_at_once, self._register, self._register,
            self._register_again, self._roll_back, self._delete, self._audit, self._staff, self._assign,
            self._assign_crew, self._escalate, self._acknowledge,
        ]  # fmt: skip
        return self._dice.choice(kinds)(self._dice.choice(MACHINES))

    def _report(self, machine: str) -> Answer:
        state, at = self._dice.choice(STATES), times.to_utc(clock.now_ms())
        self._logs.append({"id": machine, "state": state, "timestamp": at})
        path = {"id": machine, "timestamp": at}
        return self._region.write("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": state})

    def _report_at_once(self, _: str) -> Answer:
        at = times.to_utc(clock.now_ms())
        some = self._dice.sample(MACHINES, 3)
        reports = [{"equipmentId": one, "state": self._dice.choice(STATES), "timestamp": at} for one in some]
        self._logs += [{"id": one["equipmentId"], "state": one["state"], "timestamp": at} for one in reports]
        logs = [(one["equipmentId"], f"{one['state']}#{at}") for one in reports]
        return self._region.write("POST /states", logs, body=reports)

    def _register(self, machine: str) -> Answer:
        body = {"name": f"press {self._dice.random():.4f}", "factoryId": "gdl-1", "lineId": "l", "location": PLACE}
        return self._change("PUT /equipment/{id}", {"id": machine}, body)

    def _register_again(self, machine: str) -> Answer:
        levels = [{"level": level, "name": "x"} for level in LEVELS]
        body = {"name": f"machine {self._dice.random():.4f}", "factoryId": "gdl-1", "lineId": "l", "levels": levels}
        return self._change("PUT /v2/equipment/{id}", {"id": machine}, body)

    def _roll_back(self, machine: str) -> Answer:
        return self._change("POST /equipment/{id}/rollback", {"id": machine}, {"toVersion": 1})

    def _delete(self, machine: str) -> Answer:
        return self._change("DELETE /equipment/{id}", {"id": machine}, None)

    def _audit(self, machine: str) -> Answer:
        body = {"result": self._dice.choice(["passed", "failed"]), "auditor": "Olga"}
        return self._change("PUT /equipment/{id}/audits/{part}", {"id": machine, "part": "door"}, body)

    def _staff(self, _: str) -> Answer:
        body = {"operators": self._dice.sample(PEOPLE, 2), "supervisor": self._dice.choice(PEOPLE)}
        return self._change("PUT /factories/{factoryId}/roster", {"factoryId": "gdl-1"}, body)

    def _assign(self, machine: str) -> Answer:
        body = {"operator": self._dice.choice(PEOPLE)}
        return self._change("PUT /equipment/{id}/logs/{state}/{timestamp}/assignment", self._log(machine), body)

    def _assign_crew(self, machine: str) -> Answer:
        body = {"crew": {"lead": self._dice.choice(PEOPLE), "members": list[str]()}}
        return self._change("PUT /v2/equipment/{id}/logs/{state}/{timestamp}/assignment", self._log(machine), body)

    def _escalate(self, machine: str) -> Answer:
        body = {"supervisor": self._dice.choice(PEOPLE)}
        return self._change("PUT /equipment/{id}/logs/{state}/{timestamp}/escalation", self._log(machine), body)

    def _acknowledge(self, machine: str) -> Answer:
        route = "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement"
        return self._region.write(route, path=self._log(machine))

    def _log(self, machine: str) -> dict[str, str]:
        """Return the path of a log that was reported, or of one that was not."""
        unknown = {"id": machine, "state": "ERROR", "timestamp": times.to_utc(clock.now_ms())}
        return self._dice.choice(self._logs) if self._logs else unknown

    def _change(self, route: str, path: dict[str, str], body: Any) -> Answer:  # noqa: ANN401  JSON
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
