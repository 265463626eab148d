"""Models of machines that report by a clock, for tests of anomalies."""

import json
from collections.abc import Mapping
from typing import Any, Final

from andon.packages.package import Package
from andon.rules.rule import RULE
from andon.runtime import times
from andon.testing.loop import Loop
from andon.testing.world import World
from andon.wire.bucket import Bucket
from services.anomalies.control import MODELS
from services.anomalies.current_model import CURRENT, key_of
from services.anomalies.model import version_of
from tests.support.samples import NOW, body_of, fact

ANOMALIES: Final = Package("services", "anomalies")
PRESS: Final = "press-7"

Report = tuple[int, str]
"""Seconds from NOW, and a state."""

UNTIL = "2020-04-20T00:00:00.000Z"

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


def put_model(world: World, content: Mapping[str, Any]) -> None:
    """Write a model, and make it the current one."""
    bucket = Bucket("MODELS_BUCKET")
    assert bucket.name in world.buckets.values()
    bucket.put_if_absent(key_of(content["version"]), content)
    bucket.replace(CURRENT, {"version": content["version"]})
    MODELS.asked_ms = None


class Detector(Loop):
    """Anomalies alone, over AWS in memory; a test delivers the reports itself."""

    def restart(self, content: Mapping[str, Any] | None) -> None:
        """Begin anew, with a model."""
        self.clear()
        MODELS.asked_ms = None
        if content is not None:
            put_model(self, content)

    def report(self, *reports: Report) -> None:
        """Deliver reports, in this order, as a batch; each arrives at the time of the clock."""
        assert self.deliver(ANOMALIES, [report_body(report) for report in reports]) == []

    def settle(self) -> None:
        """Hand the changes of the table to the trigger, until there are none."""
        while records := self.new_records("ANOMALIES_TABLE"):
            self.invoke(ANOMALIES, "trigger", {"Records": records})

    def decide(self) -> None:
        """Run the sweep, and publish what it decided."""
        self.invoke(ANOMALIES, "sweep", {})
        self.settle()

    def decisions(self) -> list[dict[str, Any]]:
        """Return the rows of all anomalies."""
        return [row for row in self.rows("ANOMALIES_TABLE") if row.get("by") == RULE]

    def facts(self) -> list[dict[str, Any]]:
        """Return the events published since the last call."""
        return [json.loads(body)["detail"] for body in self.new_messages()]


def report_body(report: Report) -> str:
    """Return the message of a report."""
    seconds, state = report
    at_ms = NOW + seconds * 1000
    time = times.to_utc(at_ms)
    event = fact("state-reported", id=f"{seconds} {state}", at=at_ms, equipmentId=PRESS, state=state, timestamp=time)
    return body_of(event._replace(partition_key=PRESS))
