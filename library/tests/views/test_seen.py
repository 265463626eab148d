import pytest

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent
from andon.events.written import Written
from andon.views.seen import Writes
from andon.views.view_update import ViewUpdate

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
