"""1,000 people use all routes: their names are in one table, and nowhere once they are erased."""

import random
import re
import secrets
import uuid
from collections.abc import Iterator
from unittest.mock import patch

from contract import links
from lab.attack.operations import read
from lab.attack.report import Record
from lab.people import digests, erasure
from lab.people.company import CODE, LINK_KEY, Company, Person
from lab.people.watch import ADDRESSES, NAMES, Watched, at_rest, marks
from lab.quiet_clock import quiet_clock
from services.notify import contact_code

ROUTES, STORES = "routes", "stores"
SPELLINGS = ("Zoë-{0} Mun\u0303oz{0}", "李{0}·Ó'{0} \\ \"", "{0}")


def prove(record: Record, *, people: int, seed: int) -> None:
    """Have people use all routes, look for their names, erase a tenth of them, and look again."""
    secret = f"qz{secrets.token_hex(4)}"
    marked = re.compile(rf"{secret}\d{{4}}".encode(), re.IGNORECASE)
    known = patch.object(contact_code, "new_code", lambda: CODE)
    signed = patch.object(links, "keys", lambda: (LINK_KEY,))
    with known, signed, quiet_clock(step_ms=1) as now, Watched(marked) as loop:
        company = Company(loop, read(), "acme", [*people_of(secret, people)])
        company.live()
        _look_at_rest(loop, people, record)
        gone = random.Random(seed).sample(company.people, max(1, people // 10))  # noqa: S311  no secret
        erasure.erase(company, loop, gone, record)
        erasure.decide(company, gone, now, record)
        erasure.compare_views(loop, record)
        digests.guess(company, loop, record)
        _count(company, loop, record)


def people_of(secret: str, count: int, badge: str = "op") -> Iterator[Person]:
    """Yield people, half of them with badges; each word of their names is the secret with their number."""
    for number in range(count):
        said = f"{secret}{number:04}"
        subject = uuid.UUID(bytes=random.Random(said).randbytes(16))  # noqa: S311  nobody guesses the secret
        person_id = str(subject) if number % 2 else f"{badge}-{100_000 + number}"
        yield Person(number, person_id, SPELLINGS[number % len(SPELLINGS)].format(said), f"{said}@example.com")


def _look_at_rest(loop: Watched, people: int, record: Record) -> None:
    """Look through all that is stored; the table of names has each, that of addresses some."""
    for place, said in at_rest(loop).items():
        found = marks(loop.marked, [place, said])
        record.expect(
            STORES,
            place[0],
            "has other names than it should",
            held=place[0] == ADDRESSES or len(found) == (place[0] == NAMES),
            seen=str(said),
        )
    record.expect(STORES, NAMES, "lacks names", held=len(loop.rows(NAMES)) == people, seen=NAMES)


def _count(company: Company, loop: Watched, record: Record) -> None:
    """Say what was sent to routes, and what went to and from handlers."""
    for name in company.unfed():
        record.expect(ROUTES, name, "was never used", held=False, seen="see `Company.values`")
    for wrong, times in company.wrong.items():
        record.expect(ROUTES, wrong, "is wrong", held=not times, seen=wrong)
    for where, times in loop.found.items():
        record.expect(STORES, where, "had names", held=not times, seen=f"{times} in {loop.read[where]}")
    record.tried[ROUTES] += company.statuses.total()
    record.tried[STORES] += loop.read.total()
    places, refused = len(company.fed), company.statuses[400]
    record.notes.append(
        f"routes: {places} routes and places for ids; a name in such a place was refused {refused:,} times"
    )
    read_ = ", ".join(f"{times:,} {where}" for where, times in loop.read.most_common(6))
    record.notes.append(f"stores: looked through {read_} …")
