"""A model as it is after weeks in which machines reported every five minutes, now and then a warning: all is usual."""

from collections.abc import Iterable
from typing import Any, Final

from andon.wire.bucket import Bucket
from services.anomalies.current_model import CURRENT, key_of
from services.anomalies.model import version_of

UNTIL: Final = "2026-01-01T00:00:00.000Z"
STATES: Final = {
    "NORMAL": {"rate": {"median": 11, "mad": 1, "of": 672}, "gap": {"median": 300, "mad": 5, "of": 7_200}},
    "WARNING1": {"rate": {"median": 2, "mad": 1, "of": 400}, "gap": {"median": 300, "mad": 5, "of": 800}},
}


def model_of(machines: Iterable[str]) -> dict[str, Any]:
    """Return the content of a model in which all machines are alike."""
    trained = {name: {"reports": 8_000, "hours": 672, "states": STATES} for name in machines}
    return {"version": version_of(UNTIL, trained), "trainedUntil": UNTIL, "machines": trained}


def train(bucket: Bucket, machines: Iterable[str]) -> None:
    """Make it the current model."""
    content = model_of(machines)
    bucket.put_if_absent(key_of(content["version"]), content)
    bucket.replace(CURRENT, {"version": content["version"]})
