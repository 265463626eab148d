"""People who can be reached."""

from typing import Any

from andon.dynamodb.expressions import UNCONDITIONAL
from services.notify.contact import CHANNELS, address_of
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS, VERIFIED
from services.notify.tables import partition_of


def reach(person: str, *order: str, verified: bool = True, **more: object) -> None:
    """Let a person be reached by channels, in this order, at verified addresses."""
    row: dict[str, Any] = {"email": "a@example.com", "phone": "+523300000000", "push": [{"endpoint": "p"}]}
    row |= {"webhooks": ["https://example.com/hook"], "order": list(order), "version": 1, "timestamp": 0, **more}
    partition = partition_of(person)
    CONTACTS.put({**KEYS.of(partition, CONTACT), **row}, condition=UNCONDITIONAL)
    for channel in CHANNELS:
        proof = {"address": address_of(row, channel), "at": 0}
        if verified and channel in order:
            CONTACTS.put({**KEYS.of(partition, f"{VERIFIED}{channel}"), **proof}, condition=UNCONDITIONAL)
