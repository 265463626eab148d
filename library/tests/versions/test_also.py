"""What is written beside a save is written with it or not at all, wherever it breaks and however often it comes."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Check, Put
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.runtime.errors import Conflict, NotFound, Rejected, Stale
from andon.testing.crash_points import (
    AFTER,
    BEFORE,
    INTERRUPTIONS,
    Breaking,
    Interruption,
    broken_at_every_call,
    intruding,
)
from andon.testing.memory.aws import OneTable
from andon.testing.memory.meter import Meter
from andon.testing.wire import Wire
from andon.versions import sequential_history
from andon.versions.also import MOST_WRITES, Also
from andon.versions.claims import OWNER, Claim
from andon.versions.optimistic_lock import Draft, Saved
from andon.versions.versioned_write import Versions, change, save
from toys.clock import NOW
from toys.things import KEYS, TABLE, VARIABLE, current_only, painting, with_history

Kept = Callable[[str], Versions[Any]]


@pytest.fixture(name="memory")
def memory_of_test() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory:
        yield memory


@pytest.fixture(params=[current_only, with_history], ids=["current only", "with history"])
def kept(request: pytest.FixtureRequest) -> Kept:
    kept: Kept = request.param
    return kept


def claim(colour: str, owner: str) -> Claim:
    """The only thing of a colour."""
    return Claim(TABLE, {"pk": f"Colour#{colour}", "sk": "-"}, owner)


def colour_of(version: Attributes) -> dict[str, Claim]:
    return {"colour": claim(version["colour"], version["name"])}


def coat(name: str, colour: str, *, if_match: int | None = None, actor: str = "Liz") -> Draft:
    """Want a colour that nothing else has."""
    draft = painting(name, colour, if_match=if_match, now_ms=NOW + (if_match or 0), actor=actor)
    return draft._replace(attributes={**draft.attributes, "name": name}, claims=colour_of)


def owners(memory: OneTable) -> dict[str, str]:
    """Return who has each colour, by the claims."""
    claims = (row for row in memory.rows() if row["pk"].startswith("Colour#"))
    return {row["pk"].removeprefix("Colour#"): row[OWNER] for row in claims}


def coats(memory: OneTable) -> dict[str, str]:
    """Return who has each colour, by the things themselves."""
    things = (row for row in memory.rows() if row.get("kind") == "thing" and not row.get("deleted"))
    return {row["colour"]: row["pk"] for row in things}


def answer(kept: Kept, name: str, draft: Draft) -> Saved[Any] | Rejected:
    try:
        return save(kept(name), draft)
    except Rejected as error:
        return error


def told(answered: Saved[Any] | Rejected) -> object:
    """Return what the client gets."""
    if isinstance(answered, Rejected):
        return str(answered)
    return answered.created, answered.row["version"], answered.row["timestamp"], answered.row["colour"]


def test_a_name_is_taken_with_the_save_and_moves_with_it(memory: OneTable, kept: Kept) -> None:
    save(kept("saw"), coat("saw", "red"))
    assert owners(memory) == coats(memory) == {"red": "saw"}

    save(kept("saw"), coat("saw", "blue", if_match=1))
    assert owners(memory) == coats(memory) == {"blue": "saw"}


def test_what_somebody_else_has_is_a_409_with_its_name_and_nothing_is_written(memory: OneTable, kept: Kept) -> None:
    save(kept("saw"), coat("saw", "red"))
    save(kept("axe"), coat("axe", "blue"))
    before = memory.rows()

    for name, draft in (("axe", coat("axe", "red", if_match=1)), ("awl", coat("awl", "red"))):
        refused = answer(kept, name, draft)
        assert isinstance(refused, Conflict)
        assert str(refused) == "Another one has this colour."
    assert memory.rows() == before


def test_its_own_name_may_be_claimed_again(memory: OneTable, kept: Kept) -> None:
    save(kept("saw"), coat("saw", "red"))

    for if_match, colour in ((1, "red"), (1, "red")):
        assert isinstance(answer(kept, "saw", coat("saw", colour, if_match=if_match, actor="Bob")), Saved)
    assert owners(memory) == {"red": "saw"}


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
@pytest.mark.parametrize("if_match", [None, 1], ids=["create", "change"])
def test_wherever_it_is_broken_a_retry_answers_as_the_first_time_would_have(
    kept: Kept, interruption: Interruption, if_match: int | None
) -> None:
    draft = coat("saw", "red", if_match=if_match)

    def run(breaking: Breaking) -> tuple[Saved[Any] | Rejected, dict[str, str], dict[str, str]]:
        with OneTable(VARIABLE, KEYS) as memory:
            if if_match:
                save(kept("saw"), coat("saw", "blue"))
            answers = list[Any]()
            breaking.insist(lambda: answers.append(answer(kept, "saw", draft)))
            answers.append(answer(kept, "saw", draft))  # and once more
            assert told(answers[0]) == told(answers[-1])
            return answers[-1], owners(memory), coats(memory)

    broken = [result for _, result in broken_at_every_call(interruption, run)]

    assert broken
    for saved, claimed, coated in broken:
        assert isinstance(saved, Saved)
        assert (saved.created, saved.row["version"]) == (if_match is None, (if_match or 0) + 1)
        assert claimed == coated == {"red": "saw"}


def test_a_retry_is_known_although_dynamodb_tells_of_its_claims_alone(memory: OneTable, kept: Kept, wire: Wire) -> None:
    """AWS promises a reason for each write, and not that it looked at all of them."""
    only = Also(Put(TABLE, {"pk": "Colour#red", "sk": "-", "owner": "saw"}, TABLE.absent))
    draft = painting("saw", "red")._replace(also={"red": only})
    first = save(kept("saw"), draft)
    reasons = ["None"] * (2 if kept is with_history else 1)
    wire.cancel([*reasons, "ConditionalCheckFailed"], times=1)

    again = save(kept("saw"), draft)

    assert (again.created, again.row["version"], again.row["fingerprint"]) == (True, 1, first.row["fingerprint"])
    assert owners(memory) == {"red": "saw"}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_of_two_who_want_one_name_one_gets_it_whoever_comes_between(kept: Kept, number: int) -> None:
    with OneTable(VARIABLE, KEYS) as memory:
        with intruding(number, lambda: answer(kept, "axe", coat("axe", "red"))):
            mine = answer(kept, "saw", coat("saw", "red"))
        theirs = answer(kept, "axe", coat("axe", "red"))

        assert [type(one) for one in (mine, theirs) if isinstance(one, Rejected)] == [Conflict]
        assert owners(memory) == coats(memory)
        assert len(owners(memory)) == 1


def test_who_is_stale_is_told_so_and_not_that_a_name_is_taken(memory: OneTable, kept: Kept) -> None:
    save(kept("saw"), coat("saw", "red"))
    save(kept("saw"), coat("saw", "blue", if_match=1))
    save(kept("axe"), coat("axe", "red"))

    assert isinstance(answer(kept, "saw", coat("saw", "red", if_match=1, actor="Bob")), Stale)
    assert owners(memory) == coats(memory) == {"blue": "saw", "red": "axe"}


def test_a_change_that_changes_nothing_needs_nothing_else(memory: OneTable, kept: Kept) -> None:
    save(kept("saw"), coat("saw", "red")._replace(claims=None))
    save(kept("axe"), coat("axe", "red"))

    saved = save(kept("saw"), coat("saw", "red", if_match=1))

    assert (saved.created, saved.row["version"]) == (False, 1)
    assert owners(memory) == {"red": "axe"}


def test_what_is_decided_upon_the_row_releases_its_name(memory: OneTable) -> None:
    versions = with_history("saw")
    save(versions, coat("saw", "red"))
    command = painting("saw", "red", if_match=1, now_ms=NOW + 9, actor="Liz").command

    def gone(row: Item) -> Draft:
        said, mark = {"colour": row["colour"]}, {"kind": "thing", "name": "saw"}
        return Draft(said, mark, command, deleted=True, repeats=True, claims=colour_of)

    for _ in range(2):  # and a retry
        assert change(versions, command, gone).row["version"] == 2
    assert owners(memory) == coats(memory) == {}
    assert isinstance(answer(with_history, "axe", coat("axe", "red")), Saved)


def test_a_check_beside_it_says_what_it_wants_to_say(memory: OneTable, kept: Kept) -> None:
    check = Check(TABLE, {"pk": "shed", "sk": "-"}, TABLE.absent._replace(expression="attribute_exists(#key)"))
    draft = painting("saw", "red")._replace(also={"shed": Also(check, NotFound("There is no shed."))})

    assert str(answer(kept, "saw", draft)) == "There is no shed."
    assert memory.rows() == []
    TABLE.put({"pk": "shed", "sk": "-"}, condition=UNCONDITIONAL)
    assert isinstance(answer(kept, "saw", draft), Saved)


@pytest.mark.parametrize(("versions", "beside"), [(current_only("saw"), 1), (with_history("saw"), 2)])
def test_as_many_are_written_as_a_transaction_takes_and_one_more_is_refused(
    memory: OneTable, versions: Versions[Any], beside: int
) -> None:
    def with_claims(number: int) -> Draft:
        also = {f"part {one}": claim(f"part {one}", "saw").taken("colour") for one in range(number)}
        return painting("saw", "red")._replace(also=also)

    with pytest.raises(ValueError, match=rf"{MOST_WRITES + 1}; a transaction takes {MOST_WRITES}"):
        save(versions, with_claims(MOST_WRITES - beside + 1))
    assert memory.rows() == []
    save(versions, with_claims(MOST_WRITES - beside))
    assert len(memory.rows()) == MOST_WRITES


def test_two_writes_of_one_row_are_refused_by_their_names(memory: OneTable) -> None:
    twins = {"one": claim("red", "saw").taken("one"), "other": claim("red", "saw").released()}
    itself = {"itself": Also(Put(TABLE, {"pk": "saw", "sk": "-"}, TABLE.absent))}

    for also, names in ((twins, "'other' and 'one'"), (itself, "'itself' and 'current'")):
        with pytest.raises(ValueError, match=names):
            save(current_only("saw"), painting("saw", "red")._replace(also=also))
    assert memory.rows() == []


def test_without_a_transaction_it_is_refused(memory: OneTable) -> None:
    also = painting("saw", "red")._replace(also={"shed": claim("red", "saw").taken("shed")})
    for draft, why in ((also, "what is written also: shed"), (coat("saw", "red"), "claims")):
        with pytest.raises(ValueError, match=f"no transaction for {why}"):
            sequential_history.save(with_history("saw"), draft)
    assert memory.rows() == []


def test_it_costs_two_units_a_row_and_to_let_go_a_read(memory: OneTable, kept: Kept, wire: Wire) -> None:
    for draft, rows, reads in ((coat("saw", "red"), 2, []), (coat("saw", "blue", if_match=1), 3, ["GetItem"])):
        memory.table.observer = meter = Meter()
        wire.requests.clear()
        save(kept("saw"), draft)

        assert wire.operations == [*reads, "TransactWriteItems"]
        assert meter.used.write_units == 2 * (rows + (kept is with_history))


def test_a_refusal_costs_a_read_more(memory: OneTable, kept: Kept, wire: Wire) -> None:
    for name, colour in (("saw", "red"), ("axe", "blue")):
        save(kept(name), coat(name, colour))
    memory.table.observer = meter = Meter()
    wire.requests.clear()

    assert isinstance(answer(kept, "axe", coat("axe", "red", if_match=1)), Conflict)

    assert wire.operations == ["GetItem", "TransactWriteItems", "GetItem"]
    assert (meter.used.write_units, meter.used.reads) == (1, 2)


# --- any sequence of commands


COLOURS: Final = ("red", "blue", "green")
THINGS: Final = ("saw", "axe")
commands = st.tuples(st.sampled_from(THINGS), st.sampled_from(COLOURS), st.sampled_from(["none", BEFORE, AFTER]))


@given(st.lists(commands, max_size=12), st.sampled_from([current_only, with_history]))
def test_after_any_commands_crashes_and_retries_each_name_is_whose_row_has_it(
    sequence: list[tuple[str, str, str]], kept: Kept
) -> None:
    with OneTable(VARIABLE, KEYS) as memory:
        for name, colour, when in sequence:
            row = kept(name).current()
            draft = coat(name, colour, if_match=row["version"] if row else None)
            breaking = Breaking(Interruption(when, killed=True), 1) if when != "none" else Breaking.nothing()
            breaking.interrupt(lambda name=name, draft=draft: answer(kept, name, draft))  # type: ignore[misc]
            free = owners(memory).get(colour, name) == name

            answered = answer(kept, name, draft)

            assert isinstance(answered, Saved) == free
            assert owners(memory) == coats(memory)
