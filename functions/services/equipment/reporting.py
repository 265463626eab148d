"""Reporters and their equipment: an operator reports for any, a device for itself, a gateway for its factory. Pure.

The user name of a device is the id of its equipment, that of a gateway the id of its factory. Whoever is limited to
places reports for registered equipment there alone.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeGuard

from andon.http.places import ANYWHERE, Caller, Places
from andon.runtime.errors import FieldError, Forbidden
from contract.groups import DEVICE, GATEWAY, REPORTERS_FOR_ANY
from services.equipment.metadata import EquipmentRow
from services.equipment.places import whereabouts_in

# One response for unregistered equipment and for another factory's: it must not tell which equipment exists.
NOT_YOURS: Final = "You may not report for this equipment."


class Reporter(NamedTuple):
    """A caller that reports; subject: the token's.

    equipment_id, factory_id: what it reports for; None: nothing of the kind. places: where, besides.
    """

    subject: str
    is_for_any: bool
    equipment_id: str | None
    factory_id: str | None
    places: Places = ANYWHERE

    @classmethod
    def of(cls, caller: Caller) -> "Reporter":
        """Return a caller as a reporter; ids are compared as they are stored, normalised."""
        name = unicodedata.normalize("NFC", caller.name)
        return cls(
            subject=caller.subject,
            is_for_any=bool(caller.groups & REPORTERS_FOR_ANY),
            equipment_id=name if DEVICE in caller.groups else None,
            factory_id=name if GATEWAY in caller.groups else None,
            places=caller.places,
        )

    def actor_for(self, equipment_id: str) -> str:
        """Return the actor of a report: a device has its equipment's id, any other the token's subject."""
        return equipment_id if equipment_id == self.equipment_id and not self.is_for_any else self.subject

    def registrations_needed(self, equipment_ids: Sequence[str]) -> list[str]:
        """Return the equipment with a registration that its report depends on, each once."""
        if not self.places.is_everywhere:
            return sorted(set(equipment_ids))
        if self.is_for_any or not self.factory_id:
            return []
        return sorted(set(equipment_ids) - {self.equipment_id})

    def may_report(self, equipment_id: str, registration: EquipmentRow | None) -> bool:
        """Return True if it may report for equipment; `registration` is the current metadata."""
        return self._is_within_reach(equipment_id, registration) and self._is_within_places(registration)

    def _is_within_places(self, registration: EquipmentRow | None) -> bool:
        if self.places.is_everywhere:
            return True
        return is_registered(registration) and self.places.include(whereabouts_in(registration))

    def _is_within_reach(self, equipment_id: str, registration: EquipmentRow | None) -> bool:
        if self.is_for_any or equipment_id == self.equipment_id:
            return True
        if not self.factory_id or not is_registered(registration):
            return False
        return unicodedata.normalize("NFC", registration["factoryId"]) == self.factory_id


def is_registered(registration: EquipmentRow | None) -> TypeGuard[EquipmentRow]:
    """Return True if there is equipment, and it was not deleted."""
    return registration is not None and not registration.get("deleted")


def require_own(reporter: Reporter, equipment_id: str, registrations: Mapping[str, EquipmentRow | None]) -> None:
    """Check that somebody reports for equipment.

    Raises:
        Forbidden: it is another's.

    """
    if not reporter.may_report(equipment_id, registrations.get(equipment_id)):
        raise Forbidden(NOT_YOURS)


def require_all_own(
    reporter: Reporter, equipment_ids: Sequence[str], registrations: Mapping[str, EquipmentRow | None]
) -> None:
    """Check that somebody reports for all of some equipment.

    Raises:
        Forbidden: some of it is another's; each report of such is named by its index.

    """
    foreign = [n for n, id_ in enumerate(equipment_ids) if not reporter.may_report(id_, registrations.get(id_))]
    if foreign:
        fields = tuple(FieldError(f"body.{index}.equipmentId", "is not yours to report for") for index in foreign)
        raise Forbidden(NOT_YOURS, fields=fields)
