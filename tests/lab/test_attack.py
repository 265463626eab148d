import json
import random
from collections import Counter

import jsonschema_rs
import pytest

from andon.events.received import received
from andon.runtime.tried import Failed, tried
from andon.testing.lambda_events import sqs_event
from andon.tools.stack.api import HttpResponse
from contract import groups
from lab.attack import events, hostile_groups, inputs, operations, races, report, roles
from lab.attack.judge import Judge, is_refused
from lab.attack.report import Record
from lab.attack.run import POISONS
from lab.attack.wire import RawRequest

OPERATIONS = operations.read()
[LOGS] = [one for one in OPERATIONS if one.name == "GET /equipment/{id}/logs"]
JSON = {"content-type": "application/json", "x-request-id": "1", "x-content-type-options": "nosniff"}
PROBLEM = {**JSON, "content-type": "application/problem+json"}
REFUSAL = b'{"type": "a", "title": "b", "status": 400, "detail": "%s"}'
KEY = "inputs: a kind: an effect"


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  no secrets


def test_a_seed_chooses_the_same_of_every_kind_and_as_many_of_each_and_makes_up_as_many_as_of_them_all() -> None:
    one, same, other = (inputs.chosen(OPERATIONS[:2], 72, dice(seed)) for seed in (1, 1, 2))

    assert [attempt.request for attempt in one] == [attempt.request for attempt in same]
    assert [attempt.request for attempt in one] != [attempt.request for attempt in other]
    counts = Counter(attempt.kind for attempt in one)
    assert counts.pop(inputs.MADE_UP) == 36
    assert counts.keys() == {attempt.kind for operation in OPERATIONS[:2] for attempt in inputs.of_tables(operation)}
    assert max(counts.values()) <= 36 // len(counts) + 1


def test_a_seed_chooses_the_same_poison_of_every_kind() -> None:
    one, same = (events.chosen(40, dice(1)) for _ in range(2))

    assert [(poison.kind, poison.sample) for poison in one] == [(poison.kind, poison.sample) for poison in same]
    assert {"a time far ahead", "an unknown member", "a member 250 deep", "no event"} <= {one.kind for one in one}
    assert all(poison.machine in poison.message for poison in one)


def test_hostile_groups_are_about_machines_of_their_own_of_which_the_edge_refuses_the_bad_and_no_other() -> None:
    groups = [*hostile_groups.hostile_groups()]

    machines = Counter(machine for one in groups for machine in (*one.good, *one.bad))
    assert {*machines.values()} == {1}
    for one in groups:
        body = json.dumps(events.about("any") | {"detail": "@"}).replace('"@"', one.detail)
        facts = [(fact.body, tried(fact.read)) for fact in received(sqs_event([body])["Records"])]
        bad = [text for text, read in facts if isinstance(read, Failed)]
        good = [text for text, read in facts if not isinstance(read, Failed)]
        assert all(any(machine in text for text in bad) for machine in one.bad), one.kind
        assert {machine for machine in one.good for text in good if machine in text} == {*one.good}, one.kind
        assert not any(machine in text for machine in one.bad for text in good), one.kind


def test_a_good_request_is_made_of_the_schema_alone() -> None:
    [rollback] = [one for one in OPERATIONS if one.name == "POST /equipment/{id}/rollback"]

    request = rollback.request({"id": "a b#?"})

    assert request.target == "/equipment/a%20b%23%3F/rollback"
    assert request.body == b'{"toVersion":1}'
    assert request.curl == (
        'curl -i --path-as-is -X POST "$API"/equipment/a%20b%23%3F/rollback -H "authorization: Bearer $TOKEN" '
        "-H 'content-type: application/json' --data-binary '{\"toVersion\":1}'"
    )


def test_what_writers_race_for_can_be_changed_by_each_to_something_else_that_its_schema_allows() -> None:
    raced = races.with_versions(OPERATIONS)
    assert {"PUT /factories/{factoryId}/catalog", "PUT /equipment/{id}/episodes/{startedAt}/cause"} <= {
        one.name for one in raced
    }

    for operation in raced:
        bodies = [json.loads(races.changed(operation, {}, number).body or b"") for number in range(races.WRITERS)]
        schema = jsonschema_rs.validator_for(dict(operation.body or {}), validate_formats=True)

        assert [*map(schema.is_valid, bodies)] == [True] * races.WRITERS, operation.name
        assert len({*map(str, [operation.content(), *bodies])}) == 1 + races.WRITERS, operation.name


