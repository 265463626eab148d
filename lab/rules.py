"""The cost of an evaluation with many rules of which one matches, over that with this one alone.

And the number of Queries that it makes at a report that much has followed.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any, Final
from unittest.mock import patch

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.rules.control import control_changes
from andon.rules.control_service import Control
from andon.rules.evaluate import Evaluator
from andon.rules.rule import Rule, Rules
from andon.rules.stored_event import StoredEvent
from andon.runtime.clock import MINUTE_MS
from andon.testing.lambda_context import LocalContext
from andon.wire import aws
from contract.duty import Roster
from contract.factories import Place
from contract.names import NORMAL
from demo.people import EVA, LUIS, OMAR, ROSA
from lab.figure import Figure, Goal, cpu_us, median_ratio
from lab.metered import Metered
from lab.workload import InsteadOfAws, stored_report, undisturbed
from services.dispatch.control import CONTROL
from services.dispatch.facts import FACTS
from services.dispatch.known import Known
from services.dispatch.rules.assign import RULE
from services.dispatch.tables import KEYS, TABLE, TABLES

MANY: Final = 50
EVENTS: Final = 200
ROUNDS: Final = 15
BATCH: Final = 10
NEWER: Final = (0, 1_000, 20_000)
PAST: Final = 3  # reports of each piece of equipment, of which the last one is abnormal
NOW_MS: Final = 1_588_032_000_000
KNOWN: Final = Known(Place("gdl-1", "line-3", "Press 7"), Roster((EVA, LUIS, OMAR), ROSA))
ARN: Final = "arn:aws:dynamodb:us-east-1:000000000000:table/Andon-DispatchTable/stream/2020-01-01T00:00:00.000"

Other = Callable[[int], Rule]


@dataclass(frozen=True, slots=True)
class Deciding:
    """The trigger of dispatch's table at work on new reports, of each of which *assign* decides."""

    aws: InsteadOfAws
    batches: Sequence[dict[str, Any]]

    def by(self, rules: Sequence[Rule]) -> Callable[[], None]:
        """Return the work of deciding by these rules."""
        control = CONTROL._replace(
            rules=Rules(CONTROL.rules.source, FACTS.types, tuple(rules)), context_of=lambda _: KNOWN
        )
        return partial(self._decide, control)

    def _decide(self, control: Control) -> None:
        with patch.object(aws, "call", self.aws.call):
            for batch in self.batches:
                control_changes(batch, LocalContext("dispatch-trigger"), facts=FACTS, control=control)


def figures() -> list[Figure]:
    """Measure, the matching rule being the last."""
    with undisturbed(NOW_MS):
        deciding = prepared(EVENTS)
        rules = {"one": [RULE], "many": [*others(of_another_type), RULE], "asked": [*others(of_another_state), RULE]}
        work = {name: deciding.by(some) for name, some in rules.items()}
        measured = cpu_us(ROUNDS, EVENTS, work)
    ratios = {name: median_ratio(measured[name], measured["one"]) for name in work}
    return [
        Figure("evaluation without AWS, CPU", statistics.median(measured["one"]), "µs"),
        Figure(f"… {MANY} rules / 1", ratios["many"], "x", Goal("≤", 1.20)),
        Figure(f"… {MANY} on the event's type, told apart by `when`", ratios["asked"], "x"),
        *(Figure(f"Queries of an evaluation, {n:,} newer events", queries_of(n), "", Goal("≤", 3)) for n in NEWER),
    ]


def queries_of(newer: int) -> int:
    """Count the queries of all rules on a report that so many others have followed."""
    past = _past("d#1")
    after_ms = max(rule.after_ms for rule in CONTROL.rules.all) + 1
    later = [stored_report("d#1", "WARNING1", NOW_MS + after_ms + number) for number in range(newer)]
    control = CONTROL._replace(context_of=lambda _: KNOWN)
    with Metered(TABLES) as loop:
        for one in (*past, *later):
            TABLE.put(one.row(KEYS), condition=UNCONDITIONAL)
        evaluator = Evaluator(control, past[-1].key, anchors=[past[-1].sort], now_ms=NOW_MS)
        for rule in filter(methodcaller("is_on", past[-1]), CONTROL.rules.all):
            evaluator.evaluate(past[-1], rule)
        return loop.meter.used.requests["Query"]


def prepared(events: int) -> Deciding:
    """Return the changes that so many events were stored by, and what a query of the store finds."""
    pasts = [_past(f"d#{number}") for number in range(events)]
    stored = {past[0].key: [to_typed(one.row(KEYS)) for one in reversed(past)] for past in pasts}
    records = [_record(number, past[-1]) for number, past in enumerate(pasts)]
    batches = [{"Records": records[start : start + BATCH]} for start in range(0, events, BATCH)]
    return Deciding(InsteadOfAws(stored), batches)


def others(other: Other) -> list[Rule]:
    """Make the rules that do not match."""
    return [other(number) for number in range(MANY - 1)]


def of_another_type(number: int) -> Rule:
    """Make a rule that is on something else."""
    return RULE._replace(id=f"other-{number}", on=frozenset({("equipment", f"other-{number}-reported")}))


def of_another_state(number: int) -> Rule:
    """Make a rule that is on the same type, and on another state."""
    return RULE._replace(
        id=f"other-{number}", when=lambda event: event.entity("state").get("state") == f"OTHER{number}"
    )


def _past(equipment_id: str) -> list[StoredEvent]:
    states = [*[NORMAL] * (PAST - 1), "WARNING1"]
    return [stored_report(equipment_id, state, NOW_MS - (PAST - n) * MINUTE_MS) for n, state in enumerate(states, 1)]


def _record(number: int, one: StoredEvent) -> dict[str, Any]:
    image = to_typed(one.row(KEYS))
    change = {"Keys": {name: image[name] for name in KEYS.names}, "NewImage": image}
    return {"eventID": f"{number:032x}", "eventName": "INSERT", "eventSourceARN": ARN, "dynamodb": change}
