"""Books of a shelf, of which the current version alone is kept.

Facts, tables and versioning follow from this.

| table | pk | sk | row |
|---|---|---|---|
| books | the id of the shelf | the id | what each is now |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.versions.current_resource import CurrentResource
from andon.versions.optimistic_lock import VersionedRow
from contract.entities.books import Book, BookEntity

KEYS: Final = Keys("shelfId", "id", one_partition_per="entity")


class BookRow(Book, VersionedRow):
    """The row of one, its id aside."""


BOOKS: Final[CurrentResource[BookRow, BookEntity]] = CurrentResource(
    service="books",
    kind="book",
    content=Book,
    entity=BookEntity,
    id=("shelfId", "id"),
    table=Table("BOOKS_TABLE", KEYS),
    key_of=KEYS.of,
    fact="book-moved",
    missing="There is no such book.",
)

RESOURCES: Final = (BOOKS,)
