"""The catalog of a factory: the categories of its calls, and the causes of its trouble."""

from typing import Final

from andon.runtime.errors import Invalid
from andon.versions.current_resource import CurrentResource
from andon.versions.optimistic_lock import VersionedRow
from contract.calls import CATALOG_SET, SOURCE
from contract.entities.calls import CatalogCauseEntity, CatalogContent, CatalogEntity
from services.calls.tables import KEYS, TABLE

DEFAULT_PRIORITY: Final = 2

WITHOUT_CATALOG: Final = frozenset({"material", "machine", "quality", "safety"})
"""Categories of a factory without a catalog: few, for views keep some calls of a machine, and none is crowded out."""


class CatalogRow(CatalogEntity, VersionedRow):
    """The row of a catalog, its key aside."""

    discriminator: str


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


CATALOGS: Final[CurrentResource[CatalogRow, CatalogEntity]] = CurrentResource(
    service=SOURCE,
    kind="catalog",
    content=CatalogContent,
    entity=CatalogEntity,
    id=("factoryId",),
    table=TABLE,
    key_of=lambda factory_id: KEYS.of(f"Factory#{factory_id}", "catalog"),
    fact=CATALOG_SET,  # nobody subscribes to it: it is the catalog's way into the lake, out of which it comes back
    missing="This factory has no catalog.",
)


def read(factory_id: str) -> Catalog:
    """Read the content of a factory's catalog, also of a factory without one."""
    return Catalog(CATALOGS.versions_of(factory_id).current())
