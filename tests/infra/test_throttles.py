"""Throttles: what each route takes, and that no flood of one takes what others need."""

from pathlib import Path

import pytest

from andon.cdk.target import AWS
from andon.cdk.throttles import (
    ACCOUNT_PER_SECOND,
    FEWER_PER_SECOND,
    HEADROOM,
    INVOCATIONS,
    PUBLIC,
    PUT_EVENTS,
    SHARE,
    Quotas,
    Throttle,
)
from andon.http import http_api
from andon.packages.discovery import packages, role_of, subscribers_of
from andon.packages.package import Package
from andon.testing.synthesised import Properties, Synthesised
from contract.entities.reports import REPORTS_AT_ONCE
from contract.groups import DEVICE
from lab.simulate import limits
from services.equipment.bodies import Reports
from tests.support.infra.synthesised import SERVICES, synthesise

REPORTS = AWS.reports
PUBLISHING = [(service, route) for service in SERVICES for route in service.stream_first]
SHARED = {route: package for package in packages() for route in package.shared}
OPEN = {route for service in SERVICES for route in service.public}
ROUTES = {route: groups for package in packages() for route, groups in package.routes.items()}


def stage(aws: Synthesised) -> Properties:
    [made] = aws.of_type("AWS::ApiGatewayV2::Stage").values()
    return made


def rate(aws: Synthesised, route: str) -> float:
    settings = stage(aws)["RouteSettings"].get(route, stage(aws)["DefaultRouteSettings"])
    return float(settings["ThrottlingRateLimit"])


def test_every_route_is_throttled_with_a_burst_of_two_seconds_of_what_is_planned(aws: Synthesised) -> None:
    of_routes = stage(aws)["RouteSettings"]
    for route, settings in {"": stage(aws)["DefaultRouteSettings"], **of_routes}.items():
        planned = settings["ThrottlingRateLimit"] / (HEADROOM if route in SHARED else 1)
        assert planned > 0
        assert settings["ThrottlingBurstLimit"] == max(1, int(2 * planned))


def test_sixty_thousand_devices_have_twice_what_they_need() -> None:
    assert REPORTS.per_second == 2 * 60_000 / 300


def test_a_route_that_is_shared_out_takes_more_than_is_planned_so_that_who_is_refused_takes_no_others_part(
    aws: Synthesised, prod: Synthesised
) -> None:
    assert set(SHARED) == {"PUT /equipment/{id}/states/{timestamp}"}
    for route in SHARED:
        assert rate(aws, route) == rate(prod, route) == HEADROOM * REPORTS.per_second == 1_600


@pytest.mark.parametrize(("planned", "allowed"), [(1, 4), (400, 1_600), (1_250, 5_000), (3_000, 5_000), (6_667, 6_667)])
def test_the_headroom_takes_no_more_than_half_of_the_accounts_quota(planned: int, allowed: int) -> None:
    throttle = Throttle.of(planned)

    assert throttle.with_headroom(ACCOUNT_PER_SECOND) == (allowed, throttle.burst)


@pytest.mark.parametrize("region", FEWER_PER_SECOND)
def test_in_thirteen_regions_the_headroom_is_half_of_a_quarter(region: str) -> None:
    assert len(FEWER_PER_SECOND) == 13
    assert REPORTS.with_headroom(Quotas.of(region).api).per_second == 1_250


def test_a_burst_of_reports_fits_into_the_workers_of_the_account() -> None:
    assert REPORTS.with_headroom(ACCOUNT_PER_SECOND).burst < limits.CONCURRENCY


@pytest.mark.parametrize(("stack", "share"), [("aws", "5"), ("prod", "5"), ("local", "1000")])
def test_a_function_knows_the_share_of_a_caller_if_and_only_if_it_has_a_route_that_is_shared_out(
    request: pytest.FixtureRequest, stack: str, share: str
) -> None:
    functions: dict[str, Properties] = request.getfixturevalue(stack).functions()

    sharing = {package.path(role_of(route)) for route, package in SHARED.items()}
    knowing = {file: made["Environment"]["Variables"].get(http_api.VARIABLE) for file, made in functions.items()}

    assert {file: said for file, said in knowing.items() if said} == dict.fromkeys(sharing, share)


