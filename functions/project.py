"""The factory, as the library has to know it."""

from typing import Final

from andon.project import Actors, Groups, People, Project, Size, Whereabouts
from contract import groups, people

EQUIPMENT: Final = Actors(
    name="equipment",
    one="equipment",
    keeps_days=10 * 365,
    cold_after_days=30,
    lists="Return all that happened to a piece of equipment between two times, whatever expired; oldest first.",
    field="equipmentId",
    example="press-7",
    described="Chosen by the client.",
)

# For a year and a month, no longer: it is about people.
OPERATORS: Final = Actors(
    name="operators",
    one="operator",
    keeps_days=400,
    cold_after_days=90,
    lists="Return all that was about an operator, a supervisor or a member of a crew between two times; oldest first.",
    fields=("operator", "supervisor", "lead", "members", "person.id"),
    parameter="operator",
    example="op-17",
    pattern=people.PERSON_PATTERN,
)


def description() -> str:
    """Return the description of the API, with figures of those who own them; no handler needs any of it."""
    from contract.entities.reports import REPORTS_AT_ONCE as MOST  # noqa: PLC0415
    from contract.logs import TTL_DAYS  # noqa: PLC0415

    route = "PUT /equipment/{id}/states/{timestamp}"
    return f"""\
Which machine needs help: states of factory equipment, and who sees to them.

## How devices report

A fleet whose clocks agree would report in the same second, and most of it would get 429. So each device:

1. **Spreads its reports.** It reports at an offset within its period that it draws once, at random, and keeps: with a
   period of five minutes, any of 300,000 ms. It also begins there after a restart. It reports a change of its state at
   once; if all can change together, as by a power failure, after a random part of 30 s.
2. **Keeps what was not taken.** A report has its own `timestamp`, so that one that comes late still says when it
   happened, for {TTL_DAYS} days. The same report again changes nothing.
3. **Tries again later each time.** After 429, 500, 502, 503, 504 or no response it waits a random part of
   `min(300, 2^n)` seconds before attempt n + 1, and no less than `Retry-After` says. After 401 it gets a new token
   first. After any other response it does not try again: the same request would be refused again.
4. **Sends what has piled up together**: `POST /states` takes up to {MOST} reports, and has a throttle of its own. After
   a 503 that names reports (`errors`) it sends only those again. While that route takes none, it sends them singly.

Each route has a throttle of its own, for all callers together; its 429 comes from the gateway, without `Retry-After`
and without a problem as its body. Of `{route}` each caller has a share, too, by default
five reports a second and 50 at once: beyond it come 429, `Retry-After` and a problem. Gateways report many machines
together, by `POST /states`.
"""


PROJECT: Final = Project(
    name="Andon",
    title="Andon: which machine needs help",
    file=__file__,
    groups=Groups(all=groups.ALL, admin=groups.ADMIN, reviewers=groups.AUDITORS, reporting=groups.PROGRAMS),
    subjects=EQUIPMENT,
    actors=(OPERATORS,),
    people=People(
        table="PEOPLE_TABLE",
        pattern=people.PERSON_PATTERN,
        # `what` is a sentence of the saved query `story`.
        columns=frozenset({"operator", "supervisor", "lead", "auditor", "person", "actor", "who", "what"}),
    ),
    # As names of places in callers' groups, see contract/places.py.
    whereabouts=Whereabouts(
        table="BOARD_TABLE",
        key="EquipmentID",
        paths=(("Company",), ("FactoryID",), ("FactoryID", "LineID")),
        since="OwnedSince",
    ),
    brings_back=(
        "Bring back what expired of a piece of equipment: logs, reports, and the story of its episodes; "
        "for {days} days."
    ),
    sizes={"services/anomalies/trigger": Size(1024, 60)},  # holds a model, as its sweep does
    demo="demo.demo",
    pictures="demo.lake.pictures",
    description=description,
    license="MIT",
    example_view="board",
    # A report is known by its machine, state and time before a stream gives its fact an id; so is a call by its own.
    named_by={"state": ("equipmentId", "state", "timestamp"), "call": ("id", "equipmentId")},
    grouped=True,
)
