from datetime import UTC, datetime, timedelta

import pytest

from andon.tools.stack.api import Api, path_of
from andon.tools.stack.stack import Stack
from contract import groups

LEVELS = ("company", "country", "region", "state", "county", "city", "neighborhood")
LOCATION = dict.fromkeys(LEVELS, "x")


def _body(name: str) -> dict[str, object]:
    return {"name": name, "factoryId": "gdl-1", "lineId": "line-3", "location": LOCATION}


def _tag(version: int) -> dict[str, str]:
    return {"if-match": f'"{version}"'}


@pytest.fixture
def api(stack: Stack) -> Api:
    return stack.api(groups.OPERATOR)


def test_history_as_of_rollback_delete_and_recreation_over_http(api: Api) -> None:
    path = path_of("equipment", "press #7 of yore")
    before = datetime.now(UTC) - timedelta(minutes=1)

    created = api.put(path, _body("first"))
    changed = api.put(path, _body("second"), _tag(1))
    back = api.request("POST", f"{path}/rollback", {"toVersion": 1}, _tag(2))
    deleted = api.request("DELETE", path, headers=_tag(3))
    gone = api.get(path)
    again = api.put(path, _body("again"))

    assert [one.status for one in (created, changed, back, deleted, gone, again)] == [201, 200, 200, 204, 404, 201]
    assert back.json["name"] == "first"
    listed = api.get(f"{path}/versions").json["items"]
    assert [(one["version"], one["name"], one.get("deleted", False)) for one in listed] == [
        (5, "again", False),
        (4, "first", True),
        (3, "first", False),
        (2, "second", False),
        (1, "first", False),
    ]
    assert api.get(f"{path}/versions/4").json == listed[1]
    stamps = [one["changedAt"] for one in listed]
    assert [api.get(f"{path}?asOf={at}").status for at in stamps] == [200, 404, 200, 200, 200]
    assert [api.get(f"{path}?asOf={at}").json == one for at, one in zip(stamps, listed, strict=True)].count(True) == 4
    assert api.get(f"{path}?asOf={before:%Y-%m-%dT%H:%M:%SZ}").status == 404
    has = {"if-none-match": again.headers["etag"]}
    assert api.request("GET", path, headers=has).status == 304


@pytest.mark.parametrize("at", ["1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z"])
def test_as_of_a_time_before_1970_it_is_not_found(api: Api, at: str) -> None:
    path = path_of("equipment", "young press")
    api.put(path, _body("young"))

    assert api.get(f"{path}?asOf={at}").status == 404
