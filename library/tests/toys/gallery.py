"""A resource of the library's own: pictures, each with a title, and reviews of them, which are numbered versions."""

from collections.abc import Callable
from typing import Any, Final, TypedDict

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.change_data_capture import events_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts, fact_of_row
from andon.runtime.errors import Rejected
from andon.runtime.marks import ResourceEntity
from andon.testing.world import World
from andon.versions import numbered_versions
from andon.versions.bitemporal import Asked
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, Draft, Saved, VersionedRow, fingerprint_of
from andon.versions.resource import HISTORY, HISTORY_SCHEMA, Resource, ResourceRow
from andon.versions.versioned_write import Versions, save
from andon.wire import aws
from toys.clock import NOW

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLE: Final = Table("PICTURES_TABLE", KEYS)
LIVES: Final = ("created", "updated", "deleted", "undeleted")
END_OF_TIME: Final = 10**14


class Picture(TypedDict):
    """A picture."""

    title: str


class PictureRow(Picture, ResourceRow):
    """The row of one."""


class PictureEntity(Picture, ResourceEntity):
    """A picture in an event."""


class ReviewRow(VersionedRow):
    """A review of a picture by a newspaper."""

    picture: str
    stars: int


def pictures(**more: Any) -> Resource[PictureRow, PictureEntity]:  # noqa: ANN401
    """Return the resource of pictures."""
    return Resource(
        service="gallery",
        kind="picture",
        content=Picture,
        entity=PictureEntity,
        table=TABLE,
        history=Table("PICTURES_HISTORY_TABLE", HISTORY),
        partition_of=lambda picture: f"Picture#{picture}",
        sort=("current",),
        missing="There is no such picture.",
        **more,
    )


PICTURES: Final = pictures()


def _review_in(row: ReviewRow) -> dict[str, object]:
    return {"version": row["version"], "stars": row["stars"]}


FACTS: Final = Facts(
    source="gallery",
    types=frozenset({"review-written", *(f"picture-{life}" for life in LIVES)}),
    of={
        "picture": PICTURES.fact_of,
        "review": fact_of_row("review-written", "review", partition="picture", entity_of=_review_in),
    },
)


class Gallery(World):
    """The tables of pictures."""

    def __init__(self) -> None:
        super().__init__({TABLE.variable: TableSchema(KEYS, stream=True), PICTURES.history.variable: HISTORY_SCHEMA})

    def facts(self, picture: str) -> list[DomainEvent]:
        """Return the events of a picture that the trigger published since the last call."""
        records: list[Any] = self.new_records(TABLE.variable)
        events = [*events_of(records, facts=FACTS, tags={}).values()]
        return [event for event in events if event.partition_key == picture]

    def told(self, picture: str) -> list[str]:
        """Return the same as `picture-updated 2`."""
        return [f"{one.type} {next(iter(one.entities.values()))['version']}" for one in self.facts(picture)]


def command(what: object, *, if_match: int | None = None, actor: str = "ann", now_ms: int = NOW) -> Command:
    """Return a command; the same again has the same fingerprint."""
    fingerprint = fingerprint_of(route="", path={}, if_match=if_match, body=what, actor=actor)
    return Command(actor, now_ms, if_match, fingerprint)


def put(
    picture: str,
    title: str = "sea",
    *,
    valid_from: str | None = None,
    **by: Any,  # noqa: ANN401
) -> Saved[PictureRow]:
    said = {"title": title} | ({} if valid_from is None else {"validFrom": valid_from})
    return PICTURES.save(picture, said, command(["PUT", picture, said], **by))


def delete(picture: str, **by: Any) -> Saved[PictureRow]:  # noqa: ANN401
    return PICTURES.delete(picture, command(["DELETE", picture], **by))


def roll_back(picture: str, to: int, **by: Any) -> Saved[PictureRow]:  # noqa: ANN401
    return PICTURES.roll_back(picture, to, command(["POST", picture, to], **by))


def reviews_of(picture: str, paper: str = "Times") -> Versions[ReviewRow]:
    """Return the place of a paper's reviews; only pictures that hang are reviewed."""
    mark = {"picture": picture}
    of: Numbered[ReviewRow] = Numbered(
        TABLE, f"Picture#{picture}", f"Review#{paper}", apart=True, attributes={"discriminator": "old review", **mark}
    )
    return numbered_versions.versions_of(of, requires=PICTURES.alive(picture))


def review(picture: str, stars: int = 3, *, paper: str = "Times", **by: Any) -> Saved[ReviewRow]:  # noqa: ANN401
    mark = {"discriminator": "review", "picture": picture}
    draft = Draft({"stars": stars}, mark, command(["REVIEW", picture, paper, stars], **by))
    return save(reviews_of(picture, paper), draft)


def status_of(do: Callable[[], Saved[Any]]) -> int:
    """Return the status that a client gets."""
    try:
        saved = do()
    except Rejected as refused:
        return refused.status
    if saved.row.get("deleted"):
        return 204
    return 201 if saved.created else 200


def read(picture: str, *, as_of: int | None = None, known_at: int | None = None) -> PictureRow | None:
    """Read a picture as it is or was; None if it was none."""
    bounds = [END_OF_TIME if at is None else at for at in (as_of, known_at)]
    try:
        return PICTURES.get(picture, None if as_of is None and known_at is None else Asked(*bounds))
    except Rejected:
        return None


def history(picture: str) -> list[PictureRow]:
    versions = PICTURES.versions_of(picture)
    found = PICTURES.history.query(PICTURES.revisions_of(picture), limit=1000, consistent=True).items
    return [versions.row_of(item) for item in found]


def reap(picture: str) -> None:
    """Delete the current row, as the TTL service does some day with a tombstone."""
    aws.client("dynamodb").delete_item(TableName=TABLE.variable, Key=to_typed(PICTURES.key_of(picture)))
