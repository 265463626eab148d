"""The model that is trained is what a plain count says of the same reports, doubled lines counted once."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from contract import times
from local.lake import engine
from local.lake.envelopes import LakeEnvelope, Log, Writer
from local.lake.evaluate import make_world, report_of, scores, trained_on
from local.lake.injected import KINDS
from local.lake.synthetic import Company, objects
from local.lake.train import Answer, model_of, train
from services.anomalies.model import DEVIATIONS, Model

HOUR_MS = 3_600_000


def spread(values: list[float]) -> dict[str, Any]:
    middle = median(values)
    mad = median(abs(value - middle) for value in values)
    return {"median": pytest.approx(middle, abs=0.0011), "mad": pytest.approx(mad, abs=0.0011), "of": len(values)}


def counted(made: list[LakeEnvelope]) -> dict[str, Any]:
    """Return the machines of a model, counted in Python."""
    said = [envelope["detail"] for envelope in made if envelope["detail-type"] == "state-reported"]
    of_machine: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for event in said:
        of_machine[event["state"]["equipmentId"]].add((event["timestamp"], event["state"]["state"]))
    return {machine: _machine(sorted(reports)) for machine, reports in of_machine.items()}


def _machine(reports: list[tuple[int, str]]) -> dict[str, Any]:
    rates: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    gaps: dict[str, list[float]] = defaultdict(list)
    for at_ms, state in reports:
        rates[state][at_ms // HOUR_MS] += 1
    for (at_ms, state), (next_ms, _) in pairwise(reports):
        gaps[state].append((next_ms - at_ms) / 1000)
    states = {
        state: {"rate": spread([*by_hour.values()]), **({"gap": spread(gaps[state])} if gaps[state] else {})}
        for state, by_hour in rates.items()
    }
    return {"reports": len(reports), "hours": len({at_ms // HOUR_MS for at_ms, _ in reports}), "states": states}


def test_a_model_is_what_a_plain_count_says(lake: Path, made: list[LakeEnvelope]) -> None:
    model = train(engine.connect(lake))

    assert model["machines"] == counted(made)
    newest = max(one["detail"]["timestamp"] for one in made if one["detail-type"] == "state-reported")
    assert model["trainedUntil"] == times.to_utc(newest)
    assert Model.of(model).version == model["version"]


def test_the_same_lake_makes_the_same_version_and_other_days_another(lake: Path) -> None:
    connection = engine.connect(lake)

    versions = [train(connection, parameters)["version"] for parameters in ({}, {}, {"until": "2026-10-06"})]

    assert versions[0] == versions[1] != versions[2]


def test_a_report_that_was_published_under_two_ids_counts_once(tmp_path: Path) -> None:
    write = Writer(Random(1))  # noqa: S311  no secret
    log: Log = {"equipmentId": "press-7", "state": "NORMAL", "timestamp": "2026-10-05T00:00:00.000Z"}
    twice = [write.reported(log, actor="one"), write.reported(log, actor="other")]
    for key, body in objects(twice):
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(body)

    assert train(engine.connect(tmp_path))["machines"]["press-7"]["reports"] == 1


def test_an_empty_lake_makes_no_model() -> None:
    with pytest.raises(ValueError, match="no reports"):
        model_of(list[Answer]())


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
