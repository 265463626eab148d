"""Reading the model: whatever lies in the bucket, the sweep goes on, and what could not be read is counted."""

import gc
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from andon.testing.log_lines import LogLines, logged
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from andon.wire import aws
from andon.wire.bucket import Bucket
from services.anomalies.current_model import CURRENT, CurrentModel, key_of
from tests.support.anomalies import model_content, put_model
from tests.support.samples import NOW

BUCKET = "MODELS_BUCKET"
OLD = model_content("press-7")
NEW = model_content("press-7", "press-8", until="2020-04-27T00:00:00.000Z")


@pytest.fixture(scope="module")
def memory() -> Iterator[Loop]:
    with Loop() as memory:
        yield memory


@pytest.fixture
def world(memory: Loop) -> Loop:
    memory.clear()
    return memory


@pytest.fixture
def models(world: Loop) -> CurrentModel:  # noqa: ARG001
    return CurrentModel(Bucket(BUCKET))


def refreshed(models: CurrentModel) -> tuple[str | None, LogLines]:
    """Refresh; return the version that is current, and what was logged."""
    with logged() as lines:
        models.refresh(now_ms=NOW)
    return models.model.version if models.model else None, lines


def put_raw(world: Loop, key: str, body: str) -> None:
    world.restore_objects(BUCKET, [{"Key": key, "Body": body}])


def test_before_anything_was_trained_there_is_no_model_and_nothing_to_complain_of(models: CurrentModel) -> None:
    assert refreshed(models) == (None, [])


def test_a_new_version_is_read_at_the_next_refresh(world: Loop, models: CurrentModel) -> None:
    put_model(world, OLD)
    assert refreshed(models) == (OLD["version"], [])

    put_model(world, NEW)
    assert refreshed(models) == (NEW["version"], [])


def test_the_same_version_is_not_read_again(world: Loop, models: CurrentModel, monkeypatch: pytest.MonkeyPatch) -> None:
    put_model(world, OLD)
    refreshed(models)
    asked: list[str] = []
    real = aws.call

    def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        asked.append(request["Key"])
        return real(service, operation, **request)

    monkeypatch.setattr(aws, "call", call)
    refreshed(models)

    assert asked == [CURRENT]


def test_who_removes_the_pointer_wants_no_model(world: Loop, models: CurrentModel) -> None:
    put_model(world, OLD)
    refreshed(models)
    world.clear()

    assert refreshed(models) == (None, [])


@pytest.mark.parametrize("pointer", ["", "{", "[]", "7", "{}", '{"version": 7}', '{"version": "of nobody"}'])
@pytest.mark.parametrize("had_one", [False, True])
def test_a_pointer_to_nothing_is_counted_and_the_last_model_stays(
    world: Loop,
    models: CurrentModel,
    had_one: bool,  # noqa: FBT001
    pointer: str,
) -> None:
    put_model(world, OLD)
    if had_one:
        refreshed(models)
    put_raw(world, CURRENT, pointer)

    version, [line] = refreshed(models)

    assert version == (OLD["version"] if had_one else None)
    assert (line["message"], line["model_unreadable"]) == ("model unreadable", 1)
    assert line["_aws"]["CloudWatchMetrics"][0]["Metrics"] == [{"Name": "model_unreadable"}]


@pytest.mark.parametrize("body", ["", "{", "{}", '{"version": "v", "trainedUntil": "", "machines": []}'])
def test_a_model_that_cannot_be_read_is_counted(world: Loop, models: CurrentModel, body: str) -> None:
    put_model(world, OLD)
    put_raw(world, key_of(OLD["version"]), body)

    version, [line] = refreshed(models)

    assert (version, line["model_unreadable"]) == (None, 1)
    assert gc.isenabled()


def test_a_model_under_the_key_of_another_is_not_taken(world: Loop, models: CurrentModel) -> None:
    put_model(world, OLD)
    Bucket(BUCKET).replace(key_of(OLD["version"]), NEW)

    assert refreshed(models)[0] is None


def test_a_bucket_that_cannot_be_reached_is_counted(models: CurrentModel) -> None:
    with Wire(("s3",)) as wire:
        wire.fail("GetObject", "AccessDenied")

        version, [line] = refreshed(models)

    assert (version, line["errors"]) == (None, ["AccessDenied"])


@pytest.mark.parametrize(
    "broken",
    [
        lambda text: text.replace('"hours":', '"hours": 1e400, "x":'),
        lambda _: "[" * 100_000,
        lambda text: text.replace('"trainedUntil"', '"until"'),
        lambda text: text.replace('"trainedUntil":', '"trainedUntil": 7, "x":'),
        lambda _: '{"machines": {"a": 1}, "version": "x"}',
    ],
    ids=["infinite", "deep", "untold", "a number", "no machine"],
)
def test_whatever_is_wrong_with_a_model_the_last_one_stays_and_it_is_counted(
    world: Loop, models: CurrentModel, broken: Callable[[str], str]
) -> None:
    put_model(world, OLD)
    refreshed(models)
    put_model(world, NEW)
    put_raw(world, key_of(NEW["version"]), broken(json.dumps(NEW)))

    version, [line] = refreshed(models)

    assert (version, line["model_unreadable"]) == (OLD["version"], 1)
