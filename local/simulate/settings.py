"""How the stack is deployed, as far as the model needs it: read from `infra/`."""

from typing import Final, NamedTuple

from infra import function, lake, service
from infra.target import AWS, Target

HTTP: Final = frozenset({"command", "query"})
STREAMED: Final = frozenset({"trigger", "push"})


class Settings(NamedTuple):
    """What is set. queue, stream: the most records of a batch, and the seconds that Lambda waits for so many."""

    queue: tuple[int, int]
    stream: tuple[int, int]
    lake: tuple[int, int]
    listeners: int
    lake_listeners: int
    api_rate: float
    archive_days: int
    sweeps_at_once: int
    keeps_backups_of_views: bool
    traced: bool
    logged_share: float

    @classmethod
    def of(cls, target: Target = AWS) -> "Settings":
        """Return those of a target."""
        return cls(
            queue=target.queue_batch,
            stream=target.stream_batch,
            lake=target.lake_batch,
            listeners=target.listeners,
            lake_listeners=lake.FEWEST,
            api_rate=target.reports.per_second,
            archive_days=target.archive_days or 0,
            sweeps_at_once=service.TARGETS_OF_RULE if target.sweeps_shards_apart else 1,
            keeps_backups_of_views=False,
            traced=target.traced,
            logged_share=target.logged_share,
        )


def memory_mb(name: str) -> int:
    """Return the memory of a function, as `board listener` is called."""
    return function.SIZES[role_of(name)].memory_mb


def role_of(name: str) -> str:
    """Return the role of a function."""
    return name.rpartition(" ")[2]
