"""State reports that go straight to the bus: no row, no stream; for devices that do not wait."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from andon.events.actor import ACTOR
from andon.events.domain_event import DomainEvent
from andon.events.identifiers import of_content
from andon.runtime import times
from andon.runtime.errors import FieldError, Invalid, Unavailable
from contract import logs
from contract.entities.reports import StateEntity
from services.equipment.reporting import Reporter
from services.equipment.state import STATE_REPORTED

DIGITS: Final = 32  # 128 bits, as an eventID of a stream: rows keep it in their oplocks


def events_of(
    reports: Sequence[StateEntity], *, reporter: Reporter, tags: Mapping[str, str], now_ms: int
) -> list[DomainEvent]:
    """Return the events of reports, each under the digest of its content: the same report again is the same fact.

    There is no row, so that the tags say who reported.

    Raises:
        Invalid: times are ahead or too far back; each is named by its index.

    """
    offending = [error for index, report in enumerate(reports) for error in _errors_of(index, report, now_ms)]
    if offending:
        raise Invalid("The request is invalid.", fields=tuple(offending))
    actors = [reporter.actor_for(report["equipmentId"]) for report in reports]
    return [_event_of(report, {**tags, ACTOR: actor}) for report, actor in zip(reports, actors, strict=True)]


def require_all_published(unpublished: Collection[int]) -> None:
    """Check that nothing was left behind.

    Raises:
        Unavailable: it was; each report that was not published is named by its index.

    """
    if unpublished:
        fields = tuple(FieldError(f"body.{index}", "was not published") for index in sorted(unpublished))
        raise Unavailable("Some reports were not published; send those again.", fields=fields)


def _errors_of(index: int, report: StateEntity, now_ms: int) -> tuple[FieldError, ...]:
    try:
        logs.ttl_of(report["timestamp"], now_ms=now_ms, field=f"body.{index}.timestamp")
    except Invalid as error:
        return error.fields
    return ()


def _event_of(report: StateEntity, tags: Mapping[str, str]) -> DomainEvent:
    return DomainEvent(
        # Not the client's: lake and archive name a fact by source and id, so that a stolen device could take another's.
        id=of_content(report, digits=DIGITS),
        type=STATE_REPORTED,
        timestamp_ms=times.to_ms(report["timestamp"]),
        partition_key=report["equipmentId"],
        entities={"state": report},
        tags=tags,
    )
