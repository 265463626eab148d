"""Prints of another service become pictures: mapped, upon the row that stands there, or as a tombstone."""

from collections.abc import Iterator
from typing import Any

import pytest

from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.domain_event import DomainEvent, Entity
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.sync.mapped_crossing import resource_crossing, resource_in
from andon.views.outcome import Outcome
from toys.clock import NOW
from toys.gallery import PICTURES, TABLE, Gallery, PictureEntity, PictureRow, history, pictures, put, read

YESTERDAY = times.to_utc(NOW - 86_400_000)


def print_in(event: DomainEvent) -> Entity:
    return resource_in(event, "print", "caption")


def from_print(of: Entity, upon: PictureRow | None) -> PictureEntity:
    """Return a print as a picture, which keeps the year behind its title: prints have none."""
    year = (upon.get("title", "") if upon else "").partition(", ")[2]  # a tombstone keeps none
    picture: PictureEntity = {"id": of.text("id"), "version": 0, "title": of.text("caption") + (year and f", {year}")}
    if "validFrom" in of.fields:
        picture["validFrom"] = of.text("validFrom")
    if of.get("deleted"):
        picture["deleted"] = True
    return picture


CROSSING = resource_crossing(PICTURES, own="gallery", theirs="shop", entity_in=print_in, from_theirs=from_print)


def test_a_resource_with_unique_fields_is_crossed_into_by_nothing() -> None:
    unique = pictures(unique={"title": lambda title: {"pk": title, "sk": "-"}})

    with pytest.raises(
        ValueError, match=r"gallery takes over edits of shop, and its picture has unique fields: title\."
    ):
        resource_crossing(unique, own="gallery", theirs="shop", entity_in=print_in, from_theirs=from_print)


@pytest.fixture
def gallery() -> Iterator[Gallery]:
    with Gallery() as gallery:
        yield gallery


def cross(at: int = NOW, **said: Any) -> Outcome:  # noqa: ANN401
    event = DomainEvent("e", "print-updated", at, "sea", {"print": {"id": "sea", "caption": "waves", **said}})
    return CROSSING(event).write(TABLE, event, now_ms=NOW)


def test_an_edit_changes_the_row_that_stands_there_and_is_not_published_again(gallery: Gallery) -> None:
    put("sea", "the sea, 1880", now_ms=NOW - 1)
    gallery.told("sea")

    assert cross(validFrom=YESTERDAY) is Outcome.APPLIED

    row, before = history("sea")
    assert (row["version"], row["title"], row["discriminator"], row["id"]) == (2, "waves, 1880", "picture", "sea")
    assert (row["origin"], row["timestamp"], before["title"]) == ("shop", NOW, "the sea, 1880")
    assert row["validFrom"] == times.to_ms(YESTERDAY)
    assert gallery.told("sea") == []
    assert cross(validFrom=YESTERDAY) is Outcome.DUPLICATE


def test_a_deletion_is_a_tombstone_that_expires_behind_the_time_of_the_edit(gallery: Gallery) -> None:  # noqa: ARG001
    put("sea", now_ms=NOW - 1)

    assert cross(NOW + 5_000, deleted=True) is Outcome.APPLIED

    row = PICTURES.versions_of("sea").current()
    assert row is not None
    assert (row["deleted"], row["ttl"]) == (True, NOW // 1000 + 5 + 33 * SECONDS_PER_DAY)
    assert read("sea") is None
    assert cross(NOW + 6_000) is Outcome.APPLIED
    again = PICTURES.versions_of("sea").current()
    assert again is not None
    assert not {"deleted", "ttl"} & again.keys()


@pytest.mark.parametrize(
    "said",
    [
        *({"id": None}, {"id": 7}, {"caption": ""}, {"caption": None}, {"validFrom": "2020-04-20T06:00Z"}),
        {"validFrom": None},
    ],
    ids=str,
)
def test_what_does_not_say_what_it_is_does_not_cross(gallery: Gallery, said: dict[str, Any]) -> None:  # noqa: ARG001
    with pytest.raises((Poison, ValueError)):
        cross(**said)

    assert history("sea") == []
