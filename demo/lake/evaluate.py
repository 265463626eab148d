"""Precision and recall of the model on anomalies that were put into made-up histories."""

import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.evaluate import NotEvaluated, history_of
from andon.rules.rule import History, Rule
from andon.rules.stored_event import StoredEvent
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.tools.lake import engine
from contract.entities.anomalies import AnomalyKind
from demo.lake import synthetic
from demo.lake.envelopes import LakeEnvelope, Writer
from demo.lake.injected import KINDS, Injected, Report, inject
from demo.lake.train import TrainedModel, train
from services.anomalies.model import DEVIATIONS, MachineKnowledge, Model
from services.anomalies.rules import burst, gap, odd_state
from services.anomalies.subscriptions import on_state_reported

RULES: Final[Mapping[AnomalyKind, Rule]] = {"burst": burst.RULE, "gap": gap.RULE, "odd-state": odd_state.RULE}
TRIED: Final = (3, 4.5, DEVIATIONS, 8, 12)
"""Deviations from the median, as limits to choose from."""


LEARN_DAYS: Final = 28
JUDGE_DAYS: Final = 7
LEARN_EACH: Final = 2
JUDGE_EACH: Final = 4

Reports = Mapping[str, Sequence[Report]]
"""The reports of each machine, in order."""


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of right and wrong alarms, and of found and missed anomalies.

    no_opinion: those that were not, of which the model had none, for want of history.
    """

    right: int
    wrong: int
    found: int
    missed: int
    no_opinion: int

    @property
    def precision(self) -> float:
        """Return the share of the alarms that were right."""
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        """Return the share of the anomalies that were found."""
        return self.found / max(self.found + self.missed, 1)


@dataclass(frozen=True, slots=True)
class EvaluationData:
    """A history to learn from, which has anomalies in it, too, and a week after it to judge."""

    learn: Reports
    judge: Reports
    anomalies: Sequence[Injected]
    from_ms: int


def make_world(
    company: synthetic.Company, *, learn_days: int = LEARN_DAYS, judge_days: int = JUDGE_DAYS
) -> EvaluationData:
    """Make up a history, and put anomalies into it."""
    from_ms = company.start_ms + learn_days * DAY_MS
    learn: dict[str, list[Report]] = {}
    judge: dict[str, list[Report]] = {}
    anomalies: list[Injected] = []
    for machine, reports in _reports(company, from_ms + judge_days * DAY_MS).items():
        before = [report for report in reports if report.at_ms < from_ms]
        learn[machine], _ = inject(machine, before, from_ms=company.start_ms, each=LEARN_EACH, seed=company.seed)
        after = [report for report in reports if report.at_ms >= from_ms]
        judge[machine], more = inject(machine, after, from_ms=from_ms, each=JUDGE_EACH, seed=company.seed)
        anomalies += more
    return EvaluationData(learn, judge, anomalies, from_ms)


def trained_on(learn: Reports) -> TrainedModel:
    """Train a model as `make train` does: by the saved query over the objects of a lake."""
    with tempfile.TemporaryDirectory() as folder:
        for key, body in synthetic.objects(_envelopes(learn), window_s=3600):
            path = Path(folder) / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        return train(engine.connect(Path(folder)))


def scores(
    world: EvaluationData, model: Model, deviations: Sequence[float] = TRIED
) -> dict[float, dict[AnomalyKind, Score]]:
    """Judge the week by the real rules, with each of several limits."""
    alarms = _alarms(world, model, deviations)
    return {
        limit: {kind: _score(kind, alarms[limit, kind], world.anomalies, model) for kind in KINDS}
        for limit in deviations
    }


def report_of(found: Mapping[float, Mapping[AnomalyKind, Score]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{'limit':>8}  {'kind':<10}{'precision':>10}{'recall':>8}{'wrong':>7}{'missed':>8}{'no opinion':>12}"
    for limit, by_kind in found.items():
        for kind, score in by_kind.items():
            mark = " *" if limit == DEVIATIONS else ""
            figures = f"{score.precision:>10.3f}{score.recall:>8.3f}{score.wrong:>7}{score.missed:>8}"
            yield f"{limit:>6} x  {kind:<10}{figures}{score.no_opinion:>12}{mark}"


def _reports(company: synthetic.Company, until_ms: int) -> dict[str, list[Report]]:
    found: dict[str, list[Report]] = defaultdict(list)
    for envelope in synthetic.envelopes(company, 10**9):
        if times.to_ms(envelope["time"]) >= until_ms:
            break
        if envelope["detail-type"] == "state-reported":
            state = envelope["detail"]["state"]
            found[state["equipmentId"]].append(Report(envelope["detail"]["timestamp"], state["state"]))
    return {machine: sorted(reports) for machine, reports in found.items()}


def _envelopes(reports: Reports) -> list[LakeEnvelope]:
    writer = Writer(Random(1))  # noqa: S311  no secret
    made = [
        writer.reported({"equipmentId": machine, "state": state, "timestamp": times.to_utc(at_ms)}, actor=machine)
        for machine, all_of in reports.items()
        for at_ms, state in all_of
    ]
    return sorted(made, key=lambda envelope: (envelope["time"], envelope["id"]))


Alarms = Mapping[tuple[float, AnomalyKind], Sequence[tuple[str, int]]]
"""Limit and kind -> machine and time of each alarm."""


def _alarms(world: EvaluationData, model: Model, deviations: Sequence[float]) -> Alarms:
    alarms: dict[tuple[float, AnomalyKind], list[tuple[str, int]]] = defaultdict(list)
    for machine, reports in world.judge.items():
        known = model.known_of(machine)
        if known is None:
            continue
        contexts = {
            limit: MachineKnowledge(version=known.version, machine=known.machine, deviations=limit)
            for limit in deviations
        }
        for kind, history in _histories(machine, reports):
            for limit, context in contexts.items():
                if [*RULES[kind].expression(_with(history, context))]:
                    alarms[limit, kind].append((machine, history.anchor.timestamp_ms))
    return alarms


def _with(history: History, context: MachineKnowledge) -> History:
    return History(anchor=history.anchor, events=history.events, before=history.before, context=context)


def _histories(machine: str, reports: Sequence[Report]) -> Iterator[tuple[AnomalyKind, History]]:
    """Yield the history of each rule at each report, if all have arrived in time."""
    past = _Past([_stored(machine, report) for report in reports])
    for anchor in past.events:
        for kind, rule in RULES.items():
            history = history_of(rule, anchor, past, hold_back_ms=0)
            if not isinstance(history, NotEvaluated):
                yield kind, history


@dataclass(slots=True)
class _Past:
    """The events of one machine, in memory; the rules only look back."""

    events: list[StoredEvent]
    sorts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.events = sorted({event.sort: event for event in self.events}.values(), key=lambda event: event.sort)
        self.sorts = [event.sort for event in self.events]

    def upto(self, sort: str, /) -> Iterator[StoredEvent]:
        """Return the events from a sort key on, newest first."""
        return (self.events[place] for place in range(bisect_right(self.sorts, sort) - 1, -1, -1))

    def behind(self, sort: str, /, *, until_ms: int) -> Iterator[StoredEvent]:
        """Return none: no rule looks ahead."""
        raise NotImplementedError


def _stored(machine: str, report: Report) -> StoredEvent:
    state = {"equipmentId": machine, "state": report.state, "timestamp": times.to_utc(report.at_ms)}
    event = DomainEvent(
        id=f"{report.at_ms} {report.state}",
        type="state-reported",
        timestamp_ms=report.at_ms,
        partition_key=machine,
        entities={"state": state},
    )
    return on_state_reported(event).stored(event, arrived_ms=report.at_ms)


def _score(kind: AnomalyKind, alarms: Sequence[tuple[str, int]], anomalies: Sequence[Injected], model: Model) -> Score:
    """Compare alarms of a kind with the anomalies of that kind: one of another kind makes no alarm right."""
    there = [one for one in anomalies if one.kind == kind]
    hits = Counter(one for alarm in alarms for one in there if _is_in(alarm, one))
    missed = [one for one in there if one not in hits]
    return Score(
        right=hits.total(),
        wrong=len(alarms) - hits.total(),
        found=len(hits),
        missed=len(missed),
        no_opinion=sum(not _has_opinion(model, one) for one in missed),
    )


def _is_in(alarm: tuple[str, int], one: Injected) -> bool:
    machine, at_ms = alarm
    return one.machine == machine and one.from_ms <= at_ms <= one.to_ms


def _has_opinion(model: Model, one: Injected) -> bool:
    known = model.known_of(one.machine)
    if known is None:
        return False
    opinions = {"burst": known.rate_of, "gap": known.gap_after, "odd-state": known.hardly_saw}
    return opinions[one.kind](one.state) is not None
