"""The board above the line: queried by place, or by piece of equipment."""

from collections.abc import Sequence
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.packages.discovery import views
from andon.runtime import times
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from contract.levels import LEVELS
from demo.people import ANN, LIZ, SARA
from tests.support.samples import body_of, fact, sample
from tests.support.services.versions import LOCATION
from tests.views.board.stories import (
    MINUTES,
    acknowledgement,
    anomaly,
    assignment,
    audit,
    escalation,
    risk,
    silence,
    state,
)
from views.board.standing import OF_PEOPLE
from views.board.view import BY_LOCATION, TABLE

(BOARD,) = (package for package in views() if package.name == "board")

PLACES = {
    "a": "MX/JAL/Guadalajara/G/North/Centro",
    "b": "MX/JAL/Guadalajara/G/North/Centro",
    "c": "MX/JAL/Guadalajara/G/North/Centro Sur",
    "d": "MX/JAL/Guadalajara/G/South/Centro",
    "e": "MX/JAL/Guadalajara/GDL/North/Centro",
    "f": "MX/JAL/Zapopan/G/North/Centro",
    "g": "MX/JALISCO/Guadalajara/G/North/Centro",
    "h": "MX/JA/Guadalajara/G/North/Centro",
    "i": "MXN/JAL/Guadalajara/G/North/Centro",
    "j": "MX/JAL X/Guadalajara/G/North/Centro",
    "k": "MX/JAL!/Guadalajara/G/North/Centro",
    "l": "日本/北海道/札幌/G/🏭/Zentrum",
}


def deliver(loop: Loop, *events: DomainEvent, about: str | None = None) -> None:
    moved = [_about(event, about) for event in events] if about else events
    for start in range(0, len(moved), 10):
        assert loop.deliver(BOARD, [body_of(event) for event in moved[start : start + 10]]) == []
    assert loop.new_messages() == [], "a fault was published"


def _about(event: DomainEvent, equipment_id: str) -> DomainEvent:
    (name,) = event.entities
    field = "id" if name == "equipment" else "equipmentId"
    return DomainEvent.from_wire(event.to_wire() | {name: {**event.entities[name], field: equipment_id}})


def registered(equipment_id: str, company: str, place: str = PLACES["a"], kind: str = "created") -> DomainEvent:
    location = {"company": company, **dict(zip(LEVELS, place.split("/"), strict=True))}
    return _about(fact(f"equipment-{kind}", location=location), equipment_id)


def ask(loop: Loop, company: str, **query: str) -> Answer:
    return loop.request("GET /board/{company}", path={"company": company}, query=query, groups=["analyst"])


