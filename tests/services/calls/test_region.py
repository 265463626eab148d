"""A region is lost: calls come back as they were, and those that ended long ago do not come back as open ones."""

from andon.recorded import lake
from andon.runtime.clock import DAY_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.region.services import bring_back
from tests.services.calls.samples import ANOTHER, CALL, EQUIPMENT, FACTORY, MATERIAL, SAFETY
from tests.services.calls.test_calls import (
    AT_EQUIPMENT,
    BY_PLACE,
    CLOSE,
    COILS,
    GET,
    NOW,
    PUT,
    SET,
    begin,
    facts,
    register,
    send,
)

LATER = NOW + 40 * DAY_MS
NEXT = {"id": "5d2a9c84-0b6e-4f17-a3c8-9e1f7b20d645"}


def test_an_open_call_comes_back_open_and_one_that_expired_does_not() -> None:
    with Loop() as lost:
        begin(lost)
        with frozen_clock(NOW):
            send(lost, PUT, MATERIAL)
            send(lost, PUT, SAFETY, path=ANOTHER)
            send(lost, CLOSE, COILS, if_match=1)
            lost.run()
        with frozen_clock(LATER):
            send(lost, PUT, MATERIAL, path=NEXT)
            closed = send(lost, CLOSE, COILS, if_match=1, path=NEXT).body
            lost.run()
        copied = lost.objects(lake.BUCKET)

    with Loop() as region, frozen_clock(LATER + 1):
        region.restore_objects(lake.BUCKET, copied)
        for _ in range(2):
            bring_back(now_ms=LATER + 1)

        assert facts(region) == [], "nobody is told again"
        assert send(region, GET).status == 404
        assert send(region, GET, path=NEXT).body == closed
        [still_open] = region.request(BY_PLACE, path=FACTORY).body["items"]
        assert still_open["id"] == ANOTHER["id"]
        listed = region.request(AT_EQUIPMENT, path=EQUIPMENT).body["items"]
        assert [one["id"] for one in listed] == [NEXT["id"], ANOTHER["id"]]
        assert send(region, SET.replace("PUT", "GET"), path=FACTORY).body["version"] == 1
        assert send(region, CLOSE, {}, if_match=1, path=ANOTHER).status == 200
        assert facts(region) == [("closed", 2)]
        register(region, EQUIPMENT["id"])  # the lake of this test has no facts of equipment
        assert send(region, PUT, SAFETY, path={"id": CALL["id"][:-1] + "0"}).status == 201
