"""Laws of each class of versioned things: members that may be left out, and those that were declared later.

One test for all: a thing is said by a declaration, then by one that gained members, over the rows that lie there.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count, permutations
from typing import Annotated, Any, Final, NamedTuple, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.change_data_capture import events_of
from andon.events.domain_event import DomainEvent
from andon.events.read_as import read_as
from andon.runtime.errors import Conflict, Stale
from andon.runtime.marks import Gained, ResourceEntity, optional_of
from andon.sync.mapped_crossing import resource_crossing
from andon.testing.examples import ON_TABLES
from andon.testing.world import World
from andon.versions.bitemporal import Asked
from andon.versions.current_resource import CurrentResource
from andon.versions.declared import Declared, facts_of, kept
from andon.versions.from_stream import keep_revisions
from andon.versions.numbered_resource import FromStream, NumberedResource
from andon.versions.optimistic_lock import Command, Draft, Saved, fingerprint_of
from andon.versions.owned import grants_of, tables_of
from andon.versions.resource import HISTORY, HISTORY_SCHEMA, Resource
from andon.versions.sequential_history import save as save_in_sequence
from andon.versions.versioned_write import Versions, save
from toys.clock import NOW

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLE: Final = Table("SIGNS_TABLE", KEYS)
PAST: Final = Table("SIGNS_HISTORY_TABLE", HISTORY)
OURS: Final = frozenset({"title", "maker", "frame"})


class Plain(TypedDict):
    """A sign, as it was declared first."""

    title: str


class Sign(Plain):
    """A sign, as it is declared now."""

    maker: NotRequired[str]
    frame: Annotated[str, Gained("none")]


class Strict(Plain):
    """A sign with a member that rows of before lack, and nothing that stands for it."""

    frame: str


class Renamed(TypedDict):
    """A sign whose title is called otherwise now."""

    caption: Annotated[str, Gained("unknown", formerly="title")]


class SignEntity(Sign, ResourceEntity):
    """Its entity."""


def _resource(content: type, **more: Any) -> Declared[Any, Any]:  # noqa: ANN401  see `Resource`
    return Resource(**_said(content), **more, table=TABLE, history=PAST, partition_of="Sign#{}".format, sort=("now",))


def _numbered(content: type) -> Declared[Any, Any]:
    return NumberedResource(**_said(content), table=TABLE, partition_of="Sign#{}".format, name="Sign", fact="said")


def _from_stream(content: type) -> Declared[Any, Any]:
    return FromStream(**_said(content), table=TABLE, partition_of="Sign#{}".format, name="Sign", fact="said")


def _current(content: type) -> Declared[Any, Any]:
    return CurrentResource(**_said(content), table=TABLE, key_of=lambda sign: KEYS.of(sign, "now"), fact="said")


def _said(content: type) -> Any:  # noqa: ANN401  see `Declaration`
    return {"service": "signs", "kind": "sign", "content": content, "entity": SignEntity, "missing": "No such sign."}


Made = Callable[[type], Declared[Any, Any]]

CLASSES: Final = {"two tables": _resource, "numbered": _numbered, "from the stream": _from_stream, "current": _current}

every_class = pytest.mark.parametrize("of", CLASSES.values(), ids=CLASSES)

_numbers = count(1)


class Signs(World):
    """The tables of signs, and a trigger that keeps revisions and publishes."""

    def __init__(self) -> None:
        super().__init__({TABLE.variable: TableSchema(KEYS, stream=True), PAST.variable: HISTORY_SCHEMA})

    def published(self, by: Declared[Any, Any]) -> list[DomainEvent]:
        """Return the events of what was written since the last call; revisions from the stream are kept."""
        records: list[Any] = self.new_records(TABLE.variable)
        if isinstance(by, FromStream):
            keep_revisions(records, kept(by), source="signs")
        return [*events_of(records, facts=facts_of("signs", by), tags={}).values()]


@pytest.fixture(scope="module")
def signs() -> Iterator[Signs]:
    with Signs() as signs:
        yield signs


@pytest.fixture
def sign(signs: Signs) -> str:
    name = f"sign-{next(_numbers)}"
    signs.new_records(TABLE.variable)
    return name


def say(by: Declared[Any, Any], sign: str, said: Mapping[str, Any], *, if_match: int | None = None) -> Saved[Any]:
    return by.save(sign, said, _command(["PUT", sign, said], if_match))


def _command(what: object, if_match: int | None) -> Command:
    fingerprint = fingerprint_of(route="", path={}, if_match=if_match, body=what, actor="ann")
    return Command("ann", NOW + next(_numbers), if_match, fingerprint)


def own(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in OURS if name in row}


class Step(NamedTuple):
    """A request. frame: None: by the declaration of before."""

    title: str
    maker: str | None
    frame: str | None

    @property
    def content(self) -> type:
        return Plain if self.frame is None else Sign

    @property
    def said(self) -> dict[str, str]:
        members = {"title": self.title, "maker": self.maker if self.frame else None, "frame": self.frame}
        return {name: value for name, value in members.items() if value is not None}


TITLES, MAKERS, FRAMES = st.sampled_from("ab"), st.none() | st.sampled_from("xy"), st.sampled_from(["none", "oak"])
BEFORE = st.builds(Step, TITLES, st.none(), st.none())
NOWADAYS = st.builds(Step, TITLES, MAKERS, FRAMES)


@every_class
@given(old=st.lists(BEFORE, max_size=3), new=st.lists(NOWADAYS, min_size=1, max_size=5))
@ON_TABLES
def test_each_version_says_what_its_request_said_and_nothing_of_the_ones_before(
    of: Made, signs: Signs, old: list[Step], new: list[Step]
) -> None:
    sign, by, versions = f"sign-{next(_numbers)}", of(Sign), list[dict[str, Any]]()
    signs.new_records(TABLE.variable)
    for step in [*old, *new]:
        row = say(of(step.content), sign, step.said, if_match=len(versions) or None).row
        if not versions or versions[-1] != step.said:
            versions.append(step.said)
        assert (own(row), row["version"]) == (step.said, len(versions))
        assert own(by.get(sign)) == step.said

    whole = [{"frame": "none", **said} for said in versions]
    events = signs.published(by)
    assert [own(event.entities["sign"]) for event in events] == whole
    assert own(by.to_response(by.get(sign))) == whole[-1]
    if by.design != "CURRENT_ONLY":
        assert [own(by.get_version(sign, number + 1)) for number in range(len(versions))] == versions


@every_class
def test_a_request_that_is_sent_again_after_a_member_was_gained_is_answered_as_the_first_time(
    of: Made, signs: Signs, sign: str
) -> None:
    command = _command(["PUT", sign], None)
    first = of(Plain).save(sign, {"title": "sea"}, command)
    signs.published(of(Plain))
    again = of(Sign).save(sign, {"title": "sea", "frame": "none"}, command)

    assert of(Sign).to_response(again.row) == of(Sign).to_response(first.row)
    assert again.created
    assert signs.published(of(Sign)) == []
    with pytest.raises(Stale):  # it gained a member, which is a change
        of(Sign).save(sign, {"title": "sea", "frame": "none"}, _command(["PUT", sign, "else"], 7))


@every_class
def test_a_member_with_another_name_is_read_under_the_one_of_before(of: Made, signs: Signs, sign: str) -> None:
    say(of(Plain), sign, {"title": "sea"})
    [before] = signs.published(of(Plain))
    by, captions = of(Renamed), ("caption", "title")
    read = [
        by.to_response(by.get(sign)),
        by.content_of(before.entities["sign"]),
        read_as(Renamed)(before.entity("sign")),
    ]
    assert [[said.get(name) for name in captions] for said in read] == [["sea", None]] * 3

    row = say(by, sign, {"caption": "lake"}, if_match=1).row
    [after] = signs.published(by)
    assert [[said.get(name) for name in captions] for said in (row, by.get(sign), after.entities["sign"])] == (
        [["lake", None]] * 3
    )
    if by.design != "CURRENT_ONLY":
        assert by.to_response(by.get_version(sign, 1))["caption"] == "sea"


@every_class
def test_a_row_that_lacks_what_nothing_stands_for_is_a_mistake_of_the_declaration(of: Made, sign: str) -> None:
    say(of(Plain), sign, {"title": "sea"})

    with pytest.raises(KeyError, match="frame"):
        of(Strict).to_response(of(Strict).get(sign))


@pytest.mark.parametrize("of", [_resource, _numbered, _from_stream])
def test_the_revision_of_a_row_of_before_is_kept_again_as_it_was(of: Made, signs: Signs, sign: str) -> None:
    old, new = of(Plain), of(Sign)
    say(old, sign, {"title": "sea"})
    signs.published(old)
    [key] = [{name: row[name] for name in table.keys.names} for table, row in [new.kept_revision(_stored(new, sign))]]
    stored = new.kept_revision(_stored(new, sign))[0].get(key)

    assert new.kept_revision(_stored(new, sign))[1] == stored
    assert own(stored or {}) == {"title": "sea"}


def _stored(by: Declared[Any, Any], sign: str) -> Item:
    place = by.versions_of(sign)
    found = place.table.get(place.key)
    assert found is not None
    return found


DESIGNS: Final = {**{name: (of, save) for name, of in CLASSES.items()}, "sequential": (_resource, save_in_sequence)}


@pytest.mark.parametrize(("of", "write"), DESIGNS.values(), ids=DESIGNS)
@given(
    said=NOWADAYS, repeated=st.sampled_from([OURS, frozenset[str]()]), kept=st.frozensets(st.sampled_from(sorted(OURS)))
)
@ON_TABLES
def test_a_deletion_leaves_what_is_kept_and_nothing_else(
    of: Made,
    write: Callable[[Versions[Any], Draft], Saved[Any]],
    said: Step,
    repeated: frozenset[str],
    kept: frozenset[str],
) -> None:
    """It repeats the content that stands there, or says none."""
    sign, by = f"sign-{next(_numbers)}", of(Sign)
    place, mark = by.versions_of(sign), by.mark_of(sign)
    write(place, Draft(said.said, mark, _command(["PUT", sign], None)))
    content = {name: value for name, value in said.said.items() if name in repeated}
    gone = write(place, Draft(content, mark, _command("gone", 1), deleted=True, kept=kept, repeats=True)).row

    left = {name: value for name, value in content.items() if name in kept}
    stands = _stored(by, sign)
    assert (own(gone), own(stands), stands["deleted"]) == (left, left, True)
    if place.revisions is not None:
        assert own(place.revision(2) or {}) == left


@given(said=NOWADAYS, kept=st.frozensets(st.sampled_from(sorted(OURS))))
@ON_TABLES
def test_the_end_of_a_resource_says_what_its_kind_names_as_kept(signs: Signs, said: Step, kept: frozenset[str]) -> None:
    sign, by = f"sign-{next(_numbers)}", _resource(Sign, kept=tuple(kept))
    assert isinstance(by, Resource)
    signs.new_records(TABLE.variable)
    say(by, sign, said.said)
    by.delete(sign, _command("gone", 1))
    say(by, sign, said.said)  # it begins again, upon what is left

    left = {name: value for name, value in said.said.items() if name in kept}
    created, deleted, undeleted = (own(event.entities["sign"]) for event in signs.published(by))
    assert (deleted, own(by.get_version(sign, 2))) == (left, left)
    assert created == undeleted == own(by.to_response(by.get(sign)))
    assert optional_of(by.entity_in("sign-deleted")) >= OURS - kept
    assert optional_of(by.entity_in("sign-created")) == optional_of(SignEntity)


def test_a_tombstone_keeps_members_alone() -> None:
    with pytest.raises(ValueError, match="a tombstone keeps members alone, not name"):
        _resource(Sign, kept=("name",))


def test_a_rollback_and_a_look_back_say_what_was_said_then(signs: Signs, sign: str) -> None:
    old, new = _resource(Plain), _resource(Sign)
    assert isinstance(new, Resource)
    since = say(old, sign, {"title": "sea"}).row["timestamp"]
    say(new, sign, {"title": "sea", "maker": "Ida", "frame": "oak"}, if_match=1)
    new.roll_back(sign, 1, _command("back", 2))
    new.roll_back(sign, 2, _command("forth", 3))
    new.delete(sign, _command("gone", 4))

    first, oak = {"title": "sea", "frame": "none"}, {"title": "sea", "maker": "Ida", "frame": "oak"}
    events = signs.published(new)
    assert [own(event.entities["sign"]) for event in events] == [first, oak, first, oak, {}]
    assert own(new.to_response(new.get(sign, Asked(since, since)))) == first


def test_an_old_event_that_crosses_lacks_nothing(signs: Signs, sign: str) -> None:
    old, new = _resource(Plain), _resource(Sign)
    assert isinstance(new, Resource)
    say(old, sign, {"title": "sea"})
    [event] = signs.published(old)
    crossing = resource_crossing(
        new, own="signs", theirs="others", entity_in=lambda told: told.entities["sign"], from_theirs=lambda it, _: it
    )

    edited = crossing.from_theirs(event, None)

    assert {name: value for name, value in edited.content.items() if value is not None} == {
        "title": "sea",
        "frame": "none",
    }


def _claiming() -> Declared[Any, Any]:
    unique = {"title": lambda title: KEYS.of(f"Title#{title}", "now")}
    return CurrentResource(
        **_said(Plain), table=TABLE, key_of=lambda sign: KEYS.of(sign, "now"), fact="said", unique=unique
    )


def test_a_unique_member_of_a_current_row_is_let_go_by_a_change(signs: Signs) -> None:
    of, first, other = _claiming(), f"first {next(_numbers)}", f"other {next(_numbers)}"
    command = Command("somebody", NOW, None, "")
    of.save(first, {"title": first}, command)
    with pytest.raises(Conflict, match=r"Another sign has this title\."):
        of.save(other, {"title": first}, command)
    of.save(first, {"title": other}, command._replace(if_match=1, fingerprint="change"))

    assert of.save(other, {"title": first}, command).row["title"] == first
    assert len(signs.published(of)) == 3, "a claim is no fact"


@pytest.mark.parametrize("order", [*permutations([_resource(Plain), _numbered(Plain), _claiming()])])
def test_kinds_that_share_a_table_may_each_do_in_it_what_they_do_in_one_of_their_own(
    order: tuple[Declared[Any, Any], ...],
) -> None:
    granted = grants_of(*order)["command"]

    assert tables_of(*order)[TABLE.variable].expires
    assert {"ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"} == {
        *granted["SIGNS_TABLE"]
    }
    assert grants_of(_current(Plain), _numbered(Plain)) == {}, "the infrastructure decides"