def ids(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [item["equipmentId"] for item in answer.body["items"]]


def one(loop: Loop, equipment_id: str) -> Answer:
    return loop.request("GET /equipment/{id}/board", path={"id": equipment_id}, groups=["operator"])


def standing(loop: Loop, equipment_id: str, *events: DomainEvent) -> Any:  # noqa: ANN401  an answer is any JSON
    deliver(loop, *events, about=equipment_id)
    return one(loop, equipment_id).body


@pytest.fixture(scope="module")
def company(loop: Loop) -> str:
    """A company with equipment at all places, and another one that has a longer name."""
    deliver(loop, *(registered(f"{name}#{name}", "Places", place) for name, place in PLACES.items()))
    deliver(loop, registered("elsewhere", "Places Inc"))
    return "Places"


@pytest.mark.parametrize("depth", range(1, len(LEVELS) + 1))
@pytest.mark.parametrize("place", sorted(set(PLACES.values())))
def test_a_place_answers_exactly_its_subtree_at_every_level(loop: Loop, company: str, place: str, depth: int) -> None:
    wanted = place.split("/")[:depth]

    found = ids(ask(loop, company, location="/".join(wanted)))

    assert set(found) == {f"{name}#{name}" for name, at in PLACES.items() if at.split("/")[:depth] == wanted}
    assert len(found) == len(set(found)) > 0


def test_a_company_answers_all_that_it_has_and_nothing_of_another_one(loop: Loop, company: str) -> None:
    assert sorted(ids(ask(loop, company))) == [f"{name}#{name}" for name in PLACES]
    assert ids(ask(loop, "Places Inc")) == ["elsewhere"]
    assert ids(ask(loop, "Place")) == ids(ask(loop, company, location="MX/JAL/Nowhere")) == []


def test_a_list_is_one_query_of_the_index_and_one_read_of_its_rows_and_a_row_one_get(
    loop: Loop, company: str, wire: Wire
) -> None:
    ask(loop, company, location="MX/JAL")
    one(loop, "a#a")

    assert wire.operations == ["Query", "BatchGetItem", "GetItem"]
    assert wire.requests[0].parameters["IndexName"] == "ByPlace"
    assert "FilterExpression" not in wire.requests[0].parameters


def test_a_skeleton_is_shown_by_its_id_and_in_no_list(loop: Loop, equipment_id: str) -> None:
    found = standing(loop, equipment_id, state("WARNING1", 1, "s1"))

    assert found == {
        "equipmentId": equipment_id,
        "version": times.to_ms(MINUTES[1]),
        "name": None,
        "factoryId": None,
        "lineId": None,
        "location": None,
        "state": "WARNING1",
        "stateSince": None,
        "stateTimestamp": MINUTES[1],
    }
    (row,) = [row for row in loop.rows("BOARD_TABLE") if row["EquipmentID"] == equipment_id]
    assert not row.keys() & {"Company", "Location"}


def test_equipment_that_was_deleted_is_in_no_list_and_a_404_until_it_is_undeleted(
    loop: Loop, equipment_id: str
) -> None:
    company = f"Owner of {equipment_id.replace('#', '')}"
    lists, statuses = [], []
    for kind in ("created", "deleted", "undeleted"):
        deliver(loop, registered(equipment_id, company, kind=kind), state("ERROR", 1, "s1"), about=equipment_id)
        lists.append(ids(ask(loop, company)))
        statuses.append(one(loop, equipment_id).status)

    assert lists == [[equipment_id], [], [equipment_id]]
    assert statuses == [200, 404, 200]
    assert one(loop, equipment_id).body["state"] == "ERROR"


def test_a_tombstone_stays_and_keeps_a_late_registration_away(loop: Loop, equipment_id: str) -> None:
    company = f"Owner of {equipment_id.replace('#', '')}"
    deliver(loop, registered(equipment_id, company, kind="deleted"))
    deliver(loop, registered(equipment_id, company))

    assert one(loop, equipment_id).status == 404
    assert ids(ask(loop, company)) == []
    (row,) = [row for row in loop.rows("BOARD_TABLE") if row["EquipmentID"] == equipment_id]
    assert row.keys() == {"EquipmentID", "Deleted", "oplock#equipment"}


@pytest.mark.parametrize("equipment_id", ["nobody", "#", "NORMAL", "🏭", "a" * 128])
def test_what_no_event_was_about_is_a_404(loop: Loop, equipment_id: str) -> None:
    answer = one(loop, equipment_id)

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "equipment_id", ["d#1", "##", "seen#NORMAL", "MX#JAL#x", "é", "日本", "🏭" * 20, "a.b", "a'\"\\b", "x" * 128]
)
def test_an_id_may_be_hostile_and_is_found_both_ways(loop: Loop, equipment_id: str) -> None:
    company = f"Owner of {ascii(equipment_id)[:60].replace('#', '').replace('/', '')}"
    deliver(loop, registered(equipment_id, company))

    assert ids(ask(loop, company, location="MX/JAL")) == [equipment_id]
    assert one(loop, equipment_id).body["equipmentId"] == equipment_id


