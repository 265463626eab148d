"""The model that is trained is what a plain count says of the same reports, doubled lines counted once."""

from pathlib import Path
from random import Random

import pytest

from andon.runtime import times
from andon.tools.lake import engine
from demo.lake.envelopes import LakeEnvelope, ReportEntity, Writer
from demo.lake.evaluate import make_world, report_of, scores, trained_on
from demo.lake.injected import KINDS
from demo.lake.synthetic import Company, objects
from demo.lake.train import QueryRow, model_of, train
from services.anomalies.model import DEVIATIONS, Model, SpreadJson
from tests.support import plain_counts


def test_a_model_is_what_a_plain_count_says(lake: Path, made: list[LakeEnvelope]) -> None:
    model = train(engine.connect(lake))

    expected = plain_counts.train(plain_counts.once(made))
    assert model["machines"].keys() == expected.keys()
    for name, machine in model["machines"].items():
        reports, hours, states = expected[name]
        assert (machine["reports"], machine["hours"]) == (reports, hours)
        assert {
            state: {kind: _spread(one) for kind, one in said.items()} for state, said in machine["states"].items()
        } == {
            state: {kind: pytest.approx(one, abs=0.0011) for kind, one in said.items()}
            for state, said in states.items()
        }
    newest = max(one["detail"]["timestamp"] for one in made if one["detail-type"] == "state-reported")
    assert model["trainedUntil"] == times.to_utc(newest)
    assert Model.of(model).version == model["version"]


def _spread(one: SpreadJson) -> tuple[float, float, int]:
    return one["median"], one["mad"], one["of"]


def test_the_same_lake_makes_the_same_version_and_other_days_another(lake: Path) -> None:
    connection = engine.connect(lake)

    versions = [train(connection, parameters)["version"] for parameters in ({}, {}, {"until": "2026-10-06"})]

    assert versions[0] == versions[1] != versions[2]


def test_a_report_that_was_published_under_two_ids_counts_once(tmp_path: Path) -> None:
    write = Writer(Random(1))  # noqa: S311  no secret
    log: ReportEntity = {"equipmentId": "press-7", "state": "NORMAL", "timestamp": "2026-10-05T00:00:00.000Z"}
    twice = [write.reported(log, actor="one"), write.reported(log, actor="other")]
    for key, body in objects(twice):
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(body)

    assert train(engine.connect(tmp_path))["machines"]["press-7"]["reports"] == 1


def test_an_empty_lake_makes_no_model() -> None:
    with pytest.raises(ValueError, match="no reports"):
        model_of(list[QueryRow]())


def test_injected_anomalies_are_found_and_little_else() -> None:
    world = make_world(Company(factories=1, lines=1, machines=2), learn_days=14, judge_days=5)

    found = scores(world, Model.of(trained_on(world.learn)))

    of_all = found[DEVIATIONS]
    assert sum(score.found + score.missed for score in of_all.values()) == len(world.anomalies) == 24
    assert {kind: score.precision >= 0.9 for kind, score in of_all.items()} == dict.fromkeys(KINDS, True)
    assert of_all["gap"].recall >= 0.9
    assert of_all["odd-state"].recall >= 0.8
    assert of_all["burst"].recall >= 0.4
    assert len([*report_of(found)]) == 1 + len(found) * len(KINDS)
