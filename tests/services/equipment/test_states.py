import pytest

from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from tests.support.samples import NOW
from tests.support.services.reports import AT, LATEST, STATES, report, told_of

DAY_MS = 86_400_000


def states(loop: Loop, equipment_id: str, **query: str) -> list[str]:
    """Return the states of a list, page by page."""
    found = []
    cursor: str | None = None
    while True:
        paging = query if cursor is None else {**query, "cursor": cursor}
        answer = loop.request(STATES, path={"id": equipment_id}, query=paging)
        assert answer.status == 200, answer.body
        found += [item["state"] for item in answer.body["items"]]
        cursor = answer.body.get("cursor")
        if cursor is None:
            return found


def test_a_report_of_unregistered_equipment_is_created_and_told_once(loop: Loop, equipment_id: str) -> None:
    answer = report(loop, equipment_id, body={"state": "WARNING1", "detail": "81 °C 🏭"}, subject="a device")

    to_response = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": AT, "detail": "81 °C 🏭"}
    assert (answer.status, answer.body) == (201, to_response)
    (envelope,) = told_of(loop, equipment_id)
    assert (envelope["source"], envelope["detail-type"]) == ("equipment", "state-reported")
    assert envelope["detail"]["state"] == to_response
    assert envelope["detail"]["timestamp"] == times.to_ms(AT)
    assert envelope["detail"]["raw"]["new"]["reportedBy"] == "a device"
    assert loop.request(LATEST, path={"id": equipment_id}).body == to_response


@pytest.mark.parametrize("at", [AT, "2020-04-24T14:50", "2020-04-24T16:50:00.0001+02:00", "2020-04-24T14:50:00,0009Z"])
def test_the_same_report_again_is_answered_and_not_told_again(loop: Loop, equipment_id: str, at: str) -> None:
    first = report(loop, equipment_id)

    again = report(loop, equipment_id, at=at, subject="another")

    assert (again.status, again.body) == (200, first.body)
    assert len(told_of(loop, equipment_id)) == 1


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "ThrottlingException"])
def test_a_report_to_a_table_without_capacity_is_a_503_and_the_device_sends_it_again(
    loop: Loop, equipment_id: str, wire: Wire, code: str
) -> None:
    wire.fail("PutItem", code, times=1)

    answer = report(loop, equipment_id)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert told_of(loop, equipment_id) == []

    assert report(loop, equipment_id).status == 201
    assert len(told_of(loop, equipment_id)) == 1


@pytest.mark.parametrize("body", [{"state": "NORMAL"}, {"state": "WARNING1", "detail": "more"}])
def test_another_state_at_the_same_time_is_a_conflict(loop: Loop, equipment_id: str, body: dict[str, str]) -> None:
    report(loop, equipment_id)

    assert report(loop, equipment_id, body=body).status == 409
    assert states(loop, equipment_id) == ["WARNING1"]
    assert len(told_of(loop, equipment_id)) == 1


@pytest.mark.parametrize(
    ("at", "status"),
    [
        (NOW, 201),
        (NOW + times.MAX_AHEAD_MS, 201),
        (NOW + times.MAX_AHEAD_MS + 1, 400),
        (NOW - 33 * DAY_MS + 1000, 201),
        (NOW - 33 * DAY_MS + 999, 400),
        (NOW - 33 * DAY_MS, 400),
        (0, 400),
    ],
)
def test_a_time_ahead_or_of_old_is_refused_exactly_at_the_limit(
    loop: Loop, equipment_id: str, at: int, status: int
) -> None:
    answer = report(loop, equipment_id, at=times.to_utc(at))

    assert answer.status == status
    assert len(told_of(loop, equipment_id)) == (status == 201)
    if status == 400:
        assert [error["field"] for error in answer.body["errors"]] == ["path.timestamp"]


@pytest.mark.parametrize(
    ("detail", "status"),
    [("x" * 4096, 201), ("x" * 4097, 400), ("工" * 1365, 201), ("工" * 1366, 400), ("🏭" * 1024, 201), ("", 201)],
    ids=["4 KB", "a byte more", "4 KB of three bytes", "three bytes more", "4 KB of four bytes", "none"],
)
def test_a_detail_has_at_most_4_kb(loop: Loop, equipment_id: str, detail: str, status: int) -> None:
    assert report(loop, equipment_id, body={"state": "ERROR", "detail": detail}).status == status


def test_reports_are_listed_newest_first_by_the_page(loop: Loop, equipment_id: str) -> None:
    for minute in (3, 1, 4, 2, 0):
        report(loop, equipment_id, f"S{minute}", at=f"2020-04-24T14:5{minute}:00Z")

    newest_first = ["S4", "S3", "S2", "S1", "S0"]
    assert [states(loop, equipment_id, limit=str(limit)) for limit in (1, 2, 5, 6, 1000)] == [newest_first] * 5


def test_an_expired_report_is_hidden(loop: Loop, equipment_id: str) -> None:
    report(loop, equipment_id, "OLD", at="2020-04-24T00:00:00Z")
    report(loop, equipment_id, "NEW", at="2020-04-25T00:00:00Z")
    expiry = times.to_ms("2020-04-24T00:00:00Z") + 33 * DAY_MS

    with frozen_clock(expiry - 1):
        assert states(loop, equipment_id) == ["NEW", "OLD"]
    with frozen_clock(expiry):
        assert states(loop, equipment_id) == ["NEW"]
    with frozen_clock(expiry + DAY_MS):
        assert states(loop, equipment_id) == []
        assert loop.request(LATEST, path={"id": equipment_id}).status == 404


def test_the_latest_of_none_is_not_found(loop: Loop, equipment_id: str) -> None:
    assert loop.request(LATEST, path={"id": equipment_id}).status == 404


def test_one_piece_of_equipment_does_not_see_the_reports_of_another(loop: Loop, equipment_id: str) -> None:
    report(loop, equipment_id, "MINE")
    report(loop, f"{equipment_id}0", "OTHERS")

    assert states(loop, equipment_id) == ["MINE"]
