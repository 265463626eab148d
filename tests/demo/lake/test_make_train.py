"""`make train`, with a stack's buckets in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from andon.runtime import clock
from andon.testing.world import World
from andon.tools.lake import lake_copy
from andon.wire import aws
from andon.wire.bucket import Bucket
from demo.lake import make_train
from demo.lake.make_train import ModelBucket, main
from demo.lake.synthetic import Company, envelopes, objects
from services.anomalies.current_model import CurrentModel

ALL = {"ARGS": "since=2026-10-01"}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    """A stack with an empty lake."""
    with World() as world:
        s3 = aws.client("s3")
        lake = lake_copy.LakeBucket(world.buckets["LAKE_BUCKET"], s3, tmp_path)
        monkeypatch.setattr(lake_copy, "of_running_stack", lambda: lake)
        monkeypatch.setattr(make_train, "_of_running_stack", lambda: ModelBucket(world.buckets["MODELS_BUCKET"], s3))
        yield world


def fill(world: World) -> None:
    for key, body in objects(envelopes(Company(factories=1, lines=1, machines=1), 1_500)):
        aws.client("s3").put_object(Bucket=world.buckets["LAKE_BUCKET"], Key=key, Body=body)


def test_what_was_trained_is_what_the_service_reads(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    fill(world)

    assert main(ALL) == 0

    models = CurrentModel(Bucket("MODELS_BUCKET"))
    models.refresh(now_ms=clock.now_ms())
    assert models.model is not None
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"model {models.model.version}"
    assert second == "1 machines, 1 of them with 500 reports in 72 hours"


def test_to_train_again_says_that_nothing_is_new(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    fill(world)

    assert [main(ALL), main(ALL)] == [0, 0]

    assert capsys.readouterr().out.splitlines()[2].endswith(", which was there already")


@pytest.mark.usefixtures("world")
def test_without_a_lake_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main({}) == 1

    assert "make train: the lake has no events yet" in capsys.readouterr().err


@pytest.mark.parametrize("given", [{"ARGS": "yesterday"}, {"ARGS": "since=2099-01-01"}, {"ARGS": "equipment=press-7"}])
def test_what_cannot_be_trained_is_said_in_one_line(
    world: World, given: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    fill(world)

    assert main(given) == 1

    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("make train: ")]
    assert len(said) == 1
    assert world.objects("MODELS_BUCKET") == []
