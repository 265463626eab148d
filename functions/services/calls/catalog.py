"""The catalog of a factory: the categories of its calls, and the causes of its trouble."""

from collections.abc import Sequence
from typing import Final

from andon.events.fact import fact_of_row
from andon.runtime.errors import Invalid, NotFound
from andon.versions.optimistic_lock import Changed, Command, Draft, VersionedRow, changed
from andon.versions.versioned_write import Versions
from contract.calls import CATALOG_SET
from contract.entities.calls import CatalogCauseEntity, CatalogEntity, CategoryEntity
from services.calls.tables import KEYS, TABLE

DISCRIMINATOR: Final = "catalog"
DEFAULT_PRIORITY: Final = 2

WITHOUT_CATALOG: Final = frozenset({"material", "machine", "quality", "safety"})
"""Categories of a factory without a catalog: few, for views keep some calls of a machine, and none is crowded out."""

MISSING: Final = "This factory has no catalog."


class CatalogRow(CatalogEntity, VersionedRow):
    """The row of a catalog, its key aside."""

    discriminator: str


class CatalogVersion(CatalogEntity, Changed):
    """A catalog in a response."""


class Catalog:
    """Categories and causes of a factory; without a catalog it has those of `WITHOUT_CATALOG`, and no cause."""

    def __init__(self, row: CatalogRow | None) -> None:
        self._is_there = row is not None
        self._categories = {one["id"]: one for one in row["categories"]} if row else {}
        self._causes = {one["id"]: one for one in row["causes"]} if row else {}

    def priority_of(self, category: str) -> int:
        """Return the priority of calls that say none.

        Raises:
            Invalid: the catalog lacks the category.

        """
        known = self._categories.get(category)
        if known is None and self._is_there:
            raise Invalid.field("body.category", "is not in the catalog of the factory")
        if known is None and category not in WITHOUT_CATALOG:
            known_names = ", ".join(sorted(WITHOUT_CATALOG))
            raise Invalid.field("body.category", f"is none of a factory without a catalog: {known_names}")
        return known["priority"] if known else DEFAULT_PRIORITY

    def require_cause(self, cause: str | None, *, category: str | None, line_id: str) -> None:
        """Check the cause of a call of a category, or, with None, of other trouble, on a line.

        Raises:
            Invalid: the catalog lacks it there, or the category needs one.

        """
        if cause is None:
            known = self._categories.get(category or "")
            if known and known["needsCause"]:
                raise Invalid.field("body.cause", "is needed: calls of this category are closed with a cause")
            return
        found = self._causes.get(cause)
        if found is None or not _is_of(found, category, line_id):
            raise Invalid.field("body.cause", "is not in the catalog of the factory, for this category and line")


def _is_of(cause: CatalogCauseEntity, category: str | None, line_id: str) -> bool:
    lines = cause.get("lines")
    return (category is None or category in cause["categories"]) and (lines is None or line_id in lines)


def versions_of(factory_id: str) -> Versions[CatalogRow]:
    """Return the place of a factory's catalog; no earlier version is kept."""
    return Versions(table=TABLE, key=KEYS.of(f"Factory#{factory_id}", DISCRIMINATOR))


def get(factory_id: str) -> CatalogRow:
    """Read a catalog.

    Raises:
        NotFound: there is none.

    """
    row = versions_of(factory_id).current()
    if row is None:
        raise NotFound(MISSING)
    return row


def read(factory_id: str) -> Catalog:
    """Read what the catalog of a factory says, also of one that has none."""
    return Catalog(versions_of(factory_id).current())


def write(
    factory_id: str, categories: Sequence[CategoryEntity], causes: Sequence[CatalogCauseEntity], command: Command
) -> Draft:
    """Decide the catalog of a factory."""
    return Draft(
        content={"factoryId": factory_id, "categories": list(categories), "causes": list(causes)},
        attributes={"discriminator": DISCRIMINATOR},
        command=command,
    )


def to_entity(row: CatalogRow) -> CatalogEntity:
    """Return a row for an event."""
    return {
        "factoryId": row["factoryId"],
        "version": row["version"],
        "categories": row["categories"],
        "causes": row["causes"],
    }


def to_response(row: CatalogRow) -> CatalogVersion:
    """Return a row for a response."""
    return {**to_entity(row), **changed(row)}


# Nobody subscribes to it: it is the catalog's way into the lake, out of which a lost region comes back.
fact_of: Final = fact_of_row(CATALOG_SET, DISCRIMINATOR, partition="factoryId", entity_of=to_entity)
