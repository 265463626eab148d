"""Besides the samples, what convergence delivers to state_log: facts about one log, days apart or simultaneous."""

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from demo.people import ANN, LIZ, SARA, SUE, TOM
from tests.support.samples import fact

DAY_MS = 86_400_000
START_MS = times.to_ms("2020-04-24T14:50:00.000Z")


def published(name: str, day: int, id: str, **entity: object) -> DomainEvent:  # noqa: A002
    """Return an event about the log on the n-th day after it."""
    return fact(name, id=id, at=START_MS + day * DAY_MS, **entity)


DAYS_APART = [
    published("state-reported", 0, "r1"),
    published("state-reported", 0, "r2", detail=None),  # at the same time
    published("operator-assigned", 1, "o1", operator=LIZ),
    published("operator-assigned", 3, "o2", operator=SUE),
    published("crew-assigned", 3, "c1", lead=ANN),  # at the same time, on the other side
    published("state-escalated", 2, "e1", supervisor=SARA),
    published("state-escalated", 2, "e2", supervisor=TOM),  # at the same time
]

STORIES = {"days apart": DAYS_APART}
