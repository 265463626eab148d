"""A stage's settings, as far as the model needs them: read from `infra/` and cdk.json."""

import json
from collections.abc import Mapping
from typing import Any, Final

from andon.cdk import sizes, stage
from andon.cdk.target import AWS, Target
from andon.project import project

HTTP: Final = frozenset({"command", "query"})
STREAMED: Final = frozenset({"trigger", "push"})

PUT: Final = "PUT /equipment/{id}/states/{timestamp}"
POST: Final = "POST /states"

CDK: Final = project().root / "cdk.json"
REPORTS: Final = "reportsPerSecond"
PLANNED_OVER_USUAL: Final = 2
"""A stage takes twice the average load: machines are not spread evenly."""


def target_of(name: str, rate: float = 0) -> Target:
    """Return the target of a stage; `rate`: of the stage as it would have to be for so many reports a second."""
    settings = stages()[name]
    reports = max(settings[REPORTS], round(PLANNED_OVER_USUAL * rate))
    return AWS.of_stage(stage.read(name, {**settings, REPORTS: reports, **dict.fromkeys(stage.FLAGS, "simulated")}))


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