def test_a_row_says_all_that_is_known(loop: Loop, equipment_id: str) -> None:
    found = standing(
        loop,
        equipment_id,
        registered(equipment_id, "Acme"),
        state("NORMAL", 1, "s1"),
        state("ERROR", 2, "s2"),
        assignment(LIZ, 3, "o1", log=2),
        escalation(SARA, 3, "x1", log=2),
        acknowledgement(ANN, 3, "k1", log=2),
        risk("it gets worse", 3, "r1", since=2),
        silence("silent", 9, "q1", since=2),
        audit("hydraulics", 4, "a1"),
    )

    assert found == {
        "equipmentId": equipment_id,
        "version": found["version"],
        "name": "Hydraulic press 7",
        "factoryId": "gdl-1",
        "lineId": "line-3",
        "location": {**LOCATION, **dict(zip(LEVELS, PLACES["a"].split("/"), strict=True))},
        "state": "ERROR",
        "stateSince": MINUTES[1],
        "stateTimestamp": MINUTES[2],
        "operator": LIZ,
        "escalatedTo": SARA,
        "acknowledgedBy": ANN,
        "atRisk": {"since": MINUTES[2], "reason": "it gets worse"},
        "silentSince": MINUTES[2],
        "lastAudit": {"part": "hydraulics", "result": "passed", "revision": 1, "timestamp": MINUTES[4]},
    }


def test_a_station_sees_its_own_equipment_and_nobody_who_deals_with_it(loop: Loop, equipment_id: str) -> None:
    seen_by = acknowledgement(ANN, 1, "k1", log=1)
    events = state("ERROR", 1, "s1"), assignment(LIZ, 1, "a1", log=1), escalation(SARA, 1, "e1", log=1), seen_by
    whole = standing(loop, equipment_id, registered(equipment_id, "Acme"), *events)

    def seen(name: str, *places: str) -> Answer:
        path, groups = {"id": equipment_id}, ["station", *places]
        return loop.request("GET /equipment/{id}/board", path=path, groups=groups, name=name)

    own = seen(equipment_id)
    assert own.status == 200
    assert own.body == {name: value for name, value in whole.items() if name not in OF_PEOPLE}
    assert whole.keys() - own.body.keys() == {"operator", "escalatedTo", "acknowledgedBy"}
    assert seen(equipment_id, "at:Acme").status == 200
    assert [seen(equipment_id, "at:Places").status, seen("another").status, seen("").status] == [403] * 3


def test_the_newest_log_that_was_unlike_the_machine_is_shown_whenever_it_was_said(
    loop: Loop, equipment_id: str
) -> None:
    newest, older = anomaly("odd-state", 5, "z1", log=5), anomaly("gap", 6, "z2", log=3)

    deliver(loop, newest, older, about=equipment_id)

    found = loop.request("GET /equipment/{id}/board", path={"id": equipment_id}).body
    of_sample = sample("domain", "anomaly-detected")["anomaly"]
    assert found["lastAnomaly"] == {
        "kind": "odd-state",
        "state": of_sample["state"],
        "timestamp": MINUTES[5],
        "unit": of_sample["unit"],
        "expected": of_sample["expected"],
        "seen": 7,
        "model": of_sample["model"],
    }


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([state("B", 2, "s1"), state("A", 2, "s2")], {"state": "B", "stateSince": MINUTES[2]}),
        (
            [state("NORMAL", 2, "s1"), state("ERROR", 3, "s2"), assignment(LIZ, 4, "o1", log=2)],
            {"state": "ERROR", "operator": None},
        ),
        (
            [state("NORMAL", 1, "s1"), state("A", 2, "s2"), assignment(LIZ, 3, "o1", log=2), state("B", 4, "s3")],
            {"state": "B", "stateSince": MINUTES[2], "operator": LIZ},
        ),
        ([state("A", 1, "s1"), silence("silent", 9, "q1", since=2)], {"silentSince": MINUTES[2]}),
        (
            [state("A", 1, "s1"), silence("silent", 9, "q1", since=1), silence("back", 10, "b1", since=1)],
            {"silentSince": None},
        ),
    ],
    ids=["a tie", "assigned at NORMAL's very time", "assigned to an older log", "silent before its report", "back"],
)
def test_how_equipment_stands_follows_from_the_events_in_either_order(
    loop: Loop, equipment_id: str, events: Sequence[DomainEvent], expected: dict[str, object]
) -> None:
    """All else about it is a law of test_view."""
    for about, order in {equipment_id: events, f"{equipment_id}-backwards": events[::-1]}.items():
        for event in order:
            deliver(loop, event, about=about)

        found = one(loop, about).body
        assert {name: found.get(name) for name in expected} == expected


