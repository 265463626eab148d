"""Updates of catalogue by event: a row for each of a shelf, with what was said of it last. Pure."""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.views.view_update import On, ViewUpdate

KEYS = Keys("shelf", "book", one_partition_per="entity")
TABLE = Table("CATALOGUE_TABLE", KEYS)
TTL_DAYS = 90


def on_book_moved(event: DomainEvent) -> ViewUpdate:
    """Keep what it says."""
    book = event.entity("book")
    key = KEYS.of(event.partition_key, book.text("id"))
    return ViewUpdate(key=key, fields={"place": book.text("place")}, oplock="moved")


ON: On = {  # (source, type) -> what the view keeps of it
    ("books", "book-moved"): on_book_moved,
}

# (source, type) -> the steps from its oldest shape to today's
UPCASTERS: Upcasters = {}
