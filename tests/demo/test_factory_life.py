from collections import Counter
from itertools import pairwise, takewhile
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.cdk.target import LOCAL
from andon.http.derived import validated
from andon.outbound.variables import PUSH_HOSTS, WEBHOOK_HOSTS
from andon.runtime import texts
from andon.tools.inbox.sent import SentMessage
from contract import names
from contract.names import NORMAL
from demo import (
    factory_calls,
    factory_contacts,
    factory_help,
    factory_life,
    factory_maintenance,
    factory_start,
    make_demo,
)
from demo.factory import LINES, MACHINES, OPERATORS, SUPERVISOR
from demo.factory_life import Acknowledgement, Deed, MachineReport
from services.calls.api import CATALOG
from services.dispatch.api import OF_CHAINS
from services.notify.contact import CHANNELS
from services.notify.contact_bodies import ContactBody
from services.notify.proofs import Proof, ProofMessage, proof_text

HOUR_S = 3600.0
SILENCE_S = 2400.0
IDS = [machine.id for machine in MACHINES]

seeds = st.integers(0, 2**32)


def lived(seed: int, *, hours: float = 2) -> list[tuple[float, Deed]]:
    """The events of some hours."""
    dice = Random(seed)  # noqa: S311  no secrets
    life = factory_life.live(IDS, {}, silent=IDS[-1], silence_s=SILENCE_S, dice=dice)
    return [*takewhile(lambda one: one[0] < hours * HOUR_S, life)]


def reports(deeds: list[tuple[float, Deed]]) -> list[tuple[float, MachineReport]]:
    return [(at_s, deed) for at_s, deed in deeds if isinstance(deed, MachineReport)]


def test_three_lines_of_eight_machines_have_ids_that_can_be_registered() -> None:
    assert Counter(machine.line for machine in MACHINES) == dict.fromkeys(LINES, 8)
    assert len(set(IDS)) == 24
    assert [texts.identifier(text) for text in [*IDS, *LINES]] == [*IDS, *LINES]


@given(seeds)
def test_time_never_goes_back_and_all_but_the_silent_one_report_every_72_seconds(seed: int) -> None:
    deeds = lived(seed, hours=0.5)

    assert all(before <= after for (before, _), (after, _) in pairwise(deeds))
    for machine in IDS[:-1]:
        times = [at_s for at_s, report in reports(deeds) if report.machine == machine]
        assert times[0] <= 60
        assert all(after - before <= 72 for before, after in pairwise(times))
    assert not [report for _, report in reports(deeds) if report.machine == IDS[-1]]


@given(seeds)
def test_one_machine_is_silent_at_a_time_and_each_in_turn(seed: int) -> None:
    reported = reports(lived(seed))

    for turn, silent in enumerate((IDS[-1], IDS[0], IDS[1])):
        since_s, until_s = turn * SILENCE_S + 80, (turn + 1) * SILENCE_S
        spoke = {report.machine for at_s, report in reported if since_s <= at_s < until_s}
        assert spoke == set(IDS) - {silent}


@given(seeds)
def test_somebody_looks_only_after_what_is_in_trouble_now_and_once(seed: int) -> None:
    state = dict.fromkeys(IDS, NORMAL)
    seen: set[str] = set()
    for _, deed in lived(seed):
        if isinstance(deed, Acknowledgement):
            assert state[deed.machine] != NORMAL
            assert deed.machine not in seen
            seen.add(deed.machine)
        else:
            assert names.state(deed.state) == deed.state
            state[deed.machine] = deed.state
            if deed.state == NORMAL:
                seen.discard(deed.machine)


@pytest.mark.parametrize("seed", range(3))
def test_most_reports_are_normal_some_are_not_and_most_trouble_is_looked_after(seed: int) -> None:
    deeds = lived(seed, hours=10)
    states = Counter(report.state for _, report in reports(deeds))

    assert states[NORMAL] > 0.8 * states.total()
    assert min(states[factory_life.WARNING], states[factory_life.ERROR]) > 0.01 * states.total()
    assert sum(isinstance(deed, Acknowledgement) for _, deed in deeds) > 50


def test_a_seed_makes_the_same_day_again_and_the_speed_only_makes_it_shorter() -> None:
    slow = [*takewhile(lambda one: one[0] < 1000, make_demo.deeds(speed=1, seed=7))]
    fast = [*takewhile(lambda one: one[0] < 100, make_demo.deeds(speed=10, seed=7))]

    assert [deed for _, deed in slow] == [deed for _, deed in fast]
    assert [at_s / 10 for at_s, _ in slow] == pytest.approx([at_s for at_s, _ in fast])


