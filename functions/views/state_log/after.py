"""Where a log shows what was written: by the entity of the write, as `ON` of `view.py` keeps its event. Pure."""

from andon.dynamodb.keys import sort_key
from andon.events.written import Written
from andon.runtime import times
from andon.views.seen import Place, Places
from contract import logs, names
from views.state_log.view import KEYS, TABLE


def _place(written: Written, oplock: str, *, origin: str = "") -> Place:
    log = written.entity
    state, date = names.state(log.text("state")), times.require_fixed(log.text("timestamp"))
    return Place(key=KEYS.of(written.partition_key, sort_key(state, date)), oplock=oplock, origin=origin)


PLACES = Places(
    table=TABLE,
    of={
        "state": lambda written: _place(written, "reported"),
        "assignment": lambda written: _place(written, "assigned", origin="dispatch"),
        "crew": lambda written: _place(written, "assigned", origin="dispatch2"),
        "escalation": lambda written: _place(written, "escalated"),
    },
    days=logs.TTL_DAYS,
)
