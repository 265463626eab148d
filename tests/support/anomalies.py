"""Models of machines that report by a clock, for tests of anomalies."""

from collections.abc import Mapping
from typing import Any

from local.in_process.world import InProcess
from patterns.runtime.bucket import Bucket
from services.anomalies.current_model import CURRENT, key_of
from services.anomalies.model import version_of

UNTIL = "20200420T000000Z"

USUAL = {
    "NORMAL": {"rate": {"median": 12, "mad": 0, "of": 400}, "gap": {"median": 300, "mad": 2, "of": 4800}},
    "WARNING1": {"rate": {"median": 2, "mad": 1, "of": 60}, "gap": {"median": 300, "mad": 5, "of": 120}},
}
"""A report each five minutes, now and then a warning: a burst has more than 26 NORMAL or 11.6 WARNING1 an hour, a gap
more than 750 s.
"""


def model_content(*machines: str, states: Mapping[str, Any] = USUAL, until: str = UNTIL) -> dict[str, Any]:
    """Return a model in which all of these machines are alike."""
    trained = {name: {"reports": 5000, "hours": 400, "states": states} for name in machines}
    return {"version": version_of(until, trained), "trainedUntil": until, "machines": trained}


def put_model(world: InProcess, content: Mapping[str, Any]) -> None:
    """Write a model, and make it the current one."""
    bucket = Bucket("MODELS_BUCKET")
    assert bucket.name in world.buckets.values()
    bucket.put_if_absent(key_of(content["version"]), content)
    bucket.replace(CURRENT, {"version": content["version"]})
