"""Throttles of routes, in requests per second, so that no caller's flood takes the capacity of other routes.

API Gateway throttles a route for all of its callers together: an HTTP API knows no plans for single callers. Of a route
that is shared out it takes more than is planned, and the function refuses whoever exceeds its share of it, see
`andon/http/http_api.py`.
"""

from typing import Final, NamedTuple

from andon.packages.discovery import subscribers_of
from andon.packages.package import Package

# All APIs of an account in a region share this.
# https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
ACCOUNT_PER_SECOND: Final = 10_000
# In Cape Town, Calgary, Hyderabad, Jakarta, Malaysia, Melbourne, Mexico, Milan, Spain, Tel Aviv, Thailand, UAE, Zurich.
FEWER_PER_SECOND: Final = dict.fromkeys(
    (
        *("af-south-1", "ca-west-1", "ap-south-2", "ap-southeast-3", "ap-southeast-5", "ap-southeast-4"),
        *("mx-central-1", "eu-south-1", "eu-south-2", "il-central-1", "ap-southeast-7", "me-central-1", "eu-central-2"),
    ),
    2_500,
)

# EventBridge's default quotas of requests to PutEvents and of invocations (an event that a rule sends on), a second.
# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
PUT_EVENTS: Final = {
    **dict.fromkeys(("us-east-1", "us-west-2", "eu-west-1"), 10_000),
    **dict.fromkeys(("us-east-2", "eu-central-1", "eu-south-2"), 2_400),
    **dict.fromkeys(("us-west-1", "ap-northeast-1", "ap-southeast-1", "ap-southeast-2", "eu-west-2"), 1_200),
    **dict.fromkeys(
        ("ap-east-1", "ap-northeast-2", "ap-south-1", "ca-central-1", "eu-north-1", "eu-west-3", "sa-east-1"), 600
    ),
}
LEAST_PUT_EVENTS: Final = 400
INVOCATIONS: Final = {
    **dict.fromkeys(("us-east-1", "us-west-2", "eu-west-1"), 18_750),
    **dict.fromkeys(("us-east-2", "eu-central-1", "eu-south-2"), 4_500),
    **dict.fromkeys(("us-west-1", "ap-northeast-1", "ap-southeast-1", "ap-southeast-2", "eu-west-2"), 2_250),
    **dict.fromkeys(
        ("ap-east-1", "ap-northeast-2", "ap-south-1", "ca-central-1", "eu-north-1", "eu-west-3", "sa-east-1"), 1_100
    ),
}
LEAST_INVOCATIONS: Final = 750

# The other half is for what triggers publish, and for other stacks of the account.
SHARE: Final = 0.5

# Of a second's requests, at once: what begins at the same moment although it was to be spread.
BURST_SECONDS: Final = 2

# A shared route takes this multiple of the planned rate: most of it is for requests that the function refuses.
HEADROOM: Final = 4


class Throttle(NamedTuple):
    """A rate, and how many requests may come at once before it counts."""

    per_second: float
    burst: int

    @classmethod
    def of(cls, per_second: float) -> "Throttle":
        """Return a rate with the burst that goes with it."""
        return cls(per_second, max(1, int(BURST_SECONDS * per_second)))

    def with_headroom(self, quota: int) -> "Throttle":
        """Return the rate of a route that is shared out: at most half of API Gateway's quota, unless more is planned.

        Its burst is no larger: each request of a burst may need a worker of its own, and all functions of an account
        have 1,000 together. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
        """
        most = max(self.per_second, quota // 2)
        return self._replace(per_second=min(HEADROOM * self.per_second, most))


class Quotas(NamedTuple):
    """Quotas of an account, per second: EventBridge's of requests to PutEvents and of invocations; API Gateway's."""

    put_events: int
    invocations: int
    api: int

    @classmethod
    def of(cls, region: str | None) -> "Quotas":
        """Return the defaults of a region; of one that is unknown, the least."""
        name = region or ""
        api = FEWER_PER_SECOND.get(name, ACCOUNT_PER_SECOND)
        return cls(PUT_EVENTS.get(name, LEAST_PUT_EVENTS), INVOCATIONS.get(name, LEAST_INVOCATIONS), api)

    def for_batches(self, *, events: int, rules: int) -> Throttle:
        """Return the throttle of a route with requests that publish `events` events, each to `rules` rules.

        Each event counts as a request to PutEvents, although ten may share one: it does for the smallest requests. It
        does, too, where a project groups: events may be too large to share an entry, and those of a group that the bus
        refuses for good go again alone.
        """
        per_second = SHARE * min(self.put_events / events, self.invocations / (events * rules))
        return Throttle.of(round(per_second, 2))


def throttles_of(package: Package, *, reports: Throttle, quotas: Quotas) -> dict[str, Throttle]:
    """Return the throttles of single routes of a package, by route.

    Those that are shared out have headroom over `reports`. Those that publish as they are called stay, together, below
    the bus's quotas. Those that are public have few: whoever guesses takes nothing from others.
    """
    batches = {
        route: quotas.for_batches(events=most, rules=len(subscribers_of(package.name, event_type)))
        for route, (event_type, most) in package.stream_first.items()
    }
    shared = dict.fromkeys(package.shared, reports.with_headroom(quotas.api))
    return shared | dict.fromkeys(package.public, PUBLIC) | batches


# A route without a token: people press a button of a message there.
PUBLIC: Final = Throttle.of(10)
