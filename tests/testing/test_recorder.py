"""Samples are what handlers make of requests: of one package, each with a time of its own."""

import re

import pytest

from andon.packages.package import Package
from andon.testing.recorder import BETWEEN_MS, NoSample, Recorder
from andon.testing.samples import BEGINNING_MS

REPORT = "PUT /equipment/{id}/states/{timestamp}"
PATH = {"id": "press-7", "timestamp": "2026-01-01T09:00:00Z"}


@pytest.fixture
def equipment() -> Package:
    return Package("services", "equipment")


def test_a_package_s_requests_and_facts_are_kept_and_those_of_others_are_not(equipment: Package) -> None:
    with Recorder(equipment) as world:
        world.request(REPORT, path=PATH, body={"state": "WARNING1"})
        world.request("GET /equipment/{id}/logs", path={"id": "press-7"})
        world.wait(60_000)

    assert [*world.samples] == ["http/put-state.json", "stream/state-reported.json", "domain/state-reported.json"]
    [record] = world.samples["stream/state-reported.json"]["Records"]
    assert record["eventID"] == world.samples["domain/state-reported.json"]["id"]


def test_each_request_is_a_second_later_and_the_first_of_a_name_counts(equipment: Package) -> None:
    with Recorder(equipment) as world:
        for minute, variant in enumerate(("", "", "again")):
            path = {**PATH, "timestamp": f"2026-01-01T08:0{minute}:00Z"}
            world.request(REPORT, path=path, body={"state": "WARNING1"}, variant=variant)

    first, again = world.samples["http/put-state.json"], world.samples["http/put-state.again.json"]
    assert [one["pathParameters"]["timestamp"][14:16] for one in (first, again)] == ["00", "02"]
    times = [one["requestContext"]["timeEpoch"] for one in (first, again)]
    assert times == [BEGINNING_MS, BEGINNING_MS + 2 * BETWEEN_MS]


def test_samples_are_the_same_each_time(equipment: Package) -> None:
    made = []
    for _ in range(2):
        with Recorder(equipment) as world:
            world.request(REPORT, path=PATH, body={"state": "WARNING1"})
        made.append(world.samples)

    assert made[0] == made[1]


def test_what_is_refused_is_no_sample_unless_it_says_so_and_what_is_not_refused_must_not_say_so(
    equipment: Package,
) -> None:
    ahead = {**PATH, "timestamp": "2026-01-01T10:00:00Z"}
    with Recorder(equipment) as world:
        with pytest.raises(NoSample, match=rf"^{re.escape(REPORT)} answered 400: .*Mend it, or say refused=400$"):
            world.request(REPORT, path=ahead, body={"state": "WARNING1"})
        with pytest.raises(NoSample, match=rf"^{re.escape(REPORT)} answered 201: .*It is to be refused with 400$"):
            world.request(REPORT, path=PATH, body={"state": "WARNING1"}, refused=400)
        answer = world.request(REPORT, path=ahead, body={"state": "WARNING1"}, variant="ahead", refused=400)

    assert (answer.status, "http/put-state.ahead.json" in world.samples) == (400, True)


def test_what_fails_is_no_sample(equipment: Package) -> None:
    with Recorder(equipment) as world:
        world.refuse(lambda *_: "InternalServerError")

        where = r"functions/services/equipment/\w+\.py:\d+"
        said = rf"states/{{timestamp}} failed: CallFailed: InternalServerError.*, at {where}$"
        with pytest.raises(NoSample, match=said):
            world.request(REPORT, path=PATH, body={"state": "WARNING1"})
