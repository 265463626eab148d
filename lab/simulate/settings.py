"""A stage's settings, as far as the model needs them: read from `infra/` and cdk.json."""

import json
from collections.abc import Mapping
from typing import Any, Final

from andon.cdk import sizes, stage
from andon.cdk.target import AWS, Target
from andon.packages.package import Package
from andon.project import project

EQUIPMENT: Final = Package("services", "equipment")
"""The service that machines report to."""

HTTP: Final = frozenset({"command", "query"})
QUEUED: Final = frozenset({"listener", "ingest"})
"""Roles that a queue feeds, and that say which messages they could not take."""

STREAMED: Final = frozenset({"trigger", "push"})

DAY_S: Final = 86_400
MONTH_DAYS: Final = 30
MONTH_S: Final = MONTH_DAYS * DAY_S
YEAR_DAYS: Final = 365

PUT: Final = "PUT /equipment/{id}/states/{timestamp}"
POST: Final = "POST /states"

CDK: Final = project().root / "cdk.json"
REPORTS: Final = "reportsPerSecond"
PLANNED_OVER_USUAL: Final = 2
"""A stage takes twice the average load: machines are not spread evenly."""


def target_of(name: str, rate: float = 0, *, capacity: str | None = None) -> Target:
    """Return the target of a stage; `rate`: of the stage as it would have to be for so many reports a second.

    capacity: in place of what cdk.json says.
    """
    settings = stages()[name]
    reports = max(settings[REPORTS], round(PLANNED_OVER_USUAL * rate))
    changed = {REPORTS: reports, "capacity": capacity or settings["capacity"]}
    return AWS.of_stage(stage.read(name, {**settings, **changed, **dict.fromkeys(stage.FLAGS, "simulated")}))


def stages() -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of each stage, by its name."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(CDK.read_text())["context"]["stages"]
    return found


def memory_mb(name: str) -> int:
    """Return the memory of a function, as `board listener` is called."""
    return sizes.SIZES[role_of(name)].memory_mb


def role_of(name: str) -> str:
    """Return the role of a function."""
    return name.rpartition(" ")[2]
