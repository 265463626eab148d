from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent
from andon.views.view_update import ViewUpdate

KEYS = Keys("book", one_partition_per="entity")
TABLE = Table("BORROWED_TABLE", KEYS)
TTL_DAYS = 90


def on_lent(event: DomainEvent) -> ViewUpdate:
    loan = event.entity("loan")
    return ViewUpdate(key=KEYS.of(loan.text("book")), fields={"holder": loan.text("to")}, oplock="lent")


ON = {("loans", "book-lent"): on_lent}
