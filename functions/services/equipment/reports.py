"""Reports of one reporter -> their events: all are its own, in time, and each is known by its content."""

from collections.abc import Mapping, Sequence

from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import members_of
from contract.entities.reports import StateEntity
from services.equipment import reporting, stream_first
from services.equipment.bodies import ReportBody
from services.equipment.metadata import EQUIPMENT, EquipmentRow
from services.equipment.reporting import Reporter

Registrations = Mapping[str, EquipmentRow | None]
"""Current metadata by the ids of equipment."""


def events_of(
    reports: Sequence[ReportBody],
    reporter: Reporter,
    registrations: Registrations,
    *,
    tags: Mapping[str, str],
    now_ms: int,
) -> list[DomainEvent]:
    """Return the events of reports, in their order; registrations: those of `registrations_for`.

    Raises:
        Forbidden: some are of equipment that is another's; each is named by its index.
        Invalid: times are ahead or too far back; each is named by its index.

    """
    reporting.require_all_own(reporter, [one["equipmentId"] for one in reports], registrations)
    return stream_first.events_of(_entities_of(reports), reporter=reporter, tags=tags, now_ms=now_ms)


def registrations_for(reports: Sequence[ReportBody], reporter: Reporter) -> Registrations:
    """Read the registrations that a permission to report these depends on."""
    return registrations_of(reporter.registrations_needed([one["equipmentId"] for one in reports]))


def registrations_of(equipment_ids: Sequence[str]) -> Registrations:
    """Read the current metadata of equipment, up to a hundred."""
    return dict(zip(equipment_ids, EQUIPMENT.get_many(equipment_ids), strict=True))


def _entities_of(reports: Sequence[ReportBody]) -> list[StateEntity]:
    return [members_of(StateEntity, one) for one in reports]
