"""Warns of quotas of the region that are smaller than what the stage plans; docs/deploy.md says what to ask for."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from aws_cdk import Annotations, Stack
from constructs import IConstruct

from andon.cdk.api import Api
from andon.cdk.target import Target
from andon.packages.discovery import services, subscribers_of

ROUTES: Final = (
    "{region}: all routes together take {planned:,.0f} requests a second, API Gateway {quota:,} of the whole account: "
    "a flood of one takes what others need (apiRequestsPerSecond)"
)
RULES: Final = (
    "{region}: {reports:,.0f} reports a second are {planned:,.0f} invocations by rules, EventBridge makes {quota:,}: "
    "what is beyond them is late (invocationsPerSecond)"
)


def warn_of_quotas(root: Stack, found: Iterable[IConstruct]) -> None:
    """Add a warning for each quota that is too small; none where nobody says which region it is."""
    environment = Target.of(root).environment
    if environment and (region := environment.region):
        warnings = chain(_of_routes(root, found, region), _of_rules(root, region))
        for number, warning in enumerate(warnings):
            Annotations.of(root).add_warning_v2(f"andon:quota{number}", warning)


def _of_routes(root: Stack, found: Iterable[IConstruct], region: str) -> Iterator[str]:
    quota, planned = Target.of(root).quotas.api, sum(one.per_second for one in found if isinstance(one, Api))
    if planned > quota:
        yield ROUTES.format(region=region, planned=planned, quota=quota)


def _of_rules(root: Stack, region: str) -> Iterator[str]:
    quota, reports = Target.of(root).quotas.invocations, Target.of(root).reports.per_second
    reported = [(one.name, event_type) for one in services() for event_type, _ in one.stream_first.values()]
    planned = reports * max((len(subscribers_of(*topic)) for topic in reported), default=0)
    if planned > quota:
        yield RULES.format(region=region, reports=reports, planned=planned, quota=quota)
