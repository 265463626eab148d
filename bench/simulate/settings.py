"""A stage's settings, as far as the model needs them: read from `infra/` and cdk.json."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from andon.cdk import lake, sizes, stage
from andon.cdk.capacity import USED, Capacity
from andon.cdk.target import AWS, Target
from andon.cdk.throttles import Quotas, Throttle, throttles_of
from andon.packages.package import Package
from andon.project import project
from bench import prices

HTTP: Final = frozenset({"command", "query"})
STREAMED: Final = frozenset({"trigger", "push"})

PUT: Final = "PUT /equipment/{id}/states/{timestamp}"
POST: Final = "POST /states"

CDK: Final = project().root / "cdk.json"
REPORTS: Final = "reportsPerSecond"
PLANNED_OVER_USUAL: Final = 2
"""A stage takes twice the average load: machines are not spread evenly."""


class Settings(NamedTuple):
    """Settings of a deployment. queue, stream: most records of a batch, and the seconds that Lambda waits for them.

    reports: `reportsPerSecond`. single, batches: the throttles of the two routes by which machines report.
    capacity: of tables that are steady; None: all are on demand. used: the share of it that is used.
    """

    queue: tuple[int, int]
    stream: tuple[int, int]
    lake: tuple[int, int]
    listeners: int
    lake_listeners: int
    reports: float
    single: Throttle
    batches: Throttle
    archive_days: int
    sweeps_at_once: int
    keeps_backups_of_views: bool
    traced: bool
    logged_share: float
    capacity: Capacity | None = None
    used: float = USED / 100

    @classmethod
    def of(cls, target: Target = AWS) -> "Settings":
        """Return those of a target, in the region whose prices and quotas the model has."""
        quotas = Quotas.of(prices.REGION)
        throttles = throttles_of(Package("services", "equipment"), reports=target.reports, quotas=quotas)
        return cls(
            queue=target.queue_batch,
            stream=target.stream_batch,
            lake=target.lake_batch,
            listeners=target.listeners,
            lake_listeners=lake.FEWEST,
            reports=target.reports.per_second,
            single=throttles[PUT],
            batches=throttles[POST],
            archive_days=target.archive_days or 0,
            sweeps_at_once=target.sweeps_at_once,
            keeps_backups_of_views=False,
            traced=target.traced,
            logged_share=target.logged_share,
            capacity=target.capacity,
        )

    @classmethod
    def of_stage(cls, name: str, rate: float = 0) -> "Settings":
        """Return those of a stage; `rate`: of the stage as it would have to be for so many reports a second."""
        settings = stages()[name]
        reports = max(settings[REPORTS], round(PLANNED_OVER_USUAL * rate))
        settings = {**settings, REPORTS: reports, stage.FLAG: "simulated"}
        return cls.of(AWS.of_stage(stage.read(name, settings)))


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
