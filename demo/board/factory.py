"""A factory as pictures and tests of the page show it: 24 machines on three lines, six need help, one is maintained."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from demo import factory as demo
from demo.people import EVA, LUIS, OLGA, OMAR, PEOPLE, ROSA
from services.dispatch.rules.at_risk import REPEATED

# Who signs in has a subject beside the badge.
SUBJECT_OF_LUIS: Final = "2b7e9f40-1c2d-4e5f-8a9b-0c1d2e3f4a5b"
SUBJECT_OF_OMAR: Final = "9d4c3b2a-6f5e-4d3c-9b8a-7f6e5d4c3b2a"
NOW: Final = datetime(2026, 11, 21, 18, 34, 20, tzinfo=UTC)
COMPANY: Final = demo.COMPANY
FACTORY: Final = demo.FACTORY
LINES: Final = {line: names.split(", ") for line, names in demo.LINES.items()}

Row = dict[str, Any]


def minutes_ago(minutes: float) -> str:
    """Return a time in fixed-width UTC."""
    return (NOW - timedelta(minutes=minutes)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def machine(name: str, line: str, **members: object) -> Row:
    """Return a machine that runs, but for the members that say otherwise."""
    return {
        "equipmentId": name.lower().replace(" ", "-"),
        "version": 1,
        "name": name,
        "location": demo.LOCATION,
        "factoryId": FACTORY,
        "lineId": line,
        "state": "NORMAL",
        "stateSince": minutes_ago(60 * 7),
        "stateTimestamp": minutes_ago(2),
        **members,
    }


TROUBLE: Final[dict[str, Row]] = {
    "Conveyor B": {
        "state": "ERROR",
        "stateSince": minutes_ago(27),
        "stateTimestamp": minutes_ago(24),
        "operator": LUIS,
        "escalatedTo": ROSA,
        "atRisk": {"since": minutes_ago(24), "reason": REPEATED},
    },
    "Oven 1": {
        "state": "WARNING1",
        "stateSince": minutes_ago(343),
        "stateTimestamp": minutes_ago(41),
        "operator": EVA,
        "escalatedTo": ROSA,
    },
    "Robot 1": {
        "state": "WARNING2",
        "stateSince": minutes_ago(9),
        "stateTimestamp": minutes_ago(6),
        "operator": OMAR,
        "acknowledgedBy": SUBJECT_OF_OMAR,
    },
    "Press 4": {"silentSince": minutes_ago(35)},
    "Mill 2": {"silentSince": minutes_ago(32)},
}


TODAY: Final = NOW.date().isoformat()
OVERDUE: Final = {"date": "2026-11-19", "kind": "filter-change", "plannedFor": "2026-11-19"}
UNDER_WAY: Final = {"date": "2026-11-18", "kind": "lubrication", "plannedFor": TODAY, "startedAt": minutes_ago(25)}
COMING: Final = {"date": "2026-11-22", "kind": "belt-change", "plannedFor": "2026-11-22"}

MAINTENANCE: Final[dict[str, Row]] = {
    "Conveyor B": {"nextOrder": COMING},
    "Trimmer 2": {"underWay": [UNDER_WAY]},
    "Washer 1": {"overdue": OVERDUE, "nextOrder": OVERDUE},
}


def call(call_id: str, category: str, priority: int, minutes: float, **members: object) -> Row:
    """Return an open call as the board says it."""
    said = {"id": call_id, "version": 1, "category": category, "priority": priority, "status": "raised"}
    return said | {"raisedAt": minutes_ago(minutes), **members}


def calls() -> dict[str, list[Row]]:
    """Return calls by their machines: for material, and, later but more urgently, for safety."""
    taken = {"status": "taken", "version": 2, "taker": SUBJECT_OF_LUIS}
    return {
        "press-1": [call("7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57", "material", 2, 12)],
        "oven-1": [call("0b9e6d1c-52f7-4a3e-9c48-61d07e8fa2b3", "safety", 1, 3, **taken)],
    }


def machines() -> list[Row]:
    """Return all of them."""
    rows = [
        machine(name, line, **TROUBLE.get(name, {}), **MAINTENANCE.get(name, {}))
        for line, names in LINES.items()
        for name in names
    ]
    for number, row in enumerate(rows):
        if row["name"] not in TROUBLE:
            row["stateSince"] = minutes_ago(60 * 3 + number * 17)
    return rows


def _planned(machine_id: str, order: Row, status: str = "planned", **members: object) -> Row:
    return {"equipmentId": machine_id, **order, "status": status, **members}


def _order(day: str, kind: str) -> Row:
    return {"date": day, "kind": kind, "plannedFor": day}


def agenda() -> list[Row]:
    """Return its orders, by day: of this week, and one of the next."""
    return [
        _planned(
            "press-1", _order("2026-11-16", "inspection"), "finished", finishedAt=minutes_ago(7000), result="done"
        ),
        _planned(
            "mill-1", _order("2026-11-16", "tool-change"), "finished", finishedAt=minutes_ago(6900), result="partly"
        ),
        _planned(
            "oven-2", _order("2026-11-18", "inspection"), "finished", finishedAt=minutes_ago(4000), result="skipped"
        ),
        _planned("washer-1", OVERDUE, minutes=40),
        _planned("trimmer-2", UNDER_WAY, "started", minutes=45),
        _planned("packer-1", _order(TODAY, "inspection"), minutes=20),
        _planned("conveyor-b", COMING, minutes=90),
        _planned("robot-2", _order("2026-11-24", "calibration")),
    ]


def _entry(kind: str, minutes: float, log: float, number: int, **members: object) -> Row:
    return {"type": kind, "at": minutes_ago(minutes), "timestamp": minutes_ago(log), "id": f"e{number}", **members}


def story() -> Row:
    """Return the row of Conveyor B with its log."""
    by_rule = {"by": "rule", "rule": "assign"}
    now = [
        _entry("state-reported", 24, 24, 1, state="ERROR", detail="belt stopped, motor current 0 A"),
        _entry("operator-assigned", 24, 24, 2, state="ERROR", operator=LUIS, **by_rule),
        _entry("equipment-at-risk", 24, 24, 3, reason=REPEATED, by="rule", rule="at-risk"),
        _entry("state-escalated", 9, 24, 4, state="ERROR", supervisor=ROSA, by="rule", rule="escalate"),
    ]
    earlier = [
        _entry("state-reported", 195, 195, 5, state="WARNING1"),
        _entry("operator-assigned", 195, 195, 6, state="WARNING1", operator=LUIS, **by_rule),
        _entry("state-acknowledged", 191, 195, 7, state="WARNING1", acknowledgedBy=SUBJECT_OF_LUIS),
        _entry("state-reported", 190, 190, 8, state="WARNING1"),
        _entry("state-reported", 185, 185, 9, state="ERROR", detail="belt slips"),
        _entry("operator-assigned", 180, 185, 10, state="ERROR", operator=EVA),
        _entry("state-reported", 152, 152, 11, state="NORMAL"),
    ]
    return {
        "items": [
            {"startedAt": minutes_ago(24), "endedAt": None, "story": now},
            {"startedAt": minutes_ago(195), "endedAt": minutes_ago(152), "story": earlier},
        ]
    }


def audits() -> Row:
    """Return the last audits of Conveyor B."""
    audit = {"equipmentId": "conveyor-b", "auditor": OLGA, "changedBy": "s"}
    return {
        "items": [
            {**audit, "part": "_", "result": "passed", "revision": 4, "changedAt": minutes_ago(60 * 24 * 9)},
            {
                **audit,
                "part": "belt",
                "result": "worn",
                "revision": 7,
                "changedAt": minutes_ago(60 * 24 * 2),
                "notes": "Change it at the next stop.",
            },
        ]
    }


def versions() -> Row:
    """Return the versions of Conveyor B."""
    of = {"id": "conveyor-b", "factoryId": FACTORY, "changedBy": "s"}
    return {
        "items": [
            {
                **of,
                "version": 2,
                "name": "Conveyor B",
                "lineId": "Line 3 · Assembly",
                "changedAt": minutes_ago(60 * 24 * 30),
            },
            {
                **of,
                "version": 1,
                "name": "Conveyor",
                "lineId": "Line 3 · Assembly",
                "changedAt": minutes_ago(60 * 24 * 200),
            },
        ]
    }


ROSTER_PATH: Final = f"/factories/{FACTORY}/roster"
ROSTER: Final = {"factoryId": FACTORY, "operators": [EVA, LUIS, OMAR], "supervisor": ROSA}
NIGHT: Final = {"from": "22:00", "to": "06:00", "operators": [OMAR], "supervisor": LUIS}
DUTY: Final = ROSTER | {
    "timezone": "America/Mexico_City",
    "manager": OLGA,
    "shifts": [
        {"name": "early", "days": ["mon", "tue", "wed", "thu", "fri", "sat"], "from": "06:00", "to": "14:00"}
        | {"operators": [EVA]},
        {"name": "late", "days": ["mon", "tue", "wed", "thu", "fri"], "from": "14:00", "to": "22:00"}
        | {"operators": [LUIS, OMAR]},
        {"name": "night", "days": ["sun", "mon", "tue", "wed", "thu"], **NIGHT},
    ],
    "overrides": [{"from": "2026-11-21T08:00", "to": "2026-11-21T14:00", "role": "supervisor", "person": LUIS}],
}
"""A roster by shifts: it is 12:34 there, and nobody is on duty in a part of the weekend."""

CONTACT: Final = {
    "email": "rosa@example.com",
    "phone": "+5213312345678",
    "language": "es",
    "order": ["sms", "mail"],
    "verifiedAt": {"mail": minutes_ago(60 * 24 * 3)},
    "version": 2,
    "changedAt": minutes_ago(60 * 24 * 3),
}
"""How somebody is told: by mail, and by SMS as soon as the number is checked."""

CATALOG: Final = {
    "factoryId": FACTORY,
    "version": 1,
    "categories": [
        {"id": "quality", "name": "Odd part", "icon": "eye", "priority": 3, "needsCause": False},
        {"id": "material", "name": "Material", "icon": "box", "priority": 2, "needsCause": True},
        {"id": "safety", "name": "Safety", "icon": "shield", "priority": 1, "needsCause": False},
    ],
    "causes": [
        {"id": "out-of-coils", "name": "Out of coils", "categories": ["material"]},
        {"id": "bent-guide", "name": "Bent guide", "categories": ["material"], "lines": ["Line 9"]},
        {"id": "drill", "name": "A drill", "categories": ["safety"]},
    ],
}
NAMES: Final[dict[str, str | None]] = {
    **{badge: person.name for badge, person in PEOPLE.items()},
    SUBJECT_OF_LUIS: PEOPLE[LUIS].name,
    SUBJECT_OF_OMAR: PEOPLE[OMAR].name,
}
