"""Contracts of the factory's events: its types, its consumers asked in stories, and its saved queries."""

from collections.abc import Mapping
from typing import Final

import pytest

from andon.events.topic import Topic
from andon.packages.discovery import readers, services
from andon.packages.package import Package
from andon.rules.evaluate import Evaluator
from andon.tools.contracts.consumers import ANY_TOPIC, consumers
from andon.tools.contracts.diff import misfits
from andon.tools.contracts.interview import Interview, QueryAsked, needs_of, paths_in_sql, questions, unknown_to
from andon.tools.contracts.members import Member, Path, path_in, text_of
from andon.tools.contracts.need import LostMember
from andon.tools.contracts.publishers import entities_in, made, made_again, schemas
from andon.tools.contracts.state import TypeState
from andon.tools.contracts.stories import Story

SQL: Final = """\
-- '$.order.note'
SELECT
  json_extract_scalar(detail, '$.order.kind'),
  json_extract(detail, '$.help.about[*].callId'),
  json_extract_scalar(detail, '$.tags.actor')
"""
PLANNED: Final = ("maintenance", "maintenance-planned")


@pytest.fixture(scope="module")
def types() -> Mapping[Topic, TypeState]:
    found, _ = schemas()
    events = {one.topic: one.event for one in made()[0]}
    return {
        topic: TypeState(1, next(iter(entities_in(events[topic]))), schema, {"": events[topic]}, frozenset())
        for topic, schema in found.items()
    }


@pytest.fixture(scope="module")
def told(types: Mapping[Topic, TypeState]) -> Interview:
    def members_of(topic: Topic) -> Mapping[Path, Member]:
        return types[topic].all_members if topic in types else {}

    interview, real = Interview(members_of), Evaluator.evaluate
    with Story(Package("services", "planning"), interview) as story:
        story.tell("samples")
    assert Evaluator.evaluate is real
    return interview


def test_each_type_that_is_published_says_what_its_entity_is() -> None:
    _, without = schemas()
    declared = {(one.facts.source, event_type) for one in services() if one.has("facts") for event_type in one.types}

    assert without == {}
    assert declared <= {*schemas()[0]}


def test_what_the_makers_make_is_what_their_types_say(types: Mapping[Topic, TypeState]) -> None:
    events, unmade = made()

    assert unmade == []
    assert [
        (one.sample, text_of(misfit.path), misfit.why)
        for one in events
        for misfit in misfits(entities_in(one.event)[types[one.topic].entity], types[one.topic].schema)
    ] == []


def test_an_event_is_made_again_of_its_row_with_the_same_words() -> None:
    again = {one.sample: (one, made_again(one.topic, one.event)) for one in made()[0]}
    of_rows = {sample: pair for sample, pair in again.items() if pair[1] is not None}

    assert len(of_rows) > 50
    for one, event in of_rows.values():
        assert event is not None
        assert {**one.event, **event, "tags": one.event["tags"]} == one.event
        assert event["tags"] == {"actor": one.event["tags"]["actor"]}


def test_whoever_listens_is_a_consumer_of_all_that_it_subscribes_to() -> None:
    found = {one.name: {*one.reads} for one in consumers()}

    assert {one.name: found[f"{one.name}.listener"] for one in readers()} == {
        one.name: {*one.subscriptions} for one in readers()
    }
    assert {name for name, topics in found.items() if topics == {ANY_TOPIC}} == {
        "archive.equipment",
        "archive.operators",
    }


def test_a_rule_that_decides_in_a_story_says_what_it_needs(told: Interview) -> None:
    needs = told.needs["planning.rule-overdue"][PLANNED]

    assert needs[path_in("order.plannedFor")].gone is LostMember.REQUIRED
    assert needs[path_in("partitionKey")].gone is LostMember.LOST
    assert path_in("order.factoryId") not in needs
    assert "planning.rule-upkeep" in told.asked


def test_a_story_keeps_what_is_published_and_nobody_gives_anything_up(told: Interview) -> None:
    assert ("planning", "maintenance-overdue") in {topic for topic, _ in told.events}
    assert (told.faults, told.failures) == ({}, {})


def test_a_saved_query_reads_the_members_of_its_paths(types: Mapping[Topic, TypeState]) -> None:
    question = QueryAsked("query.made-up", paths_in_sql(SQL))

    assert {*map(text_of, question.paths)} == {"order.kind", "help.about[].callId"}
    assert {*needs_of(question, types)} == {
        topic for topic in types if topic[0] == "maintenance" and "maint" in topic[1]
    }
    assert [*map(text_of, unknown_to(question, types))] == ["help.about[].callId"]


def test_no_saved_query_reads_what_nobody_publishes(types: Mapping[Topic, TypeState]) -> None:
    found = [*questions()]

    assert [(one.name, unknown_to(one, types)) for one in found if unknown_to(one, types)] == []
    assert sum(bool(needs_of(one, types)) for one in found) > 10
