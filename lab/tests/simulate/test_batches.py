"""Laws of entries and messages at a rate, and that the real publisher makes as many of what it has in hand."""

from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.group import MOST_BYTES
from andon.project import project
from lab import prices
from lab.simulate import batches
from lab.simulate.batches import (
    Cut,
    cut,
    message_requests,
    message_to,
    messages_to_queues,
    publishers,
    requests_in_vain,
)
from lab.simulate.counted import Factory, Fleet, SentFact, Way, count
from lab.simulate.limits import BILLED_BYTES, LONGEST_POLL_S, QUEUE_POLLERS
from lab.simulate.model import FleetModel
from lab.simulate.money import of_a_million

RATES = st.floats(0.01, 5_000)
FACT = st.builds(SentFact, st.sampled_from("ab"), st.integers(100, 5_000))
FACTS = st.lists(FACT, min_size=1, max_size=60).map(tuple)


@given(st.integers(1, 50))
def test_facts_of_types_that_take_turns_share_an_entry_for_each_type(rounds: int) -> None:
    assert cut((SentFact("a", 100), SentFact("b", 100)), 2 * rounds, "s").facts == pytest.approx(rounds)


@given(facts=FACTS, in_hand=st.floats(0, 300))
def test_an_entry_has_a_fact_at_least_and_never_more_than_there_are_or_fit(
    facts: tuple[SentFact, ...], in_hand: float
) -> None:
    found = cut(facts, in_hand, "s")

    assert 1 - 1e-9 <= found.facts <= max(1, in_hand) + 1e-9
    assert 0 < found.size <= MOST_BYTES
    smallest = min(fact.size for fact in facts)
    assert found.facts <= MOST_BYTES / smallest


@given(size=st.integers(100, 5_000), in_hand=st.integers(1, 200))
def test_facts_of_one_type_need_no_more_entries_than_their_bytes_do(size: int, in_hand: int) -> None:
    entries = in_hand / cut((SentFact("a", size),) * in_hand, in_hand, "s").facts

    fitting = MOST_BYTES // (size + 100)
    assert entries <= ceil(in_hand / fitting) + 1e-9


def test_a_project_that_does_not_group_pays_for_each_fact(model: FleetModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "project", lambda: project()._replace(grouped=False))
    ungrouped = replace(model, target=model.target)  # another model, of which nothing is known yet

    facts = len([fact for sent in model.counted.facts.values() for fact in sent]) / model.counted.reports
    assert of_a_million(ungrouped, 200).bus == pytest.approx(facts * prices.BUS_ENTRY.dollars)
    assert {one.cut.facts for one in publishers(ungrouped, 200)} == {1}


@pytest.mark.parametrize("in_hand", [2, 95])
def test_the_real_publisher_makes_as_many_entries_of_what_it_has_in_hand(in_hand: int) -> None:
    with Factory(in_hand) as factory:
        factory.forget()
        for machine in factory.machines:
            factory.report(machine, "NORMAL")
        factory.run()
        trigger, [(source, facts)] = "equipment trigger", _facts_of(factory, "equipment trigger")
        entries = factory.used[trigger].entries.total()

    assert len(facts) == in_hand
    assert entries == pytest.approx(in_hand / cut(tuple(facts), in_hand, source).facts)
    assert entries == (2 if in_hand > 90 else 1)


def _facts_of(factory: Factory, name: str) -> list[tuple[str, list[SentFact]]]:
    return [(source, facts) for (of, source), facts in factory.facts.items() if of == name]


@given(slower=RATES, faster=RATES)
def test_the_faster_reports_come_the_fuller_entries_and_messages_are(
    model: FleetModel, slower: float, faster: float
) -> None:
    slower, faster = sorted((slower, faster))

    for before, after in zip(publishers(model, slower), publishers(model, faster), strict=True):
        assert after.cut.facts >= before.cut.facts * 0.5  # a batch that is a little too large for one entry has two
        assert before.cut.facts >= 1 - 1e-9
    assert of_a_million(model, faster).queues <= of_a_million(model, slower).queues * 1.1


def test_each_fact_of_each_report_is_in_some_message(model: FleetModel) -> None:
    for name in model.counted.subscribers:
        messages = messages_to_queues(model, 200)[name]
        assert messages * message_to(model, name, 200).facts == pytest.approx(model.counted.facts_to(name))


@given(size=st.floats(1, 60_000), received=st.integers(1, 10))
def test_a_message_is_sent_received_and_deleted_and_each_64_kilobytes_of_what_is_received_count(
    model: FleetModel, size: float, received: int
) -> None:
    requests = message_requests(replace(model, received=received), size)

    together = (size + batches.ENVELOPE_BYTES) * received
    assert requests >= 1 + 2 / received - 1e-9
    assert requests >= 1 + together / BILLED_BYTES / received
    assert requests <= message_requests(replace(model, received=1), size)


@given(rate=RATES, received=st.sampled_from([1.0, 10.0]))
def test_a_poller_that_finds_something_does_not_find_nothing(model: FleetModel, rate: float, received: float) -> None:
    model = replace(model, received=received)
    idle = QUEUE_POLLERS / LONGEST_POLL_S
    busy = len(messages_to_queues(model, rate))

    in_vain = requests_in_vain(model, rate, queues=busy + 3)

    assert 3 * idle <= in_vain < (busy + 3) * idle
    assert requests_in_vain(model, 2 * rate, queues=busy + 3) <= in_vain
    assert requests_in_vain(model, 1e9, queues=busy + 3) == pytest.approx(3 * idle)
    assert requests_in_vain(model, 1e-12, queues=busy) == pytest.approx(busy * idle)


def test_a_thing_is_a_message_more_and_no_request_to_the_api(model: FleetModel) -> None:
    things = replace(model, counted=count(Fleet(machines=1, seconds=300, way=Way.MQTT)))
    at_200 = messages_to_queues(things, 200)

    assert at_200["equipment ingest"] == pytest.approx(1)
    assert of_a_million(things, 200).api == 0 < of_a_million(model, 200).api
    assert [one.name for one in publishers(things, 200)] == ["equipment ingest"]
    assert at_200["board"] == pytest.approx(1 / message_to(things, "board", 200).facts)
    assert Cut(1, 0).facts < message_to(things, "board", 200).facts
