"""Instructions of a kind of maintenance: If-Match at two write units, and a history that is a moment late."""

import random
from functools import partial
from typing import Any, Final

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.packages.package import Package
from andon.recorded import lake
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, calls_of, intruding
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.tools.region.rows import bring_back
from andon.wire import aws
from contract.entities.instructions import LONGEST_STEP, MOST_STEPS
from services.maintenance import instructions
from tests.services.maintenance.requests import NOW, register
from tests.services.maintenance.samples import INSTRUCTIONS, ORDER

PUT: Final = f"PUT {INSTRUCTIONS}"
GET: Final = f"GET {INSTRUCTIONS}"
VERSIONS: Final = f"GET {INSTRUCTIONS}/versions"
VERSION: Final = f"GET {INSTRUCTIONS}/versions/{{n}}"

MAINTENANCE: Final = Package("services", "maintenance")


def send(loop: Loop, route: str, **more: Any) -> Answer:  # noqa: ANN401
    """Send a request about the instructions; `kind`, `n`: members of its path."""
    path = {"id": ORDER["id"], "kind": ORDER["kind"]} | {
        one: more.pop(one) for one in ("id", "kind", "n") if one in more
    }
    return loop.request(route, path=path, **more)


def write(loop: Loop, *steps: str, if_match: int | None = None, by: str = "somebody", **more: str) -> Answer:
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    return send(loop, PUT, body={"steps": [*steps]}, headers=headers, subject=by, **more)


def write_three(loop: Loop) -> None:
    for number in range(3):
        assert write(loop, f"step {number}", if_match=number or None).status in {200, 201}


def history(loop: Loop) -> list[tuple[int, list[str]]]:
    """The versions that are kept, newest first."""
    return [(one["version"], one["steps"]) for one in send(loop, VERSIONS).body["items"]]


ALL: Final = [(3, ["step 2"]), (2, ["step 1"]), (1, ["step 0"])]


def published(loop: Loop) -> list[tuple[str, int | None]]:
    """What maintenance says since, by type and version, faults among it."""
    own = [event for event in loop.run() if event["source"] == "maintenance"]
    return [(one["detail-type"], one["detail"].get("instructions", {}).get("version")) for one in own]


def trigger(loop: Loop, records: list[dict[str, Any]]) -> None:
    """Bring records to the trigger, whichever and however often, and let what it publishes be delivered."""
    if records:
        loop.invoke(MAINTENANCE, "trigger", {"Records": records})


def test_they_are_written_changed_and_read_and_each_version_is_kept(loop: Loop) -> None:
    with frozen_clock(NOW):
        first = write(loop, "Lock the drive.", "Drain the oil.")
        loop.run()
        second = write(loop, "Lock the drive.", if_match=1)
        loop.run()

        assert (first.status, second.status) == (201, 200)
        assert first.body == {
            "equipmentId": "press-7",
            "kind": "lubrication",
            "version": 1,
            "steps": ["Lock the drive.", "Drain the oil."],
            "changedAt": "2026-01-01T09:00:00.000Z",
            "changedBy": "somebody",
        }
        assert send(loop, GET).body == second.body
        assert send(loop, VERSIONS).body == {"items": [second.body, first.body]}
        assert [send(loop, VERSION, n=f"{n}").body for n in (1, 2)] == [first.body, second.body]
        read = [send(loop, route, n="1", headers={"if-none-match": '"1"'}).status for route in (GET, VERSION)]
        assert read == [200, 304]


def test_a_write_is_one_request_and_the_history_comes_a_moment_later(loop: Loop) -> None:
    with frozen_clock(NOW):
        calls = calls_of(partial(write, loop, "one"), services=("dynamodb",))
        assert calls == ["GetItem", "PutItem"], "the factory of the machine; then the instructions"
        assert history(loop) == []
        assert send(loop, VERSION, n="1").body == send(loop, GET).body, "it is the current one"
        assert send(loop, VERSION, n="2").status == 404
        write(loop, "two", if_match=1)
        assert send(loop, VERSION, n="1").status == 404, "not yet"

        assert published(loop) == [("instructions-changed", 1), ("instructions-changed", 2)]
        assert history(loop) == [(2, ["two"]), (1, ["one"])]
        assert published(loop) == [], "a revision is no change"


def test_who_changes_them_names_the_version(loop: Loop) -> None:
    with frozen_clock(NOW):
        write(loop, "one")
        assert write(loop, "two").status == 428
        assert write(loop, "two", if_match=2).status == 412
        assert write(loop, "two", if_match=1).status == 200
        assert write(loop, "one", kind="inspection").body["version"] == 1, "another kind has its own"
        assert write(loop, "one", id="nobody-knows").status == 404
        assert send(loop, GET, kind="cleaning").status == 404


