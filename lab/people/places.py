"""Two companies: callers of one ask for the other's things in every way, and learn and change nothing."""

import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from random import Random
from typing import Any, Final

from andon.events.written import Written
from andon.runtime import times
from andon.runtime.clock import HOUR_MS
from andon.testing.loop import Loop
from andon.testing.proving.prover import Record
from contract import groups
from lab.attack.operations import Operation, read
from lab.people.company import Company, Parts, Person, call_of, request_of
from lab.people.erasure import ARCHIVE
from lab.people.names import people_of
from lab.people.watch import Stores, at_rest, marks
from lab.quiet_clock import START_MS, Now

REQUESTS: Final = int(os.environ.get("REQUESTS") or 100)
EMPLOYEES: Final = 12
OWN: Final = 0.25  # good requests about what is theirs, for each hostile one
MOST: Final = 0.7  # of what the others say is the other company's, and of their roles may call the route
START: Final = times.to_utc(START_MS)
AT_ONCE: Final = 1_000  # requests; then what they did goes on its way
VERSIONS: Final = 6
NOT_YET: Final = ("GET", HTTPStatus.ACCEPTED)  # of a read that waits for a write, whatever it is about
# Whoever is in no place of a company, or not in that of a call, gets an empty list, as of one that nobody knows.
OF_MANY: Final = frozenset({"GET /board/{company}", "GET /calls/{id}/tellings"})


def prove(now: Now, dice: Random, record: Record, *, requests: int = REQUESTS) -> None:
    """Let callers of a company send hostile requests about another one, and good ones about their own."""
    operations = read()
    with Loop() as loop:
        theirs, ours = (
            Company(loop, operations, mark, [*people_of(mark, EMPLOYEES, badge)])
            for mark, badge in ((f"qz{secrets.token_hex(4)}", "qa"), ("beta", "qb"))
        )
        theirs.live()
        ours.live()
        loop.invoke(ARCHIVE, "sweep", {})
        hostile, own = Hostile(theirs, ours, dice, record), Counter[bool]()
        ours.places = lambda person: [hostile.place_of(person)]
        before = hostile.foreign_at_rest()
        for number in range(requests):
            hostile.pry(dice.choice(operations))
            if dice.random() < OWN:
                answer = ours.ask(dice.choice(operations).name, dice.choice(ours.people), "own")
                own[answer.status < HTTPStatus.MULTIPLE_CHOICES] += 1
            if number % AT_ONCE == AT_ONCE - 1:
                now.ms += HOUR_MS
                loop.run()
        loop.run()
        after = hostile.foreign_at_rest()
    for place, said in before.items():
        record.expect(f"what is in {place[0]} stays as it was", after.get(place) == said, f"{place}: {said}")
    added = [place for place in after.keys() - before.keys() if hostile.foreign_in(place)]
    record.expect("no new row is under their keys", not added, added[:3])
    # Less and less: what was done once is done, and what may be open at once is.
    record.expect("many requests about what is their own are taken", own[True] > own.total() / 4, own)
    record.expect("none of those fails", not +ours.wrong, +ours.wrong)
    record.note(f"{requests:,} hostile requests; {own[True]:,} of {own.total():,} about what is their own succeeded")


