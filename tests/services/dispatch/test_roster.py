"""The roster of a factory, over HTTP."""

from typing import Any

import pytest

from andon.runtime.marks import optional_of
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from contract.entities.duty import MAX_OPERATORS, RosterEntity
from demo.people import LIZ, SARA, SUE, TOM
from tests.support.samples import NOW
from tests.support.services.reports import ROSTER, STAFF, staff

MINUTE = 60_000


def told(answer: Answer) -> tuple[int, str | None, object]:
    return answer.status, answer.headers.get("etag"), answer.body


def roster(loop: Loop, factory_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    return loop.request(ROSTER, path={"factoryId": factory_id}, **parts)


def refused_fields(answer: Answer) -> set[str]:
    assert answer.status == 400
    return {error["field"] for error in answer.body["errors"]}


def test_a_factory_has_no_roster_before_it_gets_one(loop: Loop, equipment_id: str) -> None:
    answer = roster(loop, equipment_id)

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_first_roster_is_created_and_found(loop: Loop, equipment_id: str) -> None:
    answer = staff(loop, equipment_id, [LIZ, SUE], SARA)

    body = {"factoryId": equipment_id, "operators": [LIZ, SUE], "supervisor": SARA}
    assert told(answer) == (201, '"1"', body)
    assert told(roster(loop, equipment_id)) == (200, '"1"', body)


def test_a_roster_is_published_so_that_the_lake_has_it_when_a_region_is_lost(loop: Loop, equipment_id: str) -> None:
    loop.run()
    staff(loop, equipment_id)

    [envelope] = loop.run()
    assert (envelope["detail-type"], envelope["detail"]["partitionKey"]) == ("roster-changed", equipment_id)
    assert envelope["detail"]["raw"]["new"]["operators"] == [LIZ, SUE]


@pytest.mark.parametrize(
    ("operators", "supervisor"),
    [([LIZ], SARA), ([SUE, LIZ], SARA), ([LIZ, SUE], TOM)],
    ids=["without one", "in another order", "under another supervisor"],
)
def test_a_change_needs_the_current_version(
    loop: Loop, equipment_id: str, operators: list[str], supervisor: str
) -> None:
    before = staff(loop, equipment_id, [LIZ, SUE], SARA)

    with frozen_clock(NOW + MINUTE):
        statuses = [
            staff(loop, equipment_id, operators, supervisor, if_match=version).status for version in (None, 2, 7)
        ]
        assert statuses == [428, 412, 412]
        assert roster(loop, equipment_id).body == before.body

        changed = staff(loop, equipment_id, operators, supervisor, if_match=1)

    assert told(changed)[:2] == (200, '"2"')
    assert told(roster(loop, equipment_id)) == told(changed)


def test_a_roster_stays_for_years(loop: Loop, equipment_id: str) -> None:
    staff(loop, equipment_id)

    with frozen_clock(NOW + 5 * 365 * 24 * 60 * MINUTE):
        assert roster(loop, equipment_id).status == 200


@pytest.mark.parametrize("name", ["Zoë", "李娜", "🏭", "a#b", "O'Hara, Jr.", "x" * 128, "🏭" * 128])
def test_factories_are_called_what_they_are(loop: Loop, equipment_id: str, name: str) -> None:
    factory_id = f"{equipment_id}-{name}".replace(" ", "-")[:128]

    assert staff(loop, factory_id).status == 201
    assert roster(loop, factory_id).body["factoryId"] == factory_id


@pytest.mark.parametrize("person", ["3f6d2c1e-8f0a-4b57-9a53-0c7d1f1e2a44", "op-17", "op17", "1047", "abc-0123456789"])
def test_people_are_subjects_or_badges(loop: Loop, equipment_id: str, person: str) -> None:
    assert staff(loop, equipment_id, [person], person).body["operators"] == [person]


def test_a_hundred_operators_are_not_too_many(loop: Loop, equipment_id: str) -> None:
    operators = [f"op-{number:02d}" for number in range(MAX_OPERATORS)]

    assert staff(loop, equipment_id, operators).status == 201
    assert roster(loop, equipment_id).body["operators"] == operators


BAD_OPERATORS: dict[str, Any] = {
    "nobody": [],
    "one of them twice": [LIZ, SUE, LIZ],
    "more than a hundred": [f"op-{number:02d}" for number in range(MAX_OPERATORS + 1)],
    "one and not a list": LIZ,
    "an object": {LIZ: True},
    "null": None,
}


@pytest.mark.parametrize("operators", list(BAD_OPERATORS.values()), ids=list(BAD_OPERATORS))
def test_operators_are_a_list_of_one_to_a_hundred_different_people(
    loop: Loop, equipment_id: str, operators: object
) -> None:
    body = {"operators": operators, "supervisor": SARA}
    answer = loop.request(STAFF, path={"factoryId": equipment_id}, body=body)

    assert refused_fields(answer) == {"body.operators"}
    assert roster(loop, equipment_id).status == 404


@pytest.mark.parametrize("missing", ["operators", "supervisor"])
def test_a_roster_is_both_operators_and_a_supervisor(loop: Loop, equipment_id: str, missing: str) -> None:
    body = {"operators": [LIZ], "supervisor": SARA}
    del body[missing]

    assert refused_fields(loop.request(STAFF, path={"factoryId": equipment_id}, body=body)) == {f"body.{missing}"}


NIGHT: dict[str, Any] = {"name": "night", "days": ["mon", "sun"], "from": "22:00", "to": "06:00", "operators": [LIZ]}
DAY: dict[str, Any] = NIGHT | {"name": "day", "from": "06:00", "to": "22:00"}
OVERRIDE = {"from": "2026-12-24T22:00", "to": "2026-12-25T06:00", "role": "manager", "person": TOM}
WHOLE: dict[str, Any] = {
    "operators": [LIZ],
    "supervisor": SARA,
    "manager": TOM,
    "timezone": "Europe/Berlin",
    "anchor": "2026-11-23",
    "weeks": 2,
    "shifts": [NIGHT | {"week": 1}, DAY | {"lines": ["line-3"], "supervisor": TOM}],
    "overrides": [OVERRIDE],
}


def put(loop: Loop, factory_id: str, body: dict[str, Any], **parts: Any) -> Answer:  # noqa: ANN401
    return loop.request(STAFF, path={"factoryId": factory_id}, body=body, **parts)


def test_a_roster_with_shifts_is_found_and_published_as_it_was_put(loop: Loop, equipment_id: str) -> None:
    loop.run()
    answer = put(loop, equipment_id, WHOLE)

    assert told(answer) == (201, '"1"', {"factoryId": equipment_id, **WHOLE})
    assert told(roster(loop, equipment_id)) == (200, '"1"', {"factoryId": equipment_id, **WHOLE})
    [envelope] = loop.run()
    assert envelope["detail"]["roster"] == {"factoryId": equipment_id, **WHOLE}


@pytest.mark.parametrize("left_out", sorted(optional_of(RosterEntity)))
def test_what_a_change_leaves_out_is_gone_from_the_roster(loop: Loop, equipment_id: str, left_out: str) -> None:
    gone = {"anchor", "weeks"} if left_out == "anchor" else {left_out}  # the weeks of none need no anchor
    less = {name: said for name, said in WHOLE.items() if name not in gone}
    put(loop, equipment_id, WHOLE)
    loop.run()

    answer = put(loop, equipment_id, less, headers={"if-match": '"1"'})

    said = {"factoryId": equipment_id, **less}
    assert (told(answer), told(roster(loop, equipment_id))) == ((200, '"2"', said), (200, '"2"', said))
    [envelope] = loop.run()
    assert (envelope["detail"]["roster"], envelope["detail"]["raw"]["new"].get(left_out)) == (said, None)


def test_a_roster_without_shifts_is_the_row_that_it_was(loop: Loop, equipment_id: str) -> None:
    body = {"operators": [LIZ, SUE], "supervisor": SARA}
    put(loop, equipment_id, body)

    [row] = [row for row in loop.rows("DISPATCH_TABLE") if row["pk"] == f"Factory#{equipment_id}"]

    assert {*row} - {"pk", "sk"} == {
        *("factoryId", "operators", "supervisor", "discriminator"),
        *("version", "timestamp", "changedBy", "fingerprint", "digest", "since"),
    }
    assert put(loop, equipment_id, body).status == 201, "its retry is recognised"


BAD_SHIFTS: dict[str, tuple[dict[str, Any], str]] = {
    "a zone that does not exist": ({"timezone": "Europe/Guadalajara"}, "body.timezone"),
    "a day that does not exist": ({"anchor": "2026-02-30"}, "body.anchor"),
    "weeks from no day": ({"anchor": None}, "body"),
    "a week that it has not": ({"shifts": [NIGHT | {"week": 3}]}, "body"),
    "two of one name": ({"shifts": [NIGHT, DAY | {"name": "night"}]}, "body"),
    "two at one time": ({"shifts": [NIGHT, DAY | {"to": "22:01"}]}, "body"),
    "two at one time over the end of the week": (
        {"shifts": [NIGHT | {"days": ["sun"]}, DAY | {"days": ["mon"], "from": "05:59"}]},
        "body",
    ),
    "a day twice": ({"shifts": [NIGHT | {"days": ["mon", "mon"]}]}, "body.shifts.0.days"),
    "no clock time": ({"shifts": [NIGHT | {"from": "24:00"}]}, "body.shifts.0.from"),
    "nobody in a shift": ({"shifts": [NIGHT | {"operators": []}]}, "body.shifts.0.operators"),
    "an override that ends before": ({"overrides": [OVERRIDE | {"to": "2026-12-24T21:59"}]}, "body.overrides.0"),
    "an override of a day that does not exist": (
        {"overrides": [OVERRIDE | {"from": "2026-12-24T25:00"}]},
        "body.overrides.0.from",
    ),
    "two overrides at one time": ({"overrides": [OVERRIDE, OVERRIDE | {"person": LIZ}]}, "body"),
    "more people than one decision looks up": ({"operators": [f"op-{number:03d}" for number in range(100)]}, "body"),
}


@pytest.mark.parametrize(("change", "field"), list(BAD_SHIFTS.values()), ids=list(BAD_SHIFTS))
def test_shifts_that_leave_open_who_is_there_are_refused(
    loop: Loop, equipment_id: str, change: dict[str, Any], field: str
) -> None:
    assert refused_fields(put(loop, equipment_id, WHOLE | change)) == {field}
    assert roster(loop, equipment_id).status == 404


CHAINS = "PUT /factories/{factoryId}/chains"
STEP: dict[str, Any] = {"after": 5, "tell": "duty:supervisor", "urgency": "high", "every": 10, "times": 2}
CHAIN: dict[str, Any] = {"id": "errors", "on": ["ERROR", "WARNING*", "SILENT", "call:material"], "steps": [STEP]}


def put_chains(loop: Loop, factory_id: str, *chains: dict[str, Any], if_match: int | None = None) -> Answer:
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    return loop.request(CHAINS, path={"factoryId": factory_id}, body={"chains": list(chains)}, headers=headers)


def test_chains_are_found_and_published_as_they_were_put_and_changed_upon_their_version(
    loop: Loop, equipment_id: str
) -> None:
    loop.run()
    of_line = CHAIN | {"id": "of-line", "lines": ["line-3"], "steps": [{"after": 0, "tell": LIZ, "urgency": "low"}]}
    body = {"factoryId": equipment_id, "chains": [CHAIN, of_line]}

    assert told(put_chains(loop, equipment_id, CHAIN, of_line)) == (201, '"1"', body)
    assert loop.request("GET /factories/{factoryId}/chains", path={"factoryId": equipment_id}).body == body
    [envelope] = loop.run()
    assert (envelope["detail-type"], envelope["detail"]["chains"]) == ("chain-set", body)
    assert put_chains(loop, equipment_id, CHAIN).status == 428
    assert put_chains(loop, equipment_id, CHAIN, if_match=2).status == 412
    assert put_chains(loop, equipment_id, if_match=1).body == {"factoryId": equipment_id, "chains": []}


BAD_CHAINS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing that begins it": (CHAIN | {"on": []}, "on"),
    "a state that is none": (CHAIN | {"on": ["error"]}, "on.0"),
    "what needs no help": (CHAIN | {"on": ["NORMAL"]}, "on.0"),
    "a minute at which nothing is due": (CHAIN | {"steps": [STEP | {"after": 7}]}, "steps.0"),
    "a reminder at which nothing is due": (CHAIN | {"steps": [STEP | {"every": 2}]}, "steps.0"),
    "a reminder without an end": (CHAIN | {"steps": [{**STEP, "times": None}]}, "steps.0"),
    "later than four hours": (CHAIN | {"steps": [STEP | {"after": 241}]}, "steps.0.after"),
    "a role that nobody has": (CHAIN | {"steps": [STEP | {"tell": "duty:janitor"}]}, "steps.0.tell"),
    "a name": (CHAIN | {"steps": [STEP | {"tell": "Liz"}]}, "steps.0.tell"),
    "no steps": (CHAIN | {"steps": []}, "steps"),
}


@pytest.mark.parametrize(("chain", "field"), list(BAD_CHAINS.values()), ids=list(BAD_CHAINS))
def test_chains_that_would_ask_nobody_are_refused(
    loop: Loop, equipment_id: str, chain: dict[str, Any], field: str
) -> None:
    assert refused_fields(put_chains(loop, equipment_id, chain)) == {f"body.chains.0.{field}"}


def test_a_chain_has_an_id_of_its_own(loop: Loop, equipment_id: str) -> None:
    assert refused_fields(put_chains(loop, equipment_id, CHAIN, CHAIN)) == {"body"}
