"""The rule that somebody calls for help: chains begin on the category of the call, unless somebody has seen it.

It is evaluated when the call arrives, however late that is: a machine in trouble reports again, a person waits.
"""

from collections.abc import Iterable
from typing import Final

from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import AtOnce
from andon.runtime.clock import MINUTE_MS
from contract.calls import RAISED, SOURCE
from services.dispatch.beginning import askings_about, begin
from services.dispatch.calls import partition_in, trouble_in
from services.dispatch.fact_types import HELP_REQUESTED, NOBODY_FOUND, TROUBLE_OPENED
from services.dispatch.handled import is_over
from services.dispatch.known import has_chains, known_in

WINDOW_MS: Final = MINUTE_MS
"""All that is looked for lies behind the call."""

SEEN_MS: Final = 60 * MINUTE_MS
"""What became of a call in its first hour is known to a call that comes late."""


def called(history: History) -> Iterable[Decision]:
    """Begin the chains that are on the category of a call."""
    log = trouble_in(history.anchor)
    return () if is_over(history, log) else begin(history, log, askings_about(log, known_in(history)))


RULE: Final = Rule(
    id="called",
    on=frozenset({(SOURCE, RAISED)}),
    key=partition_in,
    window_ms=WINDOW_MS,
    timing=AtOnce(after_ms=SEEN_MS),
    needs_context=True,
    enough=has_chains,
    expression=called,
    emits=frozenset({TROUBLE_OPENED, HELP_REQUESTED, NOBODY_FOUND}),
)