@given(seeds)
def test_an_order_is_planned_once_and_started_and_finished_only_on_its_day(seed: int) -> None:
    steps: dict[int, list[factory_maintenance.OrderDeed]] = {}
    last_s = 0.0
    for at_s, deed in takewhile(lambda one: one[0] < HOUR_S, factory_maintenance.orders(IDS, dice=Random(seed))):  # noqa: S311
        assert at_s >= last_s
        last_s = at_s
        steps.setdefault(deed.number, []).append(deed)

    assert len(steps) == 30
    for number, deeds in steps.items():
        names = [deed.step for deed in deeds]
        assert len({(deed.machine, deed.kind, deed.ahead_days) for deed in deeds}) == 1
        if deeds[0].ahead_days:
            assert names == ["plan"]
        else:
            assert names == ["plan", "start", "finish"][: len(names)]
            assert len(names) == 3 or number >= 27, "the last ones may still be under way"


@given(seeds)
def test_a_call_is_raised_then_taken_then_closed_and_some_are_taken_after_the_supervisor_is_asked(seed: int) -> None:
    raised, taken = dict[int, float](), dict[int, float]()
    last_s, closed = 0.0, 0
    for at_s, deed in takewhile(lambda one: one[0] < 2 * HOUR_S, factory_calls.calls(IDS, dice=Random(seed))):  # noqa: S311
        assert at_s >= last_s
        last_s = at_s
        if deed.step == "raise":
            raised[deed.number] = at_s
        elif deed.step == "take":
            taken[deed.number] = at_s - raised[deed.number]
        else:
            assert deed.number in taken
            closed += 1

    assert (len(raised), closed > 40) == (48, True)
    asked_s = [60 * step["after"] for chain in factory_help.CHAINS if chain["id"] == "calls" for step in chain["steps"]]
    assert min(taken.values()) < max(asked_s) < max(taken.values())
    assert {f"call:{category}" for category in factory_calls.TEXTS} == set(factory_help.CHAINS[1]["on"])


def test_the_chains_and_the_catalog_of_the_demo_are_some_that_the_api_takes() -> None:
    validated(OF_CHAINS.body, {"chains": factory_help.CHAINS})
    catalog = validated(CATALOG.body, factory_help.CATALOG)

    needing = {category["id"] for category in catalog["categories"] if category["needsCause"]}
    assert needing == set(factory_help.CAUSES)


def test_the_people_of_the_demo_have_addresses_on_each_channel_that_the_api_takes_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(WEBHOOK_HOSTS, " ".join(LOCAL.stage.webhook_hosts))
    monkeypatch.setenv(PUSH_HOSTS, " ".join(LOCAL.stage.push_hosts))

    for contact in factory_contacts.CONTACTS.values():
        validated(ContactBody, contact)

    found = [factory_contacts.addresses_in(contact) for contact in factory_contacts.CONTACTS.values()]
    assert {channel for addresses in found for channel, _ in addresses} == {*CHANNELS}
    assert {*factory_contacts.CONTACTS} == {*OPERATORS, SUPERVISOR}


def test_a_code_is_read_from_the_mail_of_whom_it_was_sent_to() -> None:
    text = proof_text(ProofMessage(Proof("code", "mail"), "123456", "eva@factory.example", "en"))
    mail = SentMessage(0, "mail", "1", "eva@factory.example", text.subject, text.text)

    assert factory_contacts.codes_to("eva@factory.example", [mail]) == ["123456"]
    assert factory_contacts.codes_to("rosa@factory.example", [mail]) == []


@pytest.mark.parametrize("machine", [machine.id for machine in MACHINES])
def test_at_the_start_one_machine_is_silent_and_the_others_leave_no_gap_of_30_minutes(machine: str) -> None:
    minutes = sorted((one.minutes for one in factory_start.start() if one.machine == machine), reverse=True)

    gaps = [before - after for before, after in pairwise([*minutes, 0])]

    assert (max(gaps) >= 30) == (machine == factory_start.SILENT)


def test_at_the_start_two_machines_need_help() -> None:
    states = {machine.id: factory_start.state_of(machine) for machine in MACHINES}

    assert {machine: state for machine, state in states.items() if state != NORMAL} == {
        "gdl-conveyor-b": "ERROR",
        "gdl-oven-1": "WARNING1",
    }
