"""Long histories of several pieces of equipment, against the model; and what holds even if events take for ever."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from andon.runtime import times
from andon.testing.examples import most
from tests.support.dispatch import model
from tests.support.dispatch.floor import SUPERVISOR, Floor, Stream, report_body
from tests.support.dispatch.model import HOLD_BACK, MINUTE, NORMAL, Acknowledgement, Decided, Report
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES

MOST_REPORTS = 25
AS_IT_IS = settings(
    max_examples=most(40), phases=[Phase.explicit, Phase.generate]
)  # a history is made smaller for minutes

states = st.sampled_from([NORMAL, "WARNING1", "WARNING2", "ERROR", "STOPPED"])
gaps = st.sampled_from(
    [0, 1, MINUTE, 5 * MINUTE, 15 * MINUTE - 1, 15 * MINUTE, 15 * MINUTE + 1, 30 * MINUTE, 30 * MINUTE + 1]
) | st.integers(0, 50 * MINUTE)
on_time = st.sampled_from([0, 1, HOLD_BACK - 1, HOLD_BACK]) | st.integers(0, HOLD_BACK)
at_any_time = on_time | st.integers(HOLD_BACK + 1, 5 * MINUTE) | st.integers(0, 70 * MINUTE)
# Some clocks are ahead; a report from more than five minutes ahead is refused.
by_its_clock = st.just(0) | st.integers(0, 5 * MINUTE)
moments = st.sampled_from([0, 1, 15 * MINUTE - 1, 15 * MINUTE, 15 * MINUTE + 1]) | st.integers(0, 40 * MINUTE)


@dataclass(frozen=True, slots=True)
class Hear:
    """Reports that arrive in one batch, each with the id of the event that tells of it."""

    reports: Sequence[tuple[str, Report, str]]


@dataclass(frozen=True, slots=True)
class See:
    """A log that somebody acknowledges."""

    equipment_id: str
    report: Report


@dataclass(frozen=True, slots=True)
class Sweep:
    """A tick of the clock."""


Step = tuple[int, Hear | See | Sweep]


@dataclass(frozen=True, slots=True)
class History:
    """Events by time. `seed` is the chance by which the stream flows."""

    steps: Sequence[Step]
    seed: int

    @property
    def machines(self) -> list[str]:
        """Name those that report."""
        return sorted({machine for _, step in self.steps if isinstance(step, Hear) for machine, _, _ in step.reports})

    def reports(self, machine: str) -> list[Report]:
        """List what one reported."""
        heard = (one for _, step in self.steps if isinstance(step, Hear) for one in step.reports)
        return [report for of, report, _ in heard if of == machine]

    def acknowledgements(self, machine: str) -> list[Acknowledgement]:
        """List what was acknowledged of one: nobody does so before it was, by the clock that told it."""
        return [
            Acknowledgement(step.report.at_ms, max(at_ms, step.report.at_ms + 1), step.report.state)
            for at_ms, step in self.steps
            if isinstance(step, See) and step.equipment_id == machine
        ]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A report on its way; it was made when the true time was `made_ms`."""

    machine: str
    report: Report
    event_id: str
    made_ms: int


