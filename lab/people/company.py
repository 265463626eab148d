"""A company whose people use every route; requests are made of the API's document, so that none is left out."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import cycle
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_OID, uuid5

from andon.outbound.links import Link, sign
from andon.packages.discovery import readers, subscribers_of
from andon.runtime import clock, times
from andon.runtime.clock import HOUR_MS
from andon.testing.loop import Answer, Loop
from andon.testing.memory import aws
from contract import groups
from contract.links import PURPOSE, reference_of
from contract.log_rows import log_of
from contract.people import PERSON_PATTERN
from lab.attack.operations import Operation, Schema, example

PERSON: Final = PERSON_PATTERN.strip("^$")
FETCH_FIRST: Final = frozenset({HTTPStatus.PRECONDITION_FAILED, HTTPStatus.PRECONDITION_REQUIRED})
MACHINES: Final = frozenset({groups.DEVICE, groups.GATEWAY, groups.STATION})
LEVELS: Final = ("country", "region", "state", "county", "city", "neighborhood")
ATTACHED: Final = "/attachments/{sha256}"
PROVED: Final = "/verified"
BEGUN: Final = (("/cancel", "/finish", "/closure", "/rejection", "/test"), ("/readings", ATTACHED, PROVED))
"""The ends of paths that come behind what begins them, the first ones behind all others."""

DEED: Final = re.compile("/(?:rollback|taker|closure|rejection)$")
"""Of what is read without it."""

PHOTO: Final = b"a photo"
"""What the document's example of a digest is that of."""

LINK_KEY: Final = b"of people who are made up, each of them"

CODE: Final = "123456"
"""What is sent to prove an address."""

ERASE: Final = "DELETE /people/{id}"
ONCE: Final = ("/replays", "/drift")  # they are about all of the lake
ALWAYS_ON_DUTY: Final = {
    "body.shifts.0.name": "all",
    "body.shifts.0.days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    "body.shifts.0.from": "00:00",
    "body.shifts.0.to": "00:00",
    "body.overrides.0.role": "manager",
}
"""Members of a roster, by their places: its one shift is there at any time."""

ON_DUTY: Final = (4, 5, 6)
"""The people of that shift among those of a roster, which names its operators, supervisor and manager before them."""

MADE: Final = {"/replays": "id", "/faults": "id", "/archive/equipment/{id}/rehydrations": "job"}
"""Lists whose members get their ids from us, and how paths call these."""

Parts = dict[str, Any]
Says = Callable[[str], str]
"""A place in a request that is for a person's id -> what is said there."""


class Person(NamedTuple):
    """Somebody; `id` is a badge or a subject, `name` what they are called, and sign in as; mail: their address."""

    number: int
    id: str
    name: str
    mail: str


class Accepted(NamedTuple):
    """A command that was accepted; `if_match`: the version that it named. about: the people whose ids it says."""

    route: str
    parts: Parts
    if_match: int | None
    actor: Person
    about: tuple[Person, ...]


