"""The attack in memory, short: nothing breaks; and each part finds what it looks for, once that is there."""

import json
import re
from collections import Counter
from random import Random
from typing import Any, Final

import jsonschema_rs
import pytest

from andon.events.received import received
from andon.project import project
from andon.runtime.tried import Failed, tried
from andon.testing.lambda_events import sqs_event
from andon.testing.proving.prover import Prover, prove
from andon.versions import optimistic_lock
from contract import groups
from lab import attack
from lab.attack import events, operations, requests, writers
from lab.attack.callers import roles_of

PROVER: Final = Prover.of(attack)
OPERATIONS: Final = operations.read()


def dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311  no secrets


@pytest.mark.parametrize("name", [name for name, part in PROVER.parts.items() if part.in_memory])
def test_a_part_of_the_attack_breaks_nothing_in_memory(name: str) -> None:
    record = prove(PROVER, only=[name])

    assert record.tried
    assert not record.broken, record.text()


def test_the_threat_model_names_parts_of_the_attack() -> None:
    rows = re.findall(r"^\|.*", (project().root / "docs" / "threat-model.md").read_text(), re.MULTILINE)
    named = {part for row in rows for part in re.findall(r"attack: (\w+)", row)}

    assert named
    assert named <= PROVER.parts.keys()


def test_a_race_that_loses_an_update_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = optimistic_lock.condition_of

    def at_least(*of: Any) -> Any:  # noqa: ANN401  as it is
        condition = real(*of)
        return condition._replace(expression=condition.expression.replace("#version = ", "#version >= "))

    monkeypatch.setattr("andon.versions.versioned_write.condition_of", at_least)

    record = prove(PROVER, only=["races"])

    assert record.broken["races: of those who name a version at once one wins"], record.text()


def test_a_seed_chooses_the_same_of_every_kind_and_as_many_of_each() -> None:
    one, same, other = (requests.chosen(OPERATIONS[:2], 72, dice(seed)) for seed in (1, 1, 2))

    assert [attempt.build() for attempt in one] == [attempt.build() for attempt in same]
    assert [attempt.build() for attempt in one] != [attempt.build() for attempt in other]
    counts = Counter(attempt.kind for attempt in one)
    assert counts.keys() == {attempt.kind for operation in OPERATIONS[:2] for attempt in requests.of_tables(operation)}
    assert max(counts.values()) <= 72 // len(counts) + 1


def test_hostile_groups_are_about_machines_of_their_own_of_which_the_edge_refuses_the_bad_and_no_other() -> None:
    every = [*events.hostile_groups()]

    machines = Counter(machine for one in every for machine in (*one.good, *one.bad))
    assert {*machines.values()} == {1}
    for one in every:
        body = json.dumps(events.about("any") | {"detail": "@"}).replace('"@"', one.detail)
        facts = [(fact.body, tried(fact.read)) for fact in received(sqs_event([body])["Records"])]
        bad = [text for text, read in facts if isinstance(read, Failed)]
        good = [text for text, read in facts if not isinstance(read, Failed)]
        assert all(any(machine in text for text in bad) for machine in one.bad), one.kind
        assert {machine for machine in one.good for text in good if machine in text} == {*one.good}, one.kind
        assert not any(machine in text for machine in one.bad for text in good), one.kind


def test_what_writers_race_for_can_be_changed_by_each_to_something_else_that_its_schema_allows() -> None:
    raced = writers.with_versions(OPERATIONS)
    assert {"PUT /factories/{factoryId}/catalog", "PUT /equipment/{id}/episodes/{startedAt}/cause"} <= {
        one.name for one in raced
    }

    for operation in raced:
        bodies = [json.loads(writers.changed(operation, {}, number).body or b"") for number in range(writers.WRITERS)]
        schema = jsonschema_rs.validator_for(dict(operation.body or {}), validate_formats=True)

        assert [*map(schema.is_valid, bodies)] == [True] * writers.WRITERS, operation.name
        assert len({*map(str, [operation.content(), *bodies])}) == 1 + writers.WRITERS, operation.name


def test_a_good_request_is_made_of_the_schema_alone() -> None:
    [rollback] = [one for one in OPERATIONS if one.name == "POST /equipment/{id}/rollback"]

    request = rollback.request({"id": "a b#?"})

    assert request.target == "/equipment/a%20b%23%3F/rollback"
    assert request.body == b'{"toVersion":1}'
    assert request.curl == (
        'curl -i --path-as-is -X POST "$API"/equipment/a%20b%23%3F/rollback -H "authorization: Bearer $TOKEN" '
        "-H 'content-type: application/json' --data-binary '{\"toVersion\":1}'"
    )


def test_a_stack_is_called_as_one_who_is_let_in_and_as_one_who_is_not() -> None:
    for operation in OPERATIONS:
        called = {*roles_of(operation, dice(1))}
        refused = {*groups.ALL} - operation.groups

        assert len(called & operation.groups) == bool(operation.groups), operation.name
        assert len(called & refused) == bool(refused), operation.name
        assert roles_of(operation, None) == groups.ALL


def test_a_short_attack_has_poison_of_every_kind() -> None:
    every = {poison.kind for poison in events.chosen(1_000, dice(1))}

    assert {poison.kind for poison in events.chosen(attack.POISONS, dice(1))} == every