RISK = risk("why", 4, "r1", since=2)


def test_what_rules_decided_in_the_samples_is_shown_as_if_people_had(loop: Loop, equipment_id: str) -> None:
    by_rules = [
        fact(name)
        for name in ("operator-assigned.by-rule", "state-escalated.by-rule", "equipment-at-risk", "equipment-silent")
    ]

    silent = standing(loop, equipment_id, state("WARNING1", 40, "s1"), state("ERROR", 50, "s2"), *by_rules)
    back = standing(loop, equipment_id, fact("equipment-back"))

    assert silent | {"version": 0} == back | {"version": 0, "silentSince": MINUTES[50]}
    assert back["version"] > silent["version"]
    assert {name: back[name] for name in ("operator", "escalatedTo", "atRisk")} == {
        "operator": LIZ,
        "escalatedTo": SARA,
        "atRisk": {"since": MINUTES[40], "reason": "three abnormal reports in 15 minutes"},
    }


def test_a_list_says_the_same_of_equipment_as_its_own_page(loop: Loop, equipment_id: str) -> None:
    company = f"Owner of {equipment_id.replace('#', '')}"
    trouble = [state("A", 2, "s1"), escalation(SARA, 3, "x1", log=2), RISK, silence("silent", 9, "q1", since=2)]

    alone = standing(loop, equipment_id, registered(equipment_id, company), *trouble)

    assert alone.keys() >= {"escalatedTo", "atRisk", "silentSince"}
    assert ask(loop, company).body["items"] == [alone]


def test_a_list_that_has_not_changed_is_not_sent_again(loop: Loop, equipment_id: str) -> None:
    company = f"Owner of {equipment_id.replace('#', '')}"
    deliver(loop, registered(equipment_id, company))
    first = ask(loop, company)

    same = ask_again(loop, company, first.headers["etag"])
    deliver(loop, state("ERROR", 1, "s1"), about=equipment_id)
    changed = ask_again(loop, company, first.headers["etag"])

    assert (same.status, same.body, same.headers["etag"]) == (304, None, first.headers["etag"])
    assert (changed.status, changed.body["items"][0]["state"]) == (200, "ERROR")
    assert changed.headers["etag"] != first.headers["etag"]


def ask_again(loop: Loop, company: str, etag: str) -> Answer:
    headers = {"if-none-match": f'"x", W/{etag}'}
    return loop.request("GET /board/{company}", path={"company": company}, headers=headers, groups=["analyst"])


def subscribe(loop: Loop, groups: Sequence[str] = ("analyst",), **query: str) -> Answer:
    return loop.request("GET /board/{company}/changes", path={"company": "Acme"}, query=query, groups=groups)


@pytest.mark.parametrize(
    ("location", "levels"), [(None, 1), ("MX", 2), ("MX/West/JAL/Guadalajara/Guadalajara/Centro", 7)]
)
def test_whoever_reads_the_list_may_subscribe_to_its_changes_and_to_no_others(
    loop: Loop, location: str | None, levels: int
) -> None:
    answer = subscribe(loop, **({} if location is None else {"location": location}))

    assert answer.status == 200
    assert answer.body.keys() == {"url", "topic", "clientId"}
    assert answer.body["url"].startswith("wss://")
    assert answer.body["topic"].removesuffix("/#").count("/") == levels
    assert answer.body["topic"].endswith("/#") == (levels < 7)
    assert answer.headers["cache-control"] == "no-store"  # the address is a key, for a minute


@pytest.mark.usefixtures("loop", "company")
def test_what_the_index_names_and_the_row_denies_is_not_listed() -> None:
    entry = {"EquipmentID": "a#a", "Company": "Elsewhere", "Location": "MX#JAL"}

    assert TABLE.rows_of([entry], BY_LOCATION) == []  # an index that lags, which none in memory does