@pytest.mark.parametrize(
    ("answer", "effects"),
    [
        (HttpResponse(200, JSON, b'{"items": []}'), []),
        (HttpResponse(200, JSON, b"{}"), ["200: Response violates schema"]),
        (HttpResponse(200, PROBLEM, b'{"items": []}'), ["200: Undocumented Content-Type"]),
        (HttpResponse(400, PROBLEM, REFUSAL % b"c"), []),
        (HttpResponse(400, PROBLEM, REFUSAL % b"in T1"), ["tells of the insides"]),
        (HttpResponse(409, PROBLEM, b"{}"), ["409: Undocumented status code"]),
        (HttpResponse(500, PROBLEM, b"{}"), ["500"]),
        (HttpResponse(404, {"content-type": "application/json"}, b'{"message": "Not Found"}'), []),
        (HttpResponse(0, {}, b"TimeoutError"), ["no answer (TimeoutError)"]),
    ],
)
def test_an_answer_is_judged_by_the_document(answer: HttpResponse, effects: list[str]) -> None:
    assert Judge(secrets=("T1",)).effects(LOGS, answer) == effects


def test_what_breaks_the_schema_has_to_be_refused() -> None:
    [attempt] = inputs.made_up([LOGS], 1, dice(1))
    accepted = HttpResponse(200, JSON, b'{"items": []}')

    assert Judge().effects(LOGS, accepted, attempt.made_up) == ["200: Schema-violating request accepted"]


def test_a_link_whose_token_is_nonsense_is_refused_as_one_that_is_not_good_any_more() -> None:
    [seen] = [one for one in OPERATIONS if one.name == "POST /links/seen"]
    [attempt] = inputs.made_up([seen], 1, dice(1))

    assert Judge().effects(seen, HttpResponse(410, PROBLEM, REFUSAL % b"c"), attempt.made_up) == []
    assert Judge().effects(LOGS, HttpResponse(410, PROBLEM, REFUSAL % b"c")) == ["410: Undocumented status code"]


def test_what_the_gateway_does_not_know_is_refused_and_what_is_not_there_is_not() -> None:
    assert is_refused(HttpResponse(404, {"content-type": "application/json"}, b"{}"))
    assert is_refused(HttpResponse(400, PROBLEM, b"{}"))
    assert is_refused(HttpResponse(410, PROBLEM, b"{}"))
    assert not is_refused(HttpResponse(404, PROBLEM, b"{}"))


def test_what_breaks_and_is_not_known_is_unexplained() -> None:
    record = Record()
    record.attempt("inputs", "a kind", {"an effect": "curl"})

    assert [finding.key for finding in record.unexplained({})] == [KEY]
    assert not record.unexplained({KEY: "why"})
    assert not record.mended({KEY: "why"})
    assert "known   inputs: a kind: an effect (1 times)" in report.findings(record, {KEY: "why"})


def test_what_is_known_and_holds_is_to_be_deleted_but_only_if_it_was_tried() -> None:
    record = Record()

    assert record.mended({KEY: "why"}) == []

    record.attempt("inputs", "a kind", {})
    assert record.mended({KEY: "why"}) == [KEY]
    assert "delete it" in report.findings(record, {KEY: "why"})


def test_requests_are_text_and_bytes_as_they_are_sent() -> None:
    assert RawRequest("GET", "/a").asking([("limit", "1"), ("limit", "2")]).target == "/a?limit=1&limit=2"


def test_a_short_attack_calls_each_route_as_one_who_is_let_in_and_as_one_who_is_not() -> None:
    for operation in OPERATIONS:
        called = {*roles.roles_of(operation, dice(1))}
        refused = {*groups.ALL} - operation.groups

        assert len(called & operation.groups) == bool(operation.groups), operation.name
        assert len(called & refused) == bool(refused), operation.name
        assert roles.roles_of(operation, None) == groups.ALL


def test_a_short_attack_has_poison_of_every_kind() -> None:
    every = {poison.kind for poison in events.chosen(1_000, dice(1))}

    assert {poison.kind for poison in events.chosen(POISONS, dice(1))} == every
