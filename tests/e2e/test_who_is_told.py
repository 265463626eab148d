"""Who is told on the deployed stack, by providers that count; `make prove-telling` tries the rest, for half an hour."""

from collections.abc import Iterator
from typing import Final

import pytest

from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from lab.attack.report import Record, findings
from lab.telling import links, private
from lab.telling.providers import MAIL, SMS, Providers
from lab.telling.target import Target, request

MACHINES: Final = 40


@pytest.fixture(scope="module")
def target(stack: Stack) -> Iterator[Target]:
    with Providers() as providers, Target(stack, providers, Record()) as target:
        yield target


def test_many_requests_at_once_are_one_sms_and_one_mail(target: Target) -> None:
    target.reach_all({"op-9001": {SMS: "+523300009001"}, "sv-9001": {MAIL: "sv-9001@example.com"}})

    people, machines = ("op-9001", "sv-9001"), [f"told-{number}" for number in range(MACHINES)]
    target.ask([request(person, machine) for machine in machines for person in people])

    assert eventually(lambda: len(target.providers.got()) == len(people))
    got = {one.channel: (one.address, one.subject) for one in target.providers.got()}
    subject = f"{MACHINES} machines need help"
    assert got == {SMS: ("+523300009001", subject), MAIL: ("sv-9001@example.com", subject)}
    private.nowhere(target)
    assert not target.record.findings, findings(target.record, {})


def test_a_webhook_into_the_private_network_is_refused_on_the_settings_of_aws(target: Target) -> None:
    private.webhooks(target)

    assert not target.record.findings, findings(target.record, {})


def test_a_link_counts_as_it_was_signed_and_in_no_other_way(target: Target) -> None:
    links.counting(target)

    assert not target.record.findings, findings(target.record, {})
