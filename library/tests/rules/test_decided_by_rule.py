"""Between people and rules: a rule decides what nobody has said, and anybody may say otherwise."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.rules.control_service import Control, Verdict
from andon.rules.rule import BY, RULE, WHY, Decision, History, Rule, Rules, is_of_a_person
from andon.rules.stored_event import StoredEvent, sort_of
from andon.rules.timing import AtOnce
from andon.runtime.errors import PreconditionRequired, Stale
from andon.testing.wire import Wire
from andon.versions.optimistic_lock import Draft, Saved, expected_by, revision_of
from andon.versions.versioned_write import save
from toys.clock import NOW
from toys.things import KEYS, TABLE, VARIABLE, World, current_only, happened, painting
from toys.toy_control import decide_at

# Behind every timestamp, so that a writer is refused for its version and not for its clock.
LATER = NOW + 60_000

pytestmark = pytest.mark.usefixtures("world")


def paint(name: str, colour: str | None, **members: Any) -> Draft:  # noqa: ANN401
    """Want a thing to have a colour, whatever a rule had decided, and why."""
    draft = painting(name, colour, **members)
    return draft._replace(content={**draft.content, **dict.fromkeys(WHY)}, needs_if_match=is_of_a_person)


def white(history: History) -> Iterable[Decision]:
    """Decide that a thing is white, in the very row that a person would have written."""
    name = history.anchor.partition_key
    draft = painting(name, "white", actor=RULE, now_ms=history.anchor.timestamp_ms)
    draft = draft._replace(content={**draft.content, BY: RULE})
    row = {**revision_of(draft, expected_by(draft.command)), **draft.attributes}
    yield Decision(key={"pk": name, "sk": "-"}, row=row, triggers=(history.anchor,))


WHITE = Rule(
    id="white",
    on=frozenset({("workshop", "thing-weighed")}),
    key=lambda event: event.partition_key,
    window_ms=1,
    timing=AtOnce(),
    expression=white,
    emits=frozenset({"thing-painted"}),
)
CONTROL = Control(
    table=TABLE, rules=Rules(source="keeper", types=frozenset({"thing-painted"}), all=(WHITE,)), ttl_days=10
)


def by_rule(name: str, *, at: int = NOW) -> str:
    event = happened("weighed", name, at=at, id=f"weighing of {name}")
    key = f"Events#{name}"
    sort = sort_of(at, event.id)
    anchor = StoredEvent(source="workshop", event=event, arrived_ms=at, key=key, sort=sort, ttl=2 * NOW)
    TABLE.put(anchor.row(KEYS), condition=UNCONDITIONAL)
    (verdict,) = decide_at(anchor, [WHITE], control=CONTROL, now_ms=NOW)
    return verdict


def by_person(name: str, colour: str, **members: Any) -> Saved[Any]:  # noqa: ANN401
    return save(current_only(name), paint(name, colour, **members))


def thing(world: World, name: str) -> Item:
    row = world.thing(name)
    assert row is not None
    return row


def told(saved: Saved[Any]) -> tuple[bool, Mapping[str, Any]]:
    return saved.created, {name: saved.row.get(name) for name in ("colour", "version", "timestamp", "changedBy", *WHY)}


def test_a_rule_writes_the_first_version_of_the_row_that_a_person_would_have_written(world: World, name: str) -> None:
    assert by_rule(name) == Verdict.DECIDED

    row = thing(world, name)
    assert (row["colour"], row["version"], row["since"], row["changedBy"]) == ("white", 1, 1, "rule")
    assert (row["by"], row["rule"]) == ("rule", "white")
    assert row["triggers"] == [{"id": f"weighing of {name}", "type": "thing-weighed", "timestamp": NOW}]


def test_a_person_changes_what_a_rule_decided_without_knowing_its_version(world: World, name: str) -> None:
    by_rule(name)

    saved = by_person(name, "red", now_ms=NOW + 5)

    assert told(saved) == (
        False,
        {"colour": "red", "version": 2, "timestamp": NOW + 5, "changedBy": "somebody", **dict.fromkeys(WHY)},
    )
    row = thing(world, name)
    assert (row["colour"], row["version"], row["since"]) == ("red", 2, 1)
    assert not set(WHY) & row.keys()


def test_the_retry_of_that_person_answers_as_the_first_time_did_and_changes_nothing(world: World, name: str) -> None:
    by_rule(name)
    first = told(by_person(name, "red", now_ms=NOW + 5))
    world.new_records(VARIABLE)

    assert told(by_person(name, "red", now_ms=LATER)) == first

    assert world.new_records(VARIABLE) == []


@pytest.mark.parametrize(("colour", "actor"), [("blue", "else"), ("red", "else"), ("blue", "somebody")])
def test_the_next_person_has_to_know_the_version(world: World, name: str, colour: str, actor: str) -> None:
    by_rule(name)
    by_person(name, "red")
    before = thing(world, name)

    with pytest.raises(PreconditionRequired) as refused:
        by_person(name, colour, actor=actor, now_ms=LATER)

    assert refused.value.status == 428
    assert thing(world, name) == before
    by_person(name, colour, actor=actor, if_match=2, now_ms=LATER)
    assert thing(world, name)["colour"] == colour


@pytest.mark.parametrize(("if_match", "is_changed"), [(2, False), (10**14, False), (1, True)])
def test_who_names_another_version_is_refused(world: World, name: str, if_match: int, *, is_changed: bool) -> None:
    by_rule(name)
    if is_changed:
        by_person(name, "red")
    before = thing(world, name)

    with pytest.raises(Stale):
        by_person(name, "blue", actor="else", if_match=if_match, now_ms=LATER)

    assert thing(world, name) == before


@pytest.mark.parametrize(("colour", "if_match"), [("red", 1), ("white", None)], ids=["by version", "the same again"])
def test_a_person_answers_for_what_he_says(world: World, name: str, colour: str, if_match: int | None) -> None:
    by_rule(name)

    saved = by_person(name, colour, if_match=if_match, now_ms=NOW + 5)

    assert (saved.created, saved.row["version"]) == (False, 2)
    row = thing(world, name)
    assert (row["colour"], row["version"], row["changedBy"]) == (colour, 2, "somebody")
    assert not set(WHY) & row.keys()


def test_a_rule_never_overwrites_what_a_person_said(world: World, name: str) -> None:
    by_person(name, "red")
    before = thing(world, name)
    world.new_records(VARIABLE)

    assert by_rule(name, at=NOW + 1) == Verdict.STANDS

    assert thing(world, name) == before
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in world.new_records(VARIABLE)] == [f"Events#{name}"]


def test_a_person_who_is_overtaken_by_the_rule_has_the_last_word(world: World, name: str, wire: Wire) -> None:
    wire.before("PutItem", lambda: by_rule(name))

    saved = by_person(name, "red", now_ms=NOW + 5)

    assert (saved.created, saved.row["version"]) == (False, 2)
    row = thing(world, name)
    assert (row["colour"], row["version"]) == ("red", 2)
    assert not set(WHY) & row.keys()
