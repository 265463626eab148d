"""From the lake to the board: train, report, decide, publish, show."""

from collections.abc import Iterator

import pytest

from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.lake import engine
from andon.wire import aws
from demo.lake.synthetic import START_MS, Company, envelopes, objects
from demo.lake.train import TrainedModel, store, train
from tests.support.services.reports import report

COMPANY = Company(factories=1, lines=1, machines=1)
(PRESS,) = (machine.id for machine in COMPANY.all_machines())
NOW_MS = START_MS + 30 * DAY_MS
MINUTE_MS = 60_000
BOARD = "GET /equipment/{id}/board"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TrainedModel:
    folder = tmp_path_factory.mktemp("lake")
    for key, body in objects(envelopes(COMPANY, 4_000)):
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(body)
    return train(engine.connect(folder))


@pytest.fixture
def world() -> Iterator[Loop]:
    with Loop() as world:
        yield world


def say(loop: Loop, state: str, minute: float) -> None:
    at_ms = NOW_MS + round(minute * MINUTE_MS)
    with frozen_clock(at_ms):
        assert report(loop, PRESS, state, at=times.to_utc(at_ms)).status == 201
        loop.run()


def test_what_a_machine_never_did_is_on_the_board(world: Loop, model: TrainedModel) -> None:
    assert store(model, aws.client("s3"), world.buckets["MODELS_BUCKET"])
    for minute in (0, 4, 8, 60):
        say(world, "NORMAL", minute)
    with frozen_clock(NOW_MS + 62 * MINUTE_MS):
        [gap] = [event["detail"] for event in world.sweep() if event["source"] == "anomalies"]
        shown = world.request(BOARD, path={"id": PRESS}).body["lastAnomaly"]
    say(world, "MELTING", 63)
    with frozen_clock(NOW_MS + 65 * MINUTE_MS):
        world.sweep()
        shown_later = world.request(BOARD, path={"id": PRESS}).body["lastAnomaly"]

    assert gap["type"] == "anomaly-detected"
    assert gap["anomaly"]["timestamp"] == times.to_utc(NOW_MS + 60 * MINUTE_MS)
    assert (gap["anomaly"]["kind"], gap["anomaly"]["seen"]) == ("gap", 52 * 60)
    usual = model["machines"][PRESS]["states"]["NORMAL"]["gap"]
    assert gap["anomaly"]["expected"]["typical"] == usual["median"]
    assert gap["anomaly"]["expected"]["basedOn"] == usual["of"]
    assert gap["anomaly"]["model"] == shown["model"] == model["version"]
    assert shown == {name: gap["anomaly"][name] for name in shown}
    assert (shown_later["kind"], shown_later["state"]) == ("odd-state", "MELTING")


def test_a_model_is_stored_once_and_becomes_the_current_one(world: Loop, model: TrainedModel) -> None:
    s3, bucket = aws.client("s3"), world.buckets["MODELS_BUCKET"]

    assert [store(model, s3, bucket), store(model, s3, bucket)] == [True, False]
    assert [one["Key"] for one in world.objects("MODELS_BUCKET")] == [
        f"models/{model['version']}.json",
        "models/current.json",
    ]
