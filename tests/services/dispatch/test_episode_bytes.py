"""A page of episodes ends before its response is too long for Lambda."""

from unittest.mock import patch

from andon.testing.loop import Loop
from tests.support.services.reports import EPISODES, report

SMALL = 3_000


def test_episodes_with_long_details_come_on_several_pages_each_report_once(loop: Loop, equipment_id: str) -> None:
    for minute in range(12):
        state = "NORMAL" if minute % 2 else "ERROR"
        body = {"state": state, "detail": "x" * 1000}
        assert report(loop, equipment_id, at=f"2020-04-24T14:{minute:02d}:00.000Z", body=body).status == 201
    loop.run()
    cursor: dict[str, str] = {}
    pages: list[list[str]] = []

    with patch("andon.http.page.MAX_PAGE_BYTES", SMALL):
        while not pages or cursor:
            page = loop.request(EPISODES, path={"id": equipment_id}, query=cursor).body
            pages.append([entry["timestamp"] for item in page["items"] for entry in item["story"]])
            cursor = {"cursor": page["cursor"]} if "cursor" in page else {}

    told = [time for page in pages for time in page]
    assert len(pages) > 2
    assert max(map(len, pages)) <= SMALL // 1000
    assert len(told) == len(set(told)) == 12
