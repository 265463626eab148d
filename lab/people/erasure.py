"""Some people are erased: they are nowhere any more, nothing else has changed, and views are what their events make."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from andon.packages.discovery import recomputed, views
from andon.packages.package import Package
from andon.runtime import clock
from andon.runtime.clock import HOUR_MS
from andon.testing.drift import clear_rows, look, rows_of
from andon.testing.proving.prover import Record
from andon.tools.listings import unpacked_body
from andon.tools.views.compare import compare
from andon.versions.persons import PLACED
from lab.people.company import ERASE, Company, Person
from lab.people.watch import ADDRESSES, NAMES, Stores, Watched, at_rest, marks
from lab.quiet_clock import Now
from services.notify.contacts_table import CONTACT
from services.notify.erased import EMPTY

ARCHIVE: Final = Package("stores", "archive")
DERIVED: Final = "/index/", "/manifest/"  # of the archive: they follow from its data
ERASED: Final = "person-erased"
FENCE: Final = frozenset({"pk", "id", "version", "since", "timestamp", "changedBy", "deleted"})
NEW_ROWS: Final = frozenset({"ERASURES_TABLE", "DISPATCH_TABLE"})
REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"
DECIDED: Final = frozenset({"operator-assigned", "state-escalated"})


def erase(company: Company, loop: Watched, gone: Sequence[Person], record: Record) -> None:
    """Erase some people, and compare all that is stored with what was there before."""
    loop.invoke(ARCHIVE, "sweep", {})
    before = _lines(at_rest(loop))
    for person in gone:
        status = company.ask(ERASE, person).status
        record.expect("an erasure is taken", status == HTTPStatus.NO_CONTENT, f"{person.id} {status}")
    published = Counter(one["detail-type"] for one in loop.run())
    record.expect("only the erasures are published", published == {ERASED: len(gone)}, published)
    loop.invoke(ARCHIVE, "sweep", {})
    after = _lines(at_rest(loop))
    fences = {(NAMES, f"Person#{one.id}", ""): FENCE for one in gone}
    fences |= {(ADDRESSES, f"Person#{one.id}", CONTACT): FENCE - {"id"} | {"sk"} for one in gone}
    placed = {f"{PLACED}{one.id}" for one in gone}
    emptied = {(ADDRESSES, f"Person#{one.id}") for one in gone}
    for place, said in before.items():
        held = after.get(place) == said
        if place in fences:
            held = after.get(place, {}).keys() == fences[place]
        elif place[1] in placed:
            held = place not in after
        elif place[:2] in emptied:
            held = after.get(place, {}).keys() <= EMPTY
        record.expect(f"all else in {place[0]} stays as it was", held, f"{place}: {after.get(place)}")
    new = [place for place in after.keys() - before.keys() if ERASED not in place[-1]]
    held = Counter(table for table, *_ in new) == dict.fromkeys(NEW_ROWS, len(gone))
    record.expect("new rows are the marks and the erasures", held, new)
    numbers, left = {one.number for one in gone}, Counter[bool]()
    for word in marks(loop.marked, [*after.values()]):
        left[int(word[-4:]) in numbers] += 1
    held = left == {False: len(company.people) - len(gone)}
    record.expect("names of the erased are nowhere, those of others are left", held, left)
    record.note(f"{len(gone):,} erased; names left of them {left[True]:,}, of the others {left[False]:,}")


def compare_views(loop: Watched, record: Record) -> None:
    """Work out rows again, as `make audit` does; replay views into empty tables, and compare as `make prove` does."""
    for view in recomputed():
        found = look(loop, view)
        record.expect(f"{view.name} is what its rows are worked out to be", not found, found[:1])
    for view in views():
        before = rows_of(loop, view)
        clear_rows(loop, view)
        loop.request("POST /replays", body={"view": view.name})
        loop.run()
        keys, expires = view.view.KEYS.names, view.view.TTL_DAYS is not None
        both = compare(before, rows_of(loop, view), names=keys, as_before=dict, expires=expires, now_ms=clock.now_ms())
        held = both.before > 0 and not both.differences
        record.expect(f"{view.name} is the same once it is replayed", held, both.differences[:1])
        record.note(f"{view.name}: {both.before:,} rows, replayed {both.after:,}: {len(both.differences)} differ")


def decide(company: Company, gone: Sequence[Person], now: Now, record: Record) -> None:
    """Report trouble wherever somebody erased is on the roster: rules choose others."""
    on_roster = [one for one in company.people if {*company.on_duty_of(one)} & {*gone}]
    ids = re.compile("|".join(re.escape(one.id) for one in gone).encode())
    decided = []
    for state in ("NORMAL", "ERROR"):
        now.ms += HOUR_MS
        for person in on_roster:
            company.ask(REPORT, person, state=state)
        decided += company.loop.run()
    now.ms += HOUR_MS
    decided = [one for one in (*decided, *company.loop.sweep()) if one["detail-type"] in DECIDED]
    for one in decided:
        record.expect("a rule chooses nobody who was erased", not marks(ids, one), json.dumps(one))
    by_type = Counter(one["detail-type"] for one in decided)
    staffed = [one for one in on_roster if not {*company.on_duty_of(one)[:2]} <= {*gone}]
    held = by_type.keys() == DECIDED and by_type["operator-assigned"] == len(staffed)
    record.expect("rules go on to decide", held, f"{by_type} for {len(staffed)} rosters")
    record.note(f"{len(decided):,} decisions where they were on the roster, none of them chosen")


def _lines(stores: Stores) -> Stores:
    """Return the stored rows, and each line of the stored objects by itself."""
    rows = {place: said for place, said in stores.items() if not isinstance(said, bytes)}
    for (bucket, key), body in ((place, said) for place, said in stores.items() if isinstance(said, bytes)):
        if not any(part in key for part in DERIVED):
            text = unpacked_body(body)
            rows |= {(bucket, line): line for line in text.decode().split("\n")}
    return rows
