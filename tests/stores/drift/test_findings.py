"""Findings: kept of a view that says so itself, under no time that lies ahead."""

from andon.events.bus_entry import to_message
from andon.packages.package import Package
from andon.stores.drift.store import BUCKET
from andon.testing.loop import Loop
from tests.support.samples import fact

STORE = Package("stores", "drift")


def kept(loop: Loop) -> list[str]:
    return [one["Key"] for one in loop.objects(BUCKET)]


def test_a_finding_is_kept_of_its_own_view_only(loop: Loop) -> None:
    finding = fact("drift-detected")

    assert loop.deliver(STORE, [to_message(finding, source="somebody")]) == ["message-0"]
    assert kept(loop) == []


def test_a_finding_from_ahead_is_of_now_and_does_not_stay_the_newest(loop: Loop) -> None:
    finding = fact("drift-detected", at=9_940_000_000_000)

    loop.deliver(STORE, [to_message(finding, source=finding.entities["drift"]["view"])])

    [item] = loop.request("GET /drift").body["items"]
    assert item["timestamp"] == "2020-04-28T00:00:00.000Z"
