"""The beginning of chains with a trouble: it is opened, and the people of immediate steps are asked. Pure."""

from collections.abc import Iterator

from andon.rules.rule import Decision, History
from contract.chains import AT_ONCE, Asking, askings_of, ticks_of
from contract.entities.alerts import TroubleRef
from contract.entities.logs import LogRef
from services.dispatch.handled import assigned_to
from services.dispatch.help import ask, open_trouble
from services.dispatch.known import Known, known_in


def askings_about(log: LogRef, known: Known) -> list[Asking]:
    """Return the askings of the chains for a trouble."""
    return askings_of(known.chains, log["state"], known.place.line_id)


def begin(history: History, log: TroubleRef, askings: list[Asking]) -> Iterator[Decision]:
    """Yield the trouble, and whom to ask at once. Minutes count from when it is known: a late event skips no step."""
    if not askings:
        return
    anchor, known = history.anchor, known_in(history)
    at_ms = max(anchor.timestamp_ms, history.arrived_ms[anchor.id])
    yield open_trouble(log, known, askings, anchor, at_ms=at_ms, ticks=ticks_of(askings))
    for asking in askings:
        if asking.minutes == AT_ONCE:
            yield from ask(asking, log, known, assigned_to(history, log), anchor, at_ms=at_ms)
