from andon.events.domain_event import DomainEvent
from andon.views.object_table import ObjectKeys, ObjectTable
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import OnObjects, ViewUpdates, entered

KEYS = ObjectKeys("holder", about="book")
OBJECTS = ObjectTable("SHELVES_BUCKET", KEYS)
TTL_DAYS = 90


def on_lent(event: DomainEvent) -> ViewUpdates:
    loan = event.entity("loan")
    book, holder, before = loan.text("book"), loan.text("to"), loan.get("before")
    update = ViewUpdate(key=KEYS.of(holder, book), fields={"since": event.timestamp_ms}, oplock="lent")
    return entered(update, *([KEYS.of(before, book)] if before else []))


ON: OnObjects = {("loans", "book-lent"): on_lent}
