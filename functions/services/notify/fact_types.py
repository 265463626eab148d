"""The types of the facts that notify publishes."""

from typing import Final

SOURCE: Final = "notify"
MESSAGE_DECIDED: Final = "message-decided"
MESSAGE_OVERDUE: Final = "message-overdue"
PERSON_TOLD: Final = "person-told"
TROUBLE_TOLD: Final = "trouble-told"
DELIVERY_FAILED: Final = "delivery-failed"