@dataclass(slots=True)
class Company:
    """mark: begins all its words. fed: the successes of each route, and of each place of a person, `route place`.

    poison: what no consumer could read, with the person whom it is about. places: the groups that limit somebody.
    tokens: cursors, and those of writes.
    """

    loop: Loop
    operations: Sequence[Operation]
    mark: str
    people: Sequence[Person]
    fed: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    accepted: list[Accepted] = field(default_factory=list)
    poison: list[tuple[str, str, Person]] = field(default_factory=list)
    places: Callable[[Person], list[str]] = lambda _: []
    tokens: dict[str, set[str]] = field(default_factory=lambda: {"cursor": set(), "after": set()})
    _made: dict[str, str] = field(default_factory=dict)

    def live(self, at_once: int = 25) -> None:
        """Let everybody write, then read, then some delete and begin anew; what is written is published in between."""
        for first in range(0, len(self.people), at_once):
            some = self.people[first : first + at_once]
            self._poison(some[0])
            for method, turn in (("PUT", "first"), ("PUT", "second"), ("POST", "second")):
                for person in some:
                    self._each(person, method, turn)
                self.loop.run()  # some services hear of a machine before anything is planned for it
            for person in some:
                self._each(person, "GET", "")
                self._each(person, "DELETE", "")
            self.loop.run()

    def unfed(self) -> Iterator[str]:
        """Yield the routes that nobody could use, and the places for people in which no id was taken."""
        for one in self.operations:
            _, places = request_of(one, self.values(one, self.people[0], ""), lambda _: self.people[0].id)
            yield from (name for name in (one.name, *(f"{one.name} {place}" for place in places)) if not self.fed[name])

    def beside(self, person: Person) -> list[Person]:
        """Return all people, this one first; requests of somebody are about them in this order."""
        return [*self.people[person.number :], *self.people[: person.number]]

    def places_of(self, person: Person) -> tuple[str, str, str]:
        """Return the company, the factory and the line that somebody works at."""
        return self.mark, f"{self.mark}-f{person.number}", f"{self.mark}-l{person.number}"

    def on_duty_of(self, person: Person) -> list[Person]:
        """Return the two operators and the supervisor of somebody's factory, see `ALWAYS_ON_DUTY`."""
        beside = self.beside(person)
        return [beside[number % len(beside)] for number in ON_DUTY]

    def values(self, operation: Operation, person: Person, turn: str) -> Parts:
        """Return the values in somebody's request, by the names, or the places, of parameters and members."""
        mark, hour = self.mark, times.to_utc(clock.now_ms() // HOUR_MS * HOUR_MS)
        company, factory, line = self.places_of(person)
        machine, path = f"{mark}-m{person.number}", operation.path
        values: Parts = {
            name: f"{mark} {name} {turn}" for name in ("name", "detail", "notes", "text", "note", "reason")
        }
        values |= {"id": machine, "equipmentId": machine, "factoryId": factory, "lineId": line, "company": company}
        values |= {"part": f"{mark}-p", "state": "ERROR", "view": "board", "limit": "1", "n": "1", "timestamp": hour}
        values |= {"id": call_of(machine)} if path.startswith("/calls/") else {"startedAt": hour}
        values |= {"from": hour[:10], "to": hour[:10], "date": hour[:10], "plannedFor": hour[:10], "kind": "oil"}
        values |= {f"body.location.{one}": f"{mark}-{one}" for one in LEVELS}
        values |= ALWAYS_ON_DUTY | {
            f"body.overrides.0.{end}": f"{hour[:10]}T0{at}:00" for end, at in (("from", 0), ("to", 6))
        }
        values |= {"body.chains.0.id": "errors", "body.chains.0.on": ["ERROR"], "body.0.timestamp": hour}
        levels = [(one, f"{mark}-{one}") for one in LEVELS]
        values["levels"] = [{"level": level, "name": name} for level, name in (("company", mark), *levels)]
        material = {"id": "material", "name": f"{mark} {turn}", "icon": "box", "priority": 2, "needsCause": True}
        values["categories"] = [material]
        values["causes"] = [{"id": "out-of-coils", "name": f"{mark} {turn}", "categories": ["material"]}]
        values |= {"cause": "out-of-coils", "email": person.mail, "code": CODE, "channel": "mail"}
        seen = Link(person.id, (reference_of(log_of(machine, "ERROR", hour)),), (clock.now_ms() + HOUR_MS) // 1000)
        values |= {"token": sign(seen, purpose=PURPOSE, key=LINK_KEY)}
        values |= {
            name: self._made[made] for made, name in MADE.items() if path.startswith(f"{made}/") and made in self._made
        }
        return values | ({"name": person.name} if path.startswith("/people") else {})

    def ask(self, route: str, person: Person, turn: str = "", **changed: str) -> Answer:
        """Send a good request of somebody, with the version that is there if it needs one; then with names for ids."""
        operation = next(one for one in self.operations if one.name == route)
        values = {**self.values(operation, person, turn), **changed}
        beside, about = cycle(self.beside(person)), list[Person]()

        def next_beside(_: str) -> str:
            about.append(next(beside))
            return about[-1].id

        parts, places = request_of(operation, values, next_beside)
        answer = self._send(operation, parts, person)
        if answer.status in FETCH_FIRST:
            read = f"GET {DEED.sub('', operation.path)}"
            tag = self.loop.request(read, path=parts["path"]).headers["etag"]
            parts["headers"] = {"if-match": tag}
            answer = self._send(operation, parts, person)
        if answer.status == HTTPStatus.ACCEPTED and "upload" in (answer.body or {}):
            told = answer.body["upload"]
            aws.request(self.loop, told["method"], told["url"], headers=told["headers"], body=PHOTO)
            answer = self._send(operation, parts, person)
        if answer.status < HTTPStatus.MULTIPLE_CHOICES:
            self.fed.update([route, *(f"{route} {place}" for place in places)])
            self._keep(operation, answer)
        if answer.status < HTTPStatus.MULTIPLE_CHOICES and operation.method != "GET":
            if_match = int(parts["headers"]["if-match"].strip('"')) if "headers" in parts else None
            self.accepted.append(Accepted(route, parts, if_match, person, tuple(about)))
        for place in places:
            by_name, _ = request_of(operation, values, partial(_says_name, person, place))
            refused = {HTTPStatus.BAD_REQUEST} | ({HTTPStatus.FORBIDDEN} if self.places(person) else set())
            if (status := self._send(operation, by_name, person).status) not in refused:
                self.wrong[f"{route}: {status} with a name in {place}"] += 1
        return answer

    def _send(self, operation: Operation, parts: Parts, person: Person) -> Answer:
        may = sorted(operation.groups - MACHINES)
        role = may[person.number % len(may)]
        answer = self.loop.request(
            operation.name, **parts, groups=[role, *self.places(person)], subject=person.id, name=person.name
        )
        self.statuses[answer.status] += 1
        self.wrong[f"{operation.name}: {answer.status}"] += answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return answer

    def _each(self, person: Person, method: str, turn: str) -> None:
        # To attach is a PUT, of what a POST began; so is to prove an address. A call ends once.
        of_turn = [(one, "POST" if one.path.endswith((ATTACHED, PROVED)) else one.method) for one in self.operations]
        some = [one for one, when in of_turn if when == method and one.name != ERASE]
        some.sort(key=lambda one: [one.path.endswith(end) for end in BEGUN])
        not_now = "/rejection" if person.number % 2 else "/closure"
        for place, one in enumerate(one for one in some if not one.path.endswith(not_now)):
            by = place if method == "DELETE" else 0 if one.path.startswith(ONCE) else person.number
            if person.number == by:
                self.ask(one.name, person, turn)
                if method == "DELETE":  # else rules would know no factory of it
                    self.ask(f"PUT {one.path}", person, "third")

    def _poison(self, person: Person) -> None:
        """Let a message come that nobody can read; it is about somebody, and becomes a fault."""
        told = {"id": f"{self.mark} {person.number}", "source": "dispatch", "detail-type": "operator-assigned"}
        message = json.dumps({**told, "detail": {"operator": person.id}})
        self.loop.listen([message])
        self.loop.run()
        self.ask("GET /faults", person)
        heard = [one for one in subscribers_of(told["source"], told["detail-type"]) if one in readers()]
        self.poison += [(f"{one.name}.listener", message, person) for one in heard]

    def _keep(self, operation: Operation, answer: Answer) -> None:
        """Keep the ids and tokens of an answer."""
        body = answer.body if isinstance(answer.body, dict) else {}
        if operation.path in MADE:
            self._made[operation.path] = next(iter(body.get("items", [])), body)["id"]
        for name, token in (("cursor", body.get("cursor")), ("after", answer.headers.get("x-after"))):
            self.tokens[name] |= {token} if token else set()


def call_of(machine: str) -> str:
    """Return the id of a machine's call."""
    return str(uuid5(NAMESPACE_OID, machine))


def _says_name(person: Person, named: str, place: str) -> str:
    return person.name if place == named else person.id


def request_of(operation: Operation, values: Mapping[str, Any], says: Says) -> tuple[Parts, list[str]]:
    """Return a good request, as `Loop.request` takes it, and the places in it that are for people."""
    places: list[str] = []

    def value(schema: Schema, name: str, place: str) -> Any:  # noqa: ANN401  any JSON
        schema = {**schema, **schema.get("anyOf", [{}])[0]}  # what may be null is something here
        if PERSON in schema.get("pattern", ""):
            places.append(place)
            return says(place)
        kind, said = schema.get("type"), values.get(place, values.get(name))
        if kind == "array" and said is None:
            count = 2 if PERSON in schema["items"].get("pattern", "") else 1
            return [value(schema["items"], "", f"{place}.{number}") for number in range(count)]
        if kind == "object" and "properties" in schema:
            members, wanted = schema["properties"].items(), {*schema.get("required", ()), *values}
            inner = [(one, part) for one, part in members if one in wanted or PERSON in str(part)]
            return {one: value(part, one, f"{place}.{one}") for one, part in inner}
        return example(schema) if said is None else said

    def asked(where: str) -> Parts:
        some = [
            one for one in operation.of(where) if where == "path" or one.name in values or PERSON in str(one.schema)
        ]
        return {one.name: value(one.schema, one.name, one.name) for one in some}

    parts = {"path": asked("path"), "query": asked("query")}
    return parts | ({"body": value(operation.body, "", "body")} if operation.body else {}), places