@pytest.mark.parametrize("share", [0, -1, 401])
def test_a_share_that_is_none_or_more_than_all_is_refused(layer: Path, share: int) -> None:
    with pytest.raises(ValueError, match=rf"reportsPerSecondOfOne is {share}, but should be from 1 to .* 400"):
        synthesise(layer, reportsPerSecondOfOne=share)


def test_a_route_is_shared_out_where_devices_report_and_the_package_has_it() -> None:
    for route, package in SHARED.items():
        assert DEVICE in package.routes[route]


def test_all_routes_together_leave_room_in_the_accounts_quota_so_that_none_takes_from_another(
    aws: Synthesised,
) -> None:
    assert sum(rate(aws, route) for route in ROUTES) < ACCOUNT_PER_SECOND


def test_the_routes_of_devices_are_throttled_apart_from_those_of_people(aws: Synthesised) -> None:
    of_devices = {route for route, groups in ROUTES.items() if DEVICE in groups}

    assert set(stage(aws)["RouteSettings"]) == of_devices | {route for _, route in PUBLISHING} | OPEN


def test_who_guesses_at_links_takes_nothing_from_others(aws: Synthesised) -> None:
    assert {"POST /links/seen"} == OPEN
    assert {rate(aws, route) for route in OPEN} == {PUBLIC.per_second}
    assert PUBLIC.per_second < REPORTS.per_second


def test_the_settings_of_a_route_come_after_the_route(aws: Synthesised) -> None:
    [found] = [made for made in aws.resources.values() if made["Type"] == "AWS::ApiGatewayV2::Stage"]
    first = {aws.resources[name]["Properties"]["RouteKey"] for name in found["DependsOn"]}

    assert set(stage(aws)["RouteSettings"]) <= first


@pytest.mark.parametrize("region", [None, *PUT_EVENTS])
@pytest.mark.parametrize(("service", "route"), PUBLISHING, ids=str)
def test_full_batches_stay_below_half_of_both_quotas_of_the_bus(
    service: Package, route: str, region: str | None
) -> None:
    event_type, most = service.stream_first[route]
    quotas, rules = Quotas.of(region), len(subscribers_of(service.name, event_type))

    published = quotas.for_batches(events=most, rules=rules).per_second * most

    assert 0 < published <= SHARE * quotas.put_events
    assert published * rules <= SHARE * quotas.invocations * 1.01  # the rate is rounded


@pytest.mark.parametrize(("service", "route"), PUBLISHING, ids=str)
def test_the_throttle_of_batches_is_deployed(aws: Synthesised, service: Package, route: str) -> None:
    event_type, most = service.stream_first[route]

    allowed = Quotas.of(None).for_batches(events=most, rules=len(subscribers_of(service.name, event_type)))

    assert rate(aws, route) == allowed.per_second


def test_every_rule_counts_that_gets_the_event(aws: Synthesised) -> None:
    for service, route in PUBLISHING:
        event_type, _ = service.stream_first[route]
        rules = [made["EventPattern"] for made in aws.of_type("AWS::Events::Rule").values() if "EventPattern" in made]
        getting = [
            one
            for one in rules
            if service.name in one.get("source", [service.name]) and event_type in one.get("detail-type", [event_type])
        ]
        assert len(getting) == len(subscribers_of(service.name, event_type))


def test_a_batch_is_no_larger_than_its_throttle_assumes() -> None:
    assert [one.most for one in Reports.__metadata__] == [REPORTS_AT_ONCE]  # type: ignore[attr-defined]


def test_both_quotas_are_known_of_the_same_regions() -> None:
    assert PUT_EVENTS.keys() == INVOCATIONS.keys()


def test_what_was_throttled_is_counted_from_the_access_log(aws: Synthesised) -> None:
    [made] = aws.of_type("AWS::Logs::MetricFilter").values()
    [transformation] = made["MetricTransformations"]

    assert made["FilterPattern"] == '{ $.status = "429" }'
    assert made["LogGroupName"]["Ref"] == stage(aws)["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]
    assert (transformation["MetricNamespace"], transformation["MetricName"]) == ("Andon", "throttled")
    assert transformation["Dimensions"] == [{"Key": "stage", "Value": "$.stage"}]
    assert '"stage": "dev"' in stage(aws)["AccessLogSettings"]["Format"]
