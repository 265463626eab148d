"""The id of an order: the natural key of the business."""

from typing import NamedTuple


class OrderId(NamedTuple):
    """Identity of an order; `date` is the day that it was first planned for, as `2026-11-30`."""

    equipment_id: str
    date: str
    kind: str

    @property
    def attributes(self) -> dict[str, object]:
        """The attributes of each row about the order."""
        return {"equipmentId": self.equipment_id, "date": self.date, "kind": self.kind}