class Hostile:
    """Callers of one company, `ours`, who ask for things of another one, `theirs`.

    What they wrote into rows of their own they are told again; of half of the others' people they write nothing.
    """

    def __init__(self, theirs: Company, ours: Company, dice: Random, record: Record) -> None:
        self._theirs, self._ours, self._dice, self._record = theirs, ours, dice, record
        self._told: set[str] = set()
        self._calls = [call_of(f"{theirs.mark}-m{one.number}") for one in theirs.people]
        words = [rf"{theirs.mark}[\w-]*", *(one.id for one in theirs.people), *self._calls]
        self._words = re.compile("|".join(words).encode())
        # So that nobody knows them: another mark, other badges and other subjects.
        self._unknown = [
            (theirs.mark, f"{theirs.mark[::-1]}"),
            *((one.id, f"{one.id[:-2]}77") for one in theirs.people),
            *((one, call_of(f"nobody {one}")) for one in self._calls),
        ]

    def place_of(self, person: Person) -> str:
        """Return a place of somebody, as a group: the company, a factory, or a line of it."""
        company, factory, line = self._ours.places_of(person)
        return f"at:{self._dice.choice((company, factory, f'{factory}:{line}'))}"

    def foreign_in(self, said: object) -> set[str]:
        """Return the words of the other company."""
        return marks(self._words, said)

    def foreign_at_rest(self) -> Stores:
        """Return the stored rows and objects that have such words."""
        return {place: said for place, said in at_rest(self._ours.loop).items() if self.foreign_in([place, said])}

    def pry(self, operation: Operation) -> None:
        """Send a request in which most is the other company's; it is as if that were nobody's."""
        person = self._dice.choice(self._ours.people)
        role = self._dice.choice(sorted(operation.groups) if self._dice.random() < MOST else groups.ALL)
        machine, factory = f"{self._ours.mark}-m{person.number}", self._ours.places_of(person)[1]
        names = {groups.DEVICE: machine, groups.STATION: machine, groups.GATEWAY: factory}
        claims = {"groups": [role, self.place_of(person)], "subject": person.id, "name": names.get(role, person.name)}
        parts = self._mixed(operation, person)
        answer = self._ours.loop.request(operation.name, **parts, **claims)
        is_done = answer.status < HTTPStatus.MULTIPLE_CHOICES
        if operation.method != "GET" and is_done:
            self._told |= self.foreign_in(parts)
        found = self.foreign_in([answer.body, dict(answer.headers)])
        is_told, found = bool(found & self._told), found - self.foreign_in(parts) - self._told
        is_foreign = (
            any(self._theirs.mark in one or one in self._calls for one in _things(parts))
            and operation.name not in OF_MANY
        )
        is_in = is_foreign and is_done and (operation.method, answer.status) != NOT_YET
        is_alike = True
        unknown = self._as_unknown(parts)
        # A cursor is valid for one list only; what is their own has times in it, as an address to read a photo at.
        if operation.method == "GET" and "cursor" not in parts["query"] and unknown != parts:
            twin = self._ours.loop.request(operation.name, **unknown, **claims)
            is_same = is_told or operation.path.endswith("/changes") or twin.body == self._as_unknown(answer.body)
            is_alike = twin.status == answer.status and is_same
        seen = f"{claims['groups']} {operation.name} {json.dumps(parts)} -> {answer.status} {sorted(found)[:3]}"
        self._record.expect("an answer says no more than it was told", not found, seen)
        self._record.expect("nobody is let in", not is_in, seen)
        self._record.expect("what is elsewhere is as what nobody knows", is_alike, seen)

    def _mixed(self, operation: Operation, person: Person) -> Parts:
        """Return a request with values of both companies, and with cursors and tokens that the other one was given."""
        theirs, dice = self._theirs.people, self._dice
        other = dice.choice(theirs if operation.method == "GET" else theirs[: len(theirs) // 2])
        values, own = (one.values(operation, who, "pry") for one, who in ((self._theirs, other), (self._ours, person)))
        values |= {name: said for name, said in own.items() if dice.random() > MOST}
        values |= {
            name: dice.choice(sorted(some)) for name, some in self._theirs.tokens.items() if dice.random() > MOST
        }
        values |= {"location": f"{self._theirs.mark}-country", "timestamp": dice.choice((START, values["timestamp"]))}
        if values["id"] == own["id"]:  # to register it in another's factory is not stopped, see docs/threat-model.md
            values["factoryId"] = own["factoryId"]
        parts, _ = request_of(operation, values, lambda _: dice.choice((other, other, person)).id)
        return parts | {"headers": {"if-match": f'"{dice.randrange(1, VERSIONS)}"'}}

    def _as_unknown(self, said: Any) -> Any:  # noqa: ANN401  any JSON
        """Return it with words that nobody has in place of the other company's."""
        text = json.dumps(said)
        for word, unknown in self._unknown:
            text = text.replace(word, unknown)
        said = json.loads(text)
        if isinstance(said, dict) and "after" in (query := said.get("query", {})):
            written = Written.from_token(query["after"])
            names, key = self._as_unknown(written.names), self._as_unknown(written.partition_key)
            query["after"] = replace(written, names=names, partition_key=key).to_token()
        return said


def _things(parts: Parts) -> Iterator[str]:
    """Yield the ids of what a request is about; of many reports, the machines."""
    yield from (said for name, said in parts["path"].items() if name != "part")
    if isinstance(parts.get("body"), list):
        yield from (one["equipmentId"] for one in parts["body"])
