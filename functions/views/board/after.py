"""Where a row of the board shows what was written: by the entity of the write, as `ON` of `view.py` keeps it. Pure."""

from andon.events.written import Written
from andon.runtime import times
from andon.views.seen import Place, Places
from contract import logs, names
from views.board.row import SEEN
from views.board.view import ANCHOR, KEYS, REPORTS, TABLE


def _registration(written: Written, origin: str) -> Place:
    return Place(key=KEYS.of(written.partition_key), oplock=ANCHOR.oplock, origin=origin)


def _state(written: Written) -> Place:
    oplock = f"{SEEN}{names.state(written.entity.text('state'))}"
    return Place(key=KEYS.of(written.partition_key), oplock=oplock, family=REPORTS)


def _audit(written: Written) -> Place:
    audit = written.entity
    last = {"part": audit.text("part"), "revision": audit.whole_number("revision")}
    return Place(key=KEYS.of(written.partition_key), oplock="audited", fields={"LastAudit": last})


def _about_log(written: Written, oplock: str, attribute: str, person: str, *, origin: str = "") -> Place:
    log = written.entity
    return Place(
        key=KEYS.of(written.partition_key),
        oplock=oplock,
        about_ms=times.to_ms(times.require_fixed(log.text("timestamp"))),
        fields={attribute: log.text(person)},
        origin=origin,
    )


PLACES = Places(
    table=TABLE,
    of={
        "equipment": lambda written: _registration(written, "equipment"),
        "machine": lambda written: _registration(written, "equipment2"),
        "state": _state,
        "audit": _audit,
        "assignment": lambda written: _about_log(written, "assigned", "Operator", "operator", origin="dispatch"),
        "crew": lambda written: _about_log(written, "assigned", "Operator", "lead", origin="dispatch2"),
        "escalation": lambda written: _about_log(written, "escalated", "EscalatedTo", "supervisor"),
        "acknowledgement": lambda written: _about_log(written, "acknowledged", "AcknowledgedBy", "acknowledgedBy"),
    },
    days=logs.TTL_DAYS,  # reports and what is about them are no older; equipment that nobody registered lives as long
)
