"""No claim is left that nothing has, whoever writes in between; what could leave one is refused by name."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import Attributes
from andon.runtime.errors import NotFound, Rejected, Stale
from andon.testing.crash_points import intruding
from andon.testing.memory.aws import OneTable
from andon.versions.claims import OWNER, Claim
from andon.versions.optimistic_lock import Draft
from andon.versions.versioned_write import Versions, change, save
from toys.clock import NOW
from toys.things import KEYS, TABLE, VARIABLE, current_only, painting, with_history

Kept = Callable[[str], Versions[Any]]
COLOURS: Final = ("red", "blue", "green")
RED: Final = Claim(TABLE, {"pk": "Colour#red", "sk": "-"}, "saw")


@pytest.fixture(name="memory")
def memory_of_test() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory:
        yield memory


def claims_of(version: Attributes) -> dict[str, Claim]:
    """The only thing of a colour."""
    key = {"pk": f"Colour#{version['colour']}", "sk": "-"}
    return {"colour": Claim(TABLE, key, version["name"], NotFound("It is taken."))}


def coat(name: str, colour: str, if_match: int | None = None, actor: str = "Liz") -> Draft:
    draft = painting(name, colour, if_match=if_match, now_ms=NOW + (if_match or 0), actor=actor)
    return draft._replace(attributes={**draft.attributes, "name": name}, claims=claims_of)


def owners(memory: OneTable) -> dict[str, str]:
    claims = (row for row in memory.rows() if row["pk"].startswith("Colour#"))
    return {row["pk"].removeprefix("Colour#"): row[OWNER] for row in claims}


def coats(memory: OneTable) -> dict[str, str]:
    things = (row for row in memory.rows() if row.get("kind") == "thing" and not row.get("deleted"))
    return {row["colour"]: row["name"] for row in things}


class Edit(NamedTuple):
    """What somebody does: a thing gets a colour, or is deleted (None); off: from its version, None: it begins."""

    name: str
    colour: str | None
    off: int | None

    def by(self, actor: str, kept: Kept) -> Callable[[], None]:
        """Return the doing of it, for the version that is there now."""
        versions = kept(self.name)
        there = (versions.current() or {"version": 0})["version"]
        draft = coat(self.name, self.colour or "red", None if self.off is None else there + self.off, actor)

        def do() -> None:
            with suppress(Rejected):
                if self.colour:
                    save(versions, draft)
                else:
                    change(versions, draft.command, lambda _: draft._replace(deleted=True, repeats=True))

        return do


names = st.sampled_from(["saw", "saw", "saw", "axe"])
edits = st.builds(Edit, names, st.sampled_from([None, *COLOURS]), st.sampled_from([None, 0, 0, 0, 1]))


@given(
    st.lists(edits, max_size=3),
    edits,
    st.lists(edits, min_size=1, max_size=3),
    st.sampled_from([1, 2, 2, 3]),
    st.sampled_from([current_only, with_history]),
)
def test_claims_are_those_of_living_things_whoever_writes_in_between(
    before: list[Edit], own: Edit, others: list[Edit], number: int, kept: Kept
) -> None:
    with OneTable(VARIABLE, KEYS) as memory:
        for edit in (Edit("saw", "red", None), *before):
            edit.by("Ann", kept)()
        mine = own.by("Liz", kept)
        with intruding(number, lambda: [edit.by("Bob", kept)() for edit in others]):
            mine()

        assert owners(memory) == coats(memory)


def test_who_is_refused_is_told_what_the_claim_says(memory: OneTable) -> None:
    save(current_only("saw"), coat("saw", "red"))

    with pytest.raises(NotFound, match=r"It is taken\."):
        save(current_only("axe"), coat("axe", "red"))
    assert owners(memory) == coats(memory) == {"red": "saw"}


def test_a_change_whose_response_was_lost_is_answered_as_the_first_time(memory: OneTable) -> None:
    """Also where no revision is kept, by the current row, and not behind a later change."""
    save(current_only("saw"), coat("saw", "red"))
    green, blue = coat("saw", "green", 1), coat("saw", "blue", 2)
    first = change(current_only("saw"), green.command, lambda _: green)

    assert change(current_only("saw"), green.command, lambda _: green).row["version"] == first.row["version"] == 2
    change(current_only("saw"), blue.command, lambda _: blue)
    with pytest.raises(Stale):
        change(current_only("saw"), green.command, lambda _: green)
    assert owners(memory) == coats(memory) == {"blue": "saw"}


@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        ({"needs_if_match": lambda _: False}, "claims: colour: who may replace a living row without If-Match"),
        ({"attributes": {"kind": "thing", "name": "saw", "ttl": 9}}, "claims: colour: the row expires"),
        ({"also": {"colour": RED.taken("colour")}}, "also: colour is the name of a claim, too"),
    ],
)
def test_what_could_leave_a_claim_is_refused_by_its_name(memory: OneTable, unfit: dict[str, Any], why: str) -> None:
    save(current_only("saw"), coat("saw", "red"))
    begun, changed = (coat("saw", "red", if_match)._replace(**unfit) for if_match in (None, 1))

    with pytest.raises(ValueError, match=why):
        save(current_only("axe"), begun)
    with pytest.raises(ValueError, match=why):
        change(current_only("saw"), changed.command, lambda _: changed)
    assert owners(memory) == coats(memory) == {"red": "saw"}
