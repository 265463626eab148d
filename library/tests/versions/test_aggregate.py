"""Declared versioning: each contradiction is named by both sides, and no declaration passes for another design."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

import pytest

from andon.dynamodb.client import Put, Table, transact
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.fact import Change, Facts, fact_of_row
from andon.testing.memory.aws import AwsInMemory
from andon.testing.permissions import recorded
from andon.testing.versioning import made_by, mistaken, mistaken_row, overfull, published_fence, unfixed
from andon.versions import numbered_versions, sequential_history, versioned_write
from andon.versions.aggregate import (
    COUNTER,
    CURRENT_ONLY,
    DECISION,
    DESIGNS,
    FROM_STREAM,
    NUMBERED,
    SEQUENTIAL,
    TIME_BASED,
    TWO_TABLES,
    WRITTEN_ONCE,
    Aggregate,
    Design,
    Frequency,
    Identity,
    Speed,
    Tolerance,
    aggregates_of,
    contradictions,
)
from andon.versions.lifetime import Lifetime
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Draft
from toys.archive import BY_VERSION, CURRENT, HISTORY, KEYS, versions_of
from toys.clock import NOW
from toys.gallery import PICTURES
from toys.things import painting

BY_NAME: Final = Table("NAMED_TABLE", Keys("id", one_partition_per="entity"))
SCHEMAS: Final = {
    CURRENT.variable: TableSchema(KEYS),
    HISTORY.variable: TableSchema(BY_VERSION, expires=False),
    BY_NAME.variable: TableSchema(BY_NAME.keys),
}
DIGEST: Final = "0f" * 32
KIND: Final = "thing"


@pytest.fixture(scope="module")
def aws() -> Iterator[AwsInMemory]:
    with AwsInMemory(SCHEMAS) as aws:
        yield aws


def coat(if_match: int | None = None, **attributes: object) -> Draft:
    draft = painting("it", "red" if if_match is None else "green", if_match=if_match, now_ms=NOW + (if_match or 0))
    return draft._replace(attributes={"discriminator": KIND, **attributes})


def numbered(name: str) -> Numbered[Any]:
    return Numbered(CURRENT, name, "Thing#it", apart=True, attributes={"discriminator": "thing-revision"})


def put(sort: str, **attributes: object) -> None:
    CURRENT.put({"pk": "it", "sk": sort, "discriminator": KIND, **attributes}, condition=CURRENT.absent)


WRITES: Final[dict[Design, Callable[[int | None], object]]] = {
    TWO_TABLES: lambda version: versioned_write.save(versions_of("two"), coat(version)),
    SEQUENTIAL: lambda version: sequential_history.save(versions_of("sequential"), coat(version)),
    NUMBERED: lambda version: versioned_write.save(numbered_versions.versions_of(numbered("n")), coat(version)),
    COUNTER: lambda version: numbered_versions.count_up(
        numbered("counted"), {"colour": f"{version}", "discriminator": KIND}
    ),
    FROM_STREAM: lambda version: numbered_versions.save_current(numbered("derived"), coat(version)),
    TIME_BASED: lambda version: put(f"2026-11-21T09:35:0{version or 0}.000Z"),
    WRITTEN_ONCE: lambda version: put(f"of {version}"),
    CURRENT_ONLY: lambda version: versioned_write.save(versions_of("alone")._replace(revisions=None), coat(version)),
}
"""Design -> what a service does to write a thing by it: first, and upon a version."""


def declared(design: Design, **said: Any) -> Aggregate:  # noqa: ANN401  any field
    """Declare a design, and otherwise what it asks for."""
    once, times = design is WRITTEN_ONCE, design is TIME_BASED
    aggregate = Aggregate(
        design,
        Identity.TIME if times else Identity.GIVEN,
        revised=Frequency.NEVER if once else Frequency.SELDOM,
        read=Frequency.SELDOM,
        speed=Speed.SLOW,
        tolerates=design.leaves,
    )
    return aggregate._replace(**said)


def broken(aws: AwsInMemory, aggregate: Aggregate, write: Callable[[], object]) -> list[str]:
    """Return what a write shows otherwise than it is declared."""
    with recorded() as calls:
        write()
    return [why for made in made_by(calls, aws.schemas) for why in mistaken({KIND: aggregate}, made)]


def test_every_design_is_written_here() -> None:
    assert WRITES.keys() == set(DESIGNS)


@pytest.mark.parametrize("version", [None, 1], ids=["first", "upon a version"])
def test_what_is_written_by_a_design_passes_for_no_other(aws: AwsInMemory, version: int | None) -> None:
    for really, claimed in product(DESIGNS, DESIGNS):
        aws.clear()
        if version:
            WRITES[really](None)

        said = broken(aws, declared(claimed), lambda: WRITES[really](version))  # noqa: B023

        if really == claimed or (really, claimed) == (TIME_BASED, WRITTEN_ONCE):
            assert said == []
        elif (really, claimed) == (WRITTEN_ONCE, TIME_BASED):
            assert said == ["'thing' is declared with an id that is its time, but its key has no time"]
        else:
            title = WRITTEN_ONCE.title if really is TIME_BASED else really.title
            assert said == [f"'thing' is declared as {claimed.title!r}, but written as {title!r}"]


def test_what_has_no_condition_is_written_by_no_design(aws: AwsInMemory) -> None:
    anyhow = {"pk": "it", "sk": "-", "discriminator": KIND, "version": 1, "fingerprint": "f"}

    for design in DESIGNS:
        said = broken(aws, declared(design), lambda: CURRENT.put(anyhow, condition=Condition("")))
        assert said == [
            f"'thing' is declared as {design.title!r}, but written without the condition that each design has"
        ]
    unfenced = Condition("#version = :one AND #fence = :one", {"version": "version", "fence": "fence"}, {"one": 1})
    CURRENT.put(anyhow | {"fence": 1}, condition=Condition(""))
    said = broken(aws, declared(SEQUENTIAL), lambda: CURRENT.put(anyhow | {"fence": 1}, condition=unfenced))
    assert len(said) == 1, "the fence was not taken"


def test_what_nobody_declared_is_named_and_claims_need_no_declaration(aws: AwsInMemory) -> None:
    with recorded() as calls:
        put("a")
        put("b", discriminator="claim")

    said = [why for made in made_by(calls, aws.schemas) for why in mistaken({}, made)]

    assert said == ["rows of 'thing' are written, but not declared"]


def test_an_id_and_an_expiry_are_as_they_are_declared(aws: AwsInMemory) -> None:
    by_content = declared(WRITTEN_ONCE, identity=Identity.CONTENT)
    aws.clear()

    assert broken(aws, by_content, lambda: put("a photo")) == [
        "'thing' is declared with an id that is a digest of its content, but its key has no SHA-256"
    ]
    assert broken(aws, by_content, lambda: put(f"photo#{DIGEST}")) == []
    assert broken(aws, by_content._replace(expires=True), lambda: put(f"other#{DIGEST}")) == [
        "'thing' is declared with expires=True, but its row has no ttl"
    ]
    assert broken(aws, by_content, lambda: put(f"third#{DIGEST}", ttl=1)) == [
        "'thing' is declared with expires=False, but its row has a ttl"
    ]
    ending = by_content._replace(expires="endedAt")
    assert broken(aws, ending, lambda: put(f"open#{DIGEST}")) == []
    assert broken(aws, ending, lambda: put(f"ended#{DIGEST}", endedAt="now", ttl=1)) == []
    assert broken(aws, ending, lambda: put(f"fifth#{DIGEST}", endedAt="now")) == [
        "'thing' is declared with expires=endedAt, but its row has no ttl"
    ]
    assert broken(aws, ending, lambda: put(f"sixth#{DIGEST}", ttl=1)) == [
        "'thing' is declared with expires=endedAt, but its row has a ttl"
    ]
    living = declared(SEQUENTIAL, expires=True)
    lifetime = Lifetime(expires_at=NOW // 1000 + 99, open_until=NOW // 1000 + 9)
    assert broken(aws, living, lambda: sequential_history.save(versions_of("lives"), coat(), lifetime)) == []


def test_what_is_fixed_is_the_same_in_each_version(aws: AwsInMemory) -> None:
    with recorded() as calls:
        WRITES[CURRENT_ONLY](None)
        WRITES[CURRENT_ONLY](1)
    made = [*made_by(calls, aws.schemas)]

    said = "'thing' is declared with fixed colour, but a version says another one than those before it"
    assert [*unfixed({KIND: declared(CURRENT_ONLY, fixed=frozenset({"colour"}))}, made)] == [said]
    assert [*unfixed({KIND: declared(CURRENT_ONLY, fixed=frozenset({"pk", "discriminator"}))}, made)] == []
    assert [*unfixed({}, made)] == []


def test_a_row_of_a_sample_is_as_it_is_declared() -> None:
    once, revised = {"discriminator": KIND}, {"discriminator": KIND, "version": 1}

    for design, right, wrong in ((CURRENT_ONLY, revised, once), (WRITTEN_ONCE, once, revised)):
        aggregates = {KIND: declared(design)}
        assert [*mistaken_row(aggregates, "x.json", right)] == []
        assert [*mistaken_row(aggregates, "x.json", wrong)] != []
        assert [*mistaken_row(aggregates, "x.json", right | {"ttl": 1})] == [
            "'thing in x.json' is declared with expires=False, but its row has a ttl"
        ]


def test_what_a_tombstone_says_beside_its_key_and_its_version_is_to_be_declared() -> None:
    keys, of = Keys("pk", "sk", one_partition_per="entity"), declared(CURRENT_ONLY)
    said = {"version": 2, "timestamp": 1, "changedBy": "ann", "digest": "d", "ttl": 3, "deleted": True}
    row = {"pk": "Thing#it", "sk": "-", "id": "it", "discriminator": KIND, **said}

    assert [*overfull({KIND: of}, row, keys)] == []
    assert [*overfull({KIND: of._replace(kept=frozenset({"name"}))}, row | {"name": "Ann"}, keys)] == []
    [wrong] = overfull({KIND: of}, row | {"name": "Ann"}, keys)
    assert wrong.startswith("the tombstone of 'thing' says name: ")


def test_fast_data_is_written_alone(aws: AwsInMemory) -> None:
    rows = [Put(CURRENT, {"pk": name, "sk": "-", "discriminator": KIND}, CURRENT.absent) for name in ("one", "two")]
    once = declared(WRITTEN_ONCE)

    aws.clear()
    assert broken(aws, once, lambda: transact(dict(zip("ab", rows, strict=True)))) == []
    aws.clear()
    assert broken(aws, once._replace(speed=Speed.FAST), rows[0].alone) == []
    aws.clear()
    assert broken(aws, once._replace(speed=Speed.FAST), lambda: transact(dict(zip("ab", rows, strict=True)))) == [
        "'thing' is declared as fast data, but written in a transaction with other rows"
    ] * len(rows)


def test_a_fence_that_is_taken_is_no_fact() -> None:
    row = {"discriminator": KIND, "id": "it", "version": 2, "timestamp": NOW, "fence": 3, "changedBy": "somebody"}
    painted = fact_of_row("thing-painted", KIND, partition="id", entity_of=lambda row: {"id": row["id"]})
    aggregates = {KIND: declared(SEQUENTIAL)}
    careless, careful = (
        Facts("things", frozenset({"thing-painted"}), {KIND: meaning})
        for meaning in (painted, sequential_history.of_versions(painted))
    )

    assert [*published_fence(aggregates, careless, row)] == [
        "'thing': thing-painted is published of each fence that is taken. Say of_versions(…) in FACTS"
    ]
    assert [*published_fence(aggregates, careful, row)] == []
    assert [*published_fence({KIND: declared(TWO_TABLES)}, careless, row)] == []
    assert careful.fact_of(Change("MODIFY", {**row, "version": 1}, row)) == painted(Change("INSERT", None, row))


def test_what_each_design_asks_for_contradicts_nothing() -> None:
    for design in DESIGNS:
        assert [*contradictions(declared(design))] == []
    [[kind, of]] = aggregates_of(PICTURES).items()
    assert (kind, of.design, [*contradictions(of)]) == ("picture", TWO_TABLES, [])
    assert [*contradictions(DECISION)] == []


CONTRADICTING: Final = [
    (SEQUENTIAL, {"tolerates": Tolerance.NOTHING}, "tolerates none, but .* leaves an orphan"),
    (COUNTER, {"tolerates": Tolerance.NOTHING}, "tolerates none, but .* leaves gaps"),
    (FROM_STREAM, {"tolerates": Tolerance.GAPS}, "tolerates gaps, but .* leaves the history is a moment late"),
    (TWO_TABLES, {"speed": Speed.FAST}, "is fast data, but .* has a history transaction of 4 write units"),
    (NUMBERED, {"speed": Speed.FAST}, "is fast data, but .* has a history transaction"),
    (CURRENT_ONLY, {"speed": Speed.FAST}, "is fast data, but .* has an optimistic lock"),
    (CURRENT_ONLY, {"revised": Frequency.NEVER}, "is revised never, but .* WRITTEN_ONCE, at 1 write unit"),
    (WRITTEN_ONCE, {"revised": Frequency.OFTEN}, "is revised often, but the design is 'written once'"),
    (TIME_BASED, {"identity": Identity.GIVEN}, "has an id made of given .*, but the design is 'time-based'"),
    (NUMBERED, {"identity": Identity.TIME}, "has an id made of its time, but the design is 'numbered"),
    (CURRENT_ONLY, {"identity": Identity.CONTENT}, "made of digest of its content, but is revised seldom"),
    (
        TWO_TABLES,
        {"revised": Frequency.OFTEN, "tolerates": Tolerance.ORPHANS},
        "revised often and tolerates an orphan .* costs 4 .* 'two tables, sequential' costs 3",
    ),
    (
        NUMBERED,
        {"revised": Frequency.OFTEN, "tolerates": Tolerance.LATE_HISTORY},
        "tolerates the history is a moment late, but .* costs 4 .* 'numbered, from the stream' costs 2",
    ),
    (SEQUENTIAL, {"read": Frequency.OFTEN}, "revised seldom and read often, but .* read the current row, too"),
    (SEQUENTIAL, {"expires": True}, "expires, but the numbers of .* would begin again.*open_until="),
    (COUNTER, {"expires": True}, "expires, but the numbers of .* would begin again, and nothing says .*lives_with="),
    (
        COUNTER,
        {"expires": True, "open_until": "its day", "lives_with": "house"},
        "would begin again, and both are said",
    ),
    (SEQUENTIAL, {"open_until": "its day"}, "says open_until='its day', but .* never expires"),
    (COUNTER, {"lives_with": "house"}, "says lives_with='house', but .* never expires"),
    (TWO_TABLES, {"open_until": "its day", "expires": True}, "open_until='its day', but .* nothing begins again"),
]


@pytest.mark.parametrize(("design", "said", "words"), CONTRADICTING, ids=lambda value: getattr(value, "title", None))
def test_a_contradiction_is_named_by_both_sides(design: Design, said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        raise ValueError(*contradictions(declared(design, **said)))


def test_what_expires_may_say_until_when_its_id_is_open() -> None:
    for design in (SEQUENTIAL, COUNTER, FROM_STREAM):
        for bound in ({"open_until": "the end of its day"}, {"lives_with": "house"}):
            assert [*contradictions(declared(design, expires=True, **bound))] == []
