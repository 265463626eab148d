"""A region is lost: erasures come back from the lake with their fences, names do not."""

from andon.recorded import lake
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.region.services import bring_back
from services.dispatch.erased import erased_among
from services.dispatch.tables import TABLE as DISPATCH
from tests.support.samples import NOW
from tests.support.services.people import erase, erased_in, get, put


def test_whoever_was_erased_stays_so_in_another_region_and_names_are_not_in_its_lake() -> None:
    with Loop() as lost, frozen_clock(NOW):
        put(lost, "op-17")
        put(lost, "op-18")
        erase(lost, "op-17")
        assert erased_in(lost) == ["op-17"]
        copied = lost.objects(lake.BUCKET)

    with Loop() as region, frozen_clock(NOW + 1):
        region.restore_objects(lake.BUCKET, copied)
        for _ in range(2):
            bring_back(now_ms=NOW + 1)

        assert region.run() == [], "nobody is told again"
        assert get(region, "op-17").body == {"id": "op-17", "erased": True}
        assert put(region, "op-17").status == 409
        assert erase(region, "op-17").status == 204
        assert erased_among(DISPATCH, ["op-17", "op-18"]) == {"op-17"}
        assert erased_in(region) == []
        assert get(region, "op-18").status == 404
        assert put(region, "op-18").status == 201
