"""1,000 people use all routes: their names are in one table, and nowhere once they are erased."""

import os
import re
import secrets
import uuid
from collections.abc import Iterator
from random import Random
from typing import Final
from unittest.mock import patch

from andon.testing.proving.prover import Record
from contract import links
from lab.attack.operations import read
from lab.people import digests, erasure
from lab.people.company import CODE, LINK_KEY, Company, Person
from lab.people.watch import ADDRESSES, NAMES, Watched, at_rest, marks
from lab.quiet_clock import Now
from services.notify import contact_code

PEOPLE: Final = int(os.environ.get("PEOPLE") or 6)
"""People of a run, at most 10,000."""

SPELLINGS = ("Zoë-{0} Mun\u0303oz{0}", "李{0}·Ó'{0} \\ \"", "{0}")


def prove(now: Now, dice: Random, record: Record, *, people: int = PEOPLE) -> None:
    """Have people use all routes, look for their names, erase a tenth of them, and look again."""
    secret = f"qz{secrets.token_hex(4)}"
    marked = re.compile(rf"{secret}\d{{4}}".encode(), re.IGNORECASE)
    known = patch.object(contact_code, "new_code", lambda: CODE)
    signed = patch.object(links, "keys", lambda: (LINK_KEY,))
    with known, signed, Watched(marked) as loop:
        company = Company(loop, read(), "acme", [*people_of(secret, people)])
        company.live()
        _look_at_rest(loop, people, record)
        gone = dice.sample(company.people, max(1, people // 10))
        erasure.erase(company, loop, gone, record)
        erasure.decide(company, gone, now, record)
        erasure.compare_views(loop, record)
        digests.guess(company, loop, record)
        _count(company, loop, record)


def people_of(secret: str, count: int, badge: str = "op") -> Iterator[Person]:
    """Yield people, half of them with badges; each word of their names is the secret with their number."""
    for number in range(count):
        said = f"{secret}{number:04}"
        subject = uuid.UUID(bytes=Random(said).randbytes(16))  # noqa: S311  nobody guesses the secret
        person_id = str(subject) if number % 2 else f"{badge}-{100_000 + number}"
        yield Person(number, person_id, SPELLINGS[number % len(SPELLINGS)].format(said), f"{said}@example.com")


def _look_at_rest(loop: Watched, people: int, record: Record) -> None:
    """Look through all that is stored; the table of names has each, that of addresses some."""
    for place, said in at_rest(loop).items():
        found = marks(loop.marked, [place, said])
        held = place[0] == ADDRESSES or len(found) == (place[0] == NAMES)
        record.expect(f"{place[0]} has no other names than it should", held, said)
    record.expect("each name is in the table of names", len(loop.rows(NAMES)) == people, NAMES)


def _count(company: Company, loop: Watched, record: Record) -> None:
    """Say what was sent to routes, and what went to and from handlers."""
    for name in company.unfed():
        record.expect("each route is used", held=False, seen=f"{name}: see `Company.values`")
    for wrong, times in company.wrong.items():
        record.expect("no answer is wrong", not times, wrong)
    for where, times in loop.found.items():
        record.expect(f"{where} have no names", not times, f"{times} in {loop.read[where]}")
    sent, places, refused = company.statuses.total(), len(company.fed), company.statuses[400]
    record.note(f"{sent:,} requests, {places} routes and places for ids; a name there was refused {refused:,} times")
    read_ = ", ".join(f"{times:,} {where}" for where, times in loop.read.most_common(6))
    record.note(f"looked through {read_} …")
