"""Each caller has a share of the route of single reports: one that floods takes nothing from the others."""

from collections.abc import Iterator

import pytest

from andon.http.shares import BURST_SECONDS, VARIABLE, shares_of
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from tests.support.services.reports import AT, STATES, report, told_of

SHARE = 5


@pytest.fixture(autouse=True)
def _shared_out(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(VARIABLE, str(SHARE))
    shares_of.cache_clear()
    yield
    shares_of.cache_clear()


def flood(loop: Loop, equipment_id: str) -> list[int]:
    """The same report again and again, at one moment, until all of the share is used up."""
    return [report(loop, equipment_id, subject="flooding").status for _ in range(SHARE * BURST_SECONDS)]


def test_one_token_that_floods_gets_429_with_retry_after_and_another_token_is_served(
    loop: Loop, equipment_id: str
) -> None:
    assert flood(loop, equipment_id) == [201] + [200] * 49

    refused = report(loop, equipment_id, subject="flooding")
    served = report(loop, f"{equipment_id}-another", subject="another")

    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert served.status == 201


def test_a_report_that_is_refused_changes_nothing_and_calls_nobody(loop: Loop, equipment_id: str, wire: Wire) -> None:
    other = f"{equipment_id}-other"
    flood(loop, equipment_id)
    wire.requests.clear()

    assert report(loop, other, subject="flooding").status == 429

    assert wire.requests == []
    assert loop.request(STATES, path={"id": other}).body == {"items": []}
    assert told_of(loop, other) == []


def test_a_token_of_no_group_that_reports_stays_forbidden_and_uses_up_nothing(loop: Loop, equipment_id: str) -> None:
    assert {report(loop, equipment_id, subject="flooding", groups=["auditor"]).status for _ in range(60)} == {403}

    assert flood(loop, equipment_id) == [201] + [200] * 49


def test_batches_and_reads_have_no_shares(loop: Loop, equipment_id: str) -> None:
    flood(loop, equipment_id)
    assert report(loop, equipment_id, subject="flooding").status == 429

    batch = [{"equipmentId": equipment_id, "state": "NORMAL", "timestamp": AT}]
    assert loop.request("POST /states", body=batch, subject="flooding").status == 202
    assert loop.request(STATES, path={"id": equipment_id}, subject="flooding").status == 200


def test_without_the_setting_nobody_is_refused(loop: Loop, equipment_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)

    assert {*flood(loop, equipment_id), *flood(loop, equipment_id)} == {200, 201}
