from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent, Entity
from andon.events.written import Written
from andon.runtime.clock import DAY_MS
from andon.views.inverse_oplock import oplock_attribute, order_at
from andon.views.seen import Writes
from andon.views.view_update import ViewUpdate
from toys.clock import NOW

WRITTEN = Written(
    source="s", type="t", entity_name="thing", partition_key="a", timestamp_ms=NOW, names={"id": "a", "version": 1}
)
KEYS = Keys("pk", one_partition_per="entity")


@pytest.mark.parametrize("partition_key", ["", "x" * 2049, "🏭" * 513])
def test_a_token_of_a_row_that_cannot_be_is_refused(partition_key: str) -> None:
    written = Written(source="s", type="t", entity_name="thing", partition_key=partition_key, timestamp_ms=1)
    writes = Writes(table=Table("NO_TABLE", KEYS), on={("s", "t"): keep}, days=1)

    with pytest.raises(ValueError, match="is not a token of a write"):
        writes.awaited(written)


def keep(event: DomainEvent) -> ViewUpdate:
    """Return the update of a row that is named by its event's partition key."""
    return ViewUpdate(key=KEYS.of(event.partition_key), key_fields={}, fields={}, oplock="thing")


NUMBERS = {
    "whole": lambda told: told.whole_number("pieces"),
    "any": lambda told: told.number("pieces"),
    "computed": lambda told: told.whole_number("pieces") * 60 + 1,
}


@pytest.mark.parametrize("read", NUMBERS.values(), ids=NUMBERS)
def test_a_write_is_seen_whose_token_does_not_name_a_number_of_it(read: Callable[[Entity], float]) -> None:
    def counted(event: DomainEvent) -> ViewUpdate:
        fields = {"pieces": read(event.entity("thing")), "version": event.entity("thing").whole_number("version")}
        return ViewUpdate(key=KEYS.of(event.partition_key), key_fields={}, fields=fields, oplock="thing")

    found = writes_of(counted).awaited(WRITTEN)

    order = order_at(NOW, "", None)
    shown = {"pk": "a", "pieces": 7, "version": 1, "ttl": NOW, oplock_attribute("thing"): f"{order}some id"}
    assert found.is_seen_by(shown, now_ms=NOW)
    assert not found.is_seen_by({**shown, "version": 2}, now_ms=NOW)


@pytest.mark.parametrize("place", ["key", "anchor", "date"])
def test_a_row_that_the_token_does_not_tell_is_refused_with_the_reason(place: str) -> None:
    def kept(event: DomainEvent) -> ViewUpdate:
        pieces = event.entity("thing").whole_number("pieces")
        more: dict[str, Any] = {"anchor": {"about_ms": pieces}, "date": {"expires_at": pieces}}.get(place, {})
        key = {"pk": event.partition_key, **({"pieces": pieces} if place == "key" else {})}
        return ViewUpdate(key=key, key_fields={}, fields={}, oplock="thing", **more)

    with pytest.raises(ValueError, match="the token has to name all that the row's key, oplock and date are made of"):
        writes_of(kept).awaited(WRITTEN)


@pytest.mark.parametrize(("days", "given_up"), [(1, True), (30_000, False), (None, False)])
def test_a_write_is_waited_for_as_long_as_rows_live_and_at_any_age_where_they_live_for_ever(
    *, days: int | None, given_up: bool
) -> None:
    old = replace(WRITTEN, timestamp_ms=NOW - 10_000 * DAY_MS)
    found = writes_of(keep, days=days).awaited(old)

    assert found.is_seen_by(None, now_ms=NOW) == given_up
    order = order_at(old.timestamp_ms, "some id", None)
    assert found.is_seen_by({"pk": "a", oplock_attribute("thing"): order}, now_ms=NOW)


def writes_of(keep: Callable[[DomainEvent], ViewUpdate], *, days: int | None = 1) -> Writes:
    return Writes(table=Table("NO_TABLE", KEYS), on={("s", "t"): keep}, days=days)