def test_a_request_that_comes_again_is_recognised_while_its_version_is_the_current_one(loop: Loop) -> None:
    with frozen_clock(NOW):
        first, again = write(loop, "one"), write(loop, "one")
        second, second_again = write(loop, "two", if_match=1), write(loop, "two", if_match=1)

        assert (first.status, first.body) == (again.status, again.body)
        assert (second.status, second.body) == (second_again.status, second_again.body)
        write(loop, "three", if_match=2)
        assert write(loop, "two", if_match=1).status == 412, "the history is late, so that nobody looks there"
        loop.run()
        assert [version for version, _ in history(loop)] == [3, 2, 1]


@pytest.mark.parametrize(
    "steps",
    [[], [""], [" "], ["a\nb"], ["x" * (LONGEST_STEP + 1)], ["x"] * (MOST_STEPS + 1), [7], "Look.", None],
    ids=lambda steps: str(steps)[:20],
)
def test_what_are_no_steps_is_refused(loop: Loop, steps: object) -> None:
    assert send(loop, PUT, body={"steps": steps}).status == 400
    assert loop.run() == []


def test_the_longest_instructions_are_a_fact_that_the_bus_takes(loop: Loop) -> None:
    with frozen_clock(NOW):
        write(loop, *["🏭" * LONGEST_STEP] * MOST_STEPS)
        write(loop, *["🏗" * LONGEST_STEP] * MOST_STEPS, if_match=1)

        assert published(loop) == [("instructions-changed", 1), ("instructions-changed", 2)]


def test_of_two_who_change_one_version_one_is_told(loop: Loop) -> None:
    """The other one is in the middle of the first one's calls, before each of them."""
    for number in range(1, 4):
        loop.clear()
        register(loop)
        with frozen_clock(NOW):
            write(loop, "one")
            with intruding(number, partial(write, loop, "theirs", if_match=1, by="other")):
                mine = write(loop, "mine", if_match=1)
            theirs = write(loop, "theirs", if_match=1, by="other")

            assert sorted([mine.status, theirs.status]) == [200, 412]
            loop.run()
            assert history(loop) == [(2, ["mine" if mine.status == 200 else "theirs"]), (1, ["one"])]


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_killed_at_each_call_and_sent_again_no_version_is_lost_or_doubled(
    loop: Loop, interruption: Interruption
) -> None:
    def run(breaking: Breaking) -> Any:  # noqa: ANN401
        loop.clear()
        register(loop)
        with frozen_clock(NOW):
            for number in range(2):
                again = partial(write, loop, f"step {number}", if_match=number or None)
                breaking.interrupt(again)
                assert again().status in {200, 201}
                records: list[Any] = loop.new_records("MAINTENANCE_TABLE")
                breaking.insist(partial(trigger, loop, records))
            return history(loop)

    seen = [kept for _, kept in broken_at_every_call(interruption, run)]
    assert seen == [ALL[1:]] * len(seen)
    assert len(seen) >= 2 * len(["GetItem", "PutItem", "keep", "PutEvents"])


@pytest.mark.parametrize("seed", range(10))
def test_records_that_come_twice_in_other_batches_and_behind_later_ones_make_one_history(loop: Loop, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  no secret
    with frozen_clock(NOW):
        write_three(loop)
        records: list[Any] = loop.new_records("MAINTENANCE_TABLE")
        records = dice.sample(records + records, 2 * len(records))
        while records:
            size = dice.randint(1, 3)
            trigger(loop, records[:size])
            records = records[size:]

        assert history(loop) == ALL
        assert "fault" not in [said for said, _ in published(loop)]


def test_a_number_that_began_again_replaces_nothing_and_is_told(loop: Loop) -> None:
    """Somebody deleted the current row by hand."""
    with frozen_clock(NOW):
        write(loop, "one")
        loop.run()
        key = to_typed(instructions.INSTRUCTIONS.numbered((ORDER["id"], ORDER["kind"])).current_key())
        aws.client("dynamodb").delete_item(TableName="MAINTENANCE_TABLE", Key=key)
        loop.run()
    with frozen_clock(NOW + 1):
        write(loop, "other")

        assert ("fault", None) in published(loop)
        assert history(loop) == [(1, ["one"])]


def test_they_come_back_with_their_history_when_a_region_is_lost() -> None:
    with Loop() as lost, frozen_clock(NOW):
        register(lost)
        write_three(lost)
        lost.run()
        lost.run()
        before, current = send(lost, VERSIONS).body, send(lost, GET).body
        copied = lost.objects(lake.BUCKET)

    with Loop() as region, frozen_clock(NOW + 1):
        region.restore_objects(lake.BUCKET, copied)
        for _ in range(2):
            bring_back(now_ms=NOW + 1)

        assert region.run() == [], "nobody is told again"
        assert (send(region, VERSIONS).body, send(region, GET).body) == (before, current)
        register(region)
        assert write(region, "step 3", if_match=3).status == 200
        assert published(region) == [("instructions-changed", 4)]
        assert history(region) == [(4, ["step 3"]), *ALL]