@st.composite
def histories(draw: st.DrawFn, *, delays: st.SearchStrategy[int], jumps: bool = False) -> History:
    """Let up to three machines report, by clocks that may jump, somebody acknowledge some of it, and the clock tick."""
    deliveries: list[Delivery] = []
    steps: list[Step] = []
    for number in range(machines := draw(st.integers(1, 3))):
        machine, made_ms, ahead = f"press-{number}", NOW, draw(by_its_clock)
        for gap, state, again in draw(
            st.lists(st.tuples(gaps, states, st.none() | at_any_time), min_size=1, max_size=MOST_REPORTS // machines)
        ):
            made_ms += gap
            report = Report(made_ms + (draw(by_its_clock) if jumps else ahead), state, made_ms + draw(delays))
            deliveries.append(Delivery(machine, report, f"{machine} {report.name}", made_ms))
            if again is not None:
                later = replace(report, arrived_ms=report.arrived_ms + again)
                deliveries.append(Delivery(machine, later, f"{machine} {report.name} again", made_ms))
            if (seen := draw(st.none() | st.none() | moments)) is not None:
                steps.append((made_ms + seen, See(machine, report)))
    seed = draw(st.integers(0, 1_000_000))
    steps += _batches(deliveries, random.Random(seed))  # noqa: S311  hypothesis draws the seed
    end_ms = max(at_ms for at_ms, _ in steps)
    every = draw(st.sampled_from([MINUTE, 7 * MINUTE, 60 * MINUTE]))
    steps += [(at_ms, Sweep()) for at_ms in range(NOW + draw(st.integers(0, MINUTE)), end_ms, every)]
    return History(sorted(steps, key=lambda step: step[0]), seed)


def _batches(deliveries: Iterable[Delivery], chance: random.Random) -> Iterator[Step]:
    """Put together what may as well arrive a little earlier."""
    left = sorted(deliveries, key=lambda one: one.report.arrived_ms)
    while left:
        arrived_ms, size = left[0].report.arrived_ms, chance.choice([1, 1, 2, 5])
        batch = [one for one in left if one.made_ms <= arrived_ms][:size]
        left = [one for one in left if one not in batch]
        chance.shuffle(batch)
        reports = [(one.machine, replace(one.report, arrived_ms=arrived_ms), one.event_id) for one in batch]
        yield arrived_ms, Hear(reports)


def play(floor: Floor, history: History) -> Iterator[None]:
    """Let a history happen, step by step, and go on until nothing is due."""
    stream = Stream(floor, random.Random(history.seed))  # noqa: S311
    floor.restart(*history.machines)
    for at_ms, step in history.steps:
        floor.now_ms = at_ms
        match step:
            case Hear(reports):
                floor.deliver([report_body(machine, report, id_) for machine, report, id_ in reports])
            case See(machine, report):
                floor.acknowledge(machine, report.state, report.at_ms)
            case Sweep():
                floor.sweep()
        # What a person says arrives as soon as it is said.
        stream.flow(everything=isinstance(step, See))
        yield
    stream.run_out()
    yield


def expected(history: History, machine: str, decided: Iterable[Decided]) -> list[Decided]:
    """Ask the model, which knows of no hashing: whoever was assigned is right, if it is one for all."""
    operator = next((one.says for one in decided if one.key.endswith("#assignment")), "nobody")
    reports, seen = history.reports(machine), history.acknowledgements(machine)
    return model.decisions(reports, seen, operator=operator, supervisor=SUPERVISOR)


@AS_IT_IS
@given(histories(delays=on_time))
def test_what_arrives_within_the_hold_back_is_decided_upon_as_in_the_model(floor: Floor, history: History) -> None:
    for _ in play(floor, history):
        pass

    for machine in history.machines:
        decided = floor.decided(machine)
        heard = model.first_heard(history.reports(machine))
        assert model.in_time(heard) == heard
        assert decided == expected(history, machine, decided)
        assert floor.published(machine) == decided


@AS_IT_IS
@given(histories(delays=at_any_time, jumps=True))
def test_whenever_events_arrive_and_sweeps_run_decisions_are_the_models_put_once_and_the_story_has_every_report(
    floor: Floor, history: History
) -> None:
    """An event that was late, or not there in time, decides nothing."""
    before: Mapping[tuple[str, str], object] = {}
    for _ in play(floor, history):
        now = floor.decision_rows()
        assert all(now.get(key) is row for key, row in before.items())  # not even put again
        before = now

    for machine in history.machines:
        decided = floor.decided(machine)
        assert floor.published(machine) == decided == expected(history, machine, decided)
        told = floor.request(EPISODES, path={"id": machine})[1]["items"]
        assert [
            [(one["at"], one["state"]) for one in episode["story"] if one["type"] == "state-reported"]
            for episode in reversed(told)
        ] == [
            [(times.to_utc(report.at_ms), report.state) for report in [*episode.reports, episode.end] if report]
            for episode in model.episodes(model.first_heard(history.reports(machine)))
        ]
